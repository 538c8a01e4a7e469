"""The one screen an operator looks at first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class QueueState:
    name: str
    ready: int
    # What AMQP itself does not tell is None, unless the management API is asked.
    unacked: int | None
    consumers: int
    in_per_s: float | None = None
    out_per_s: float | None = None
    oldest_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class OpenLetters:
    queue: str
    reason: str
    letters: int


@dataclass(frozen=True, slots=True)
class Pause:
    queue: str
    reason: str
    since: datetime
    detail: str = ""
    ends_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Overview:
    # None when the broker was not asked or did not answer: not the same as empty.
    queues: Sequence[QueueState] | None
    open_letters: Sequence[OpenLetters]
    pauses: Sequence[Pause]
    documents: Mapping[str, int]
    running_replays: int

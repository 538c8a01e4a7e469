"""What the overview and the queues are made of: how full, what died, what is paused."""

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
    # Of these: in groups that alert nobody for now.
    muted: int = 0


@dataclass(frozen=True, slots=True)
class Pause:
    queue: str
    reason: str
    since: datetime
    detail: str = ""
    ends_at: datetime | None = None

"""What an operator does to many dead letters at once, and how far it is.

The selection is frozen when it is asked for: what arrives later is never swept in. An
operation moves in steps of one transaction each, so it stops and goes on anywhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from typing import Any
from uuid import UUID

from services.monitor.domain.letters import DeadLetter, LetterState


class Kind(StrEnum):
    REPLAY = "replay"
    ARCHIVE = "archive"
    UNARCHIVE = "unarchive"
    PURGE = "purge"


class OperationState(StrEnum):
    # Its letters are being written down, so that they stay the same whatever arrives.
    PREPARING = "preparing"
    RUNNING = "running"
    PAUSED = "paused"
    COMPLETED = "completed"
    CANCELLED = "cancelled"


ACTIVE = frozenset({OperationState.PREPARING, OperationState.RUNNING, OperationState.PAUSED})
MOVING = frozenset({OperationState.PREPARING, OperationState.RUNNING})

# The letters that an operation finds; of all others it leaves its hands.
STATES_OF: Mapping[Kind, frozenset[LetterState]] = {
    Kind.REPLAY: frozenset({LetterState.OPEN}),
    Kind.ARCHIVE: frozenset({LetterState.OPEN}),
    Kind.UNARCHIVE: frozenset({LetterState.ARCHIVED}),
    # Of what is on its way back the end is not known yet.
    Kind.PURGE: frozenset(LetterState) - {LetterState.REPLAYING},
}


class ItemOutcome(StrEnum):
    WAITING = "waiting"
    # On its way back; how it ended is not known yet.
    SENT = "sent"
    DONE = "done"
    ALREADY_APPLIED = "already_applied"
    WITHDRAWN = "withdrawn"
    REFAILED = "refailed"
    # It was no longer what the operation had found.
    SKIPPED = "skipped"
    # Archived, taken back out, or purged.
    APPLIED = "applied"


@dataclass(frozen=True, slots=True)
class Selection:
    """Which letters; None asks for any. Everything that is named must hold."""

    arrived_before: datetime
    arrived_after: datetime | None = None
    ids: tuple[UUID, ...] | None = None
    fingerprint: str | None = None
    queue: str | None = None
    reason: str | None = None
    category: str | None = None
    type: str | None = None
    owner_id: str | None = None
    document_id: UUID | None = None

    @property
    def names_nothing(self) -> bool:
        return all(value is None for value in self.told().values())

    def told(self) -> dict[str, Any]:
        """What it asks for, as JSON; of many ids only what proves which."""
        return {
            "ids": None if self.ids is None else _digested(self.ids),
            "arrived_after": self.arrived_after.isoformat() if self.arrived_after else None,
            "document_id": str(self.document_id) if self.document_id else None,
            "fingerprint": self.fingerprint,
            "queue": self.queue,
            "reason": self.reason,
            "category": self.category,
            "type": self.type,
            "owner_id": self.owner_id,
        }


# A letter in some minutes. From some hundred powers of ten below, no next step can be reckoned.
RATE_MIN_PER_S = 0.001


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast letters go back. The first `canary` go alone: then the operation pauses, and a
    person looks at what became of them."""

    rate_per_s: float
    in_flight_max: int
    canary: int = 0


@dataclass(frozen=True, slots=True)
class Wish:
    """An operation as somebody asked for it."""

    kind: Kind
    selection: Selection
    pace: Pace
    reason: str
    requested_by: str
    letters_max: int
    key: str
    # Of the request: the same key with another digest is a mistake.
    digest: str


@dataclass(frozen=True, slots=True)
class Operation:
    operation_id: UUID
    kind: Kind
    state: OperationState
    selector: Mapping[str, Any]
    arrived_before: datetime
    reason: str
    requested_by: str
    request_digest: str
    letters_max: int
    rate_per_s: float
    in_flight_max: int
    canary: int
    # Why it stands still, when nobody asked it to.
    paused_because: str | None
    # Steps in a row that came to nothing, and what stopped the last of them.
    failures: int
    error: str | None
    error_at: datetime | None
    prepared: bool
    # Up to which letter its selection is written down.
    prepared_at: datetime | None
    prepared_id: UUID | None
    total: int
    sent: int
    done: int
    already_applied: int
    withdrawn: int
    refailed: int
    skipped: int
    applied: int
    version: int
    seq: int
    requested_at: datetime
    started_at: datetime | None
    ended_at: datetime | None

    @property
    def in_flight(self) -> int:
        """Sent back, and the end not known yet."""
        return self.sent - self.done - self.already_applied - self.withdrawn - self.refailed

    @property
    def taken(self) -> int:
        return self.sent + self.skipped + self.applied

    @property
    def progress(self) -> int:
        if self.state is OperationState.COMPLETED:
            return 100
        settled = self.taken - self.in_flight
        return min(99, 100 * settled // self.total) if self.total else 0


@dataclass(frozen=True, slots=True)
class Item:
    """One letter of an operation, and what became of it."""

    position: int
    letter_id: UUID
    outcome: ItemOutcome
    detail: str | None
    replay_id: UUID | None
    settled_at: datetime | None


@dataclass(frozen=True, slots=True)
class Turn:
    """An operation in the hands of one process, for one step."""

    operation: Operation
    # Letters that its rate allows by now, in database time.
    allowance: float


@dataclass(frozen=True, slots=True)
class Found:
    """A part of a selection: how many letters of one kind, and what to know of them."""

    queue: str
    reason: str
    type: str | None
    letters: int
    # Cannot be sent back: unreadable, or from a queue that is no more.
    unreplayable: int
    # Of documents that have a result by now, or that nobody wants any more.
    already_ended: int


@dataclass(frozen=True, slots=True)
class Preview:
    found: tuple[Found, ...]
    sample: tuple[DeadLetter, ...]
    arrived_before: datetime

    @property
    def letters(self) -> int:
        return sum(one.letters for one in self.found)


class NoSuchOperation(LookupError):
    pass


class KeyTaken(ValueError):
    """The idempotency key has asked for something else before."""


class Overlapping(ValueError):
    """Another operation has some of these letters."""

    def __init__(self, operation_id: UUID) -> None:
        super().__init__("an operation over some of these letters is under way")
        self.operation_id = operation_id


class NotAllowed(ValueError):
    """The state of the operation forbids the action."""

    def __init__(self, operation: Operation, sentence: str) -> None:
        super().__init__(sentence)
        self.operation = operation


class StaleOperation(NotAllowed):
    """It is no longer the one that was looked at."""

    def __init__(self, operation: Operation, seen: int) -> None:
        super().__init__(
            operation, f"version {seen} was seen, version {operation.version} is current"
        )


def resource_of(operation_id: UUID) -> str:
    """How the audit log names an operation."""
    return f"operation/{operation_id}"


def _digested(ids: Sequence[UUID]) -> dict[str, Any]:
    named = ",".join(sorted(str(one) for one in ids))
    return {"count": len(ids), "digest": sha256(named.encode()).hexdigest()}


def room(turn: Turn, batch_max: int) -> int:
    """How many letters may go in this step: what the rate, those on their way, the canary and
    one transaction allow."""
    operation = turn.operation
    if operation.kind is not Kind.REPLAY:
        return batch_max
    free = operation.in_flight_max - operation.in_flight
    first = operation.canary - operation.taken if operation.canary else batch_max
    return max(0, min(batch_max, int(turn.allowance), free, first))

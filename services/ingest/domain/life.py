"""How facts move a document: forwards only, whatever order they come in.

A fact is placed by its run and rank. A late one moves nothing backwards, a higher run reopens
what failed, and of those that end a run the first one wins. What is stored stays stored: a
result that comes while a later run is under way ends the document too, unless it is what that
run is to replace, which was begun because somebody wants it read anew.
The function behind `sql/apply_changes.sql` holds rows to the same rule.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from shared.contracts.extraction import Summary

QUEUED, STARTED, EXTRACTED, ENDED = 10, 20, 30, 90
SUCCEEDED = frozenset({"completed", "duplicate"})


@dataclass(frozen=True, slots=True)
class Position:
    """Where in its life a fact puts a document."""

    status: str
    run: int
    rank: int
    # The result with which it succeeded.
    version: int = 0


@dataclass(frozen=True, slots=True)
class Told:
    """What a person is shown about the moment; of one run and rank the latest fact counts."""

    run: int
    rank: int
    fact_id: UUID
    stage: str
    waiting_for: str | None = None
    next_attempt_at: datetime | None = None
    error_message: str | None = None

    @property
    def order(self) -> tuple[int, int, UUID]:
        return self.run, self.rank, self.fact_id


@dataclass(frozen=True, slots=True)
class Effort:
    """How often and how far within one run; both only grow."""

    run: int
    attempts: int = 0
    progress: int = 0


@dataclass(frozen=True, slots=True)
class Reading:
    run: int
    stored: bool
    engine: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Result:
    version: int
    key: str
    summary: Summary


@dataclass(frozen=True, slots=True)
class Review:
    """A later reading is reviewed again, whatever was decided about the one before. Between two
    decisions the item goes from hand to hand; `turn` counts how often."""

    status: str
    version: int
    rank: int
    fact_id: UUID
    turn: int = 0

    @property
    def order(self) -> tuple[int, int, int, UUID]:
        return self.version, self.rank, self.turn, self.fact_id


@dataclass(frozen=True, slots=True)
class Change:
    """What one fact, or a batch of them, says about one document. Absent parts say nothing."""

    document_id: UUID
    position: Position | None = None
    told: Told | None = None
    effort: Effort | None = None
    reading: Reading | None = None
    result: Result | None = None
    review: Review | None = None


def moves(now: Position, to: Position, *, replaces_version: int = 0) -> bool:
    if now.rank >= ENDED and now.status != "failed":
        return False
    if to.status in SUCCEEDED:
        newer = to.version > replaces_version
        return newer and (now.rank < ENDED or to.run != now.run)
    return (to.run, to.rank) > (now.run, now.rank)


def rounds(said: Iterable[Change]) -> list[list[Change]]:
    """In each round one change per document, in the order of their ids, which is the order of
    locking. One round, unless what became of a document depends on which result its run is to
    replace: that is known to its row only."""
    found: list[dict[UUID, Change]] = []
    last: dict[UUID, int] = {}
    for change in said:
        at = last.get(change.document_id, -1)
        if at < 0 or _may_not_merge(found[at][change.document_id], change):
            at += 1
            found += [{}] if at == len(found) else []
            found[at][change.document_id] = change
        else:
            found[at][change.document_id] = _merged(found[at][change.document_id], change)
        last[change.document_id] = at
    return [[changes[document_id] for document_id in sorted(changes)] for changes in found]


def _may_not_merge(first: Change, then: Change) -> bool:
    if first.position is None or then.position is None:
        return False
    if first.position.rank >= ENDED and then.position.rank >= ENDED:
        return True
    succeeded = {first.position.status, then.position.status} & SUCCEEDED
    return bool(succeeded) and first.position.run != then.position.run


def _merged(first: Change, then: Change) -> Change:
    position = _position(first.position, then.position)
    return Change(
        first.document_id,
        position=position,
        told=_told((first, then), position),
        effort=_effort(first.effort, then.effort),
        reading=_later(first.reading, then.reading),
        result=_newer(first.result, then.result),
        review=_decided(first.review, then.review),
    )


def _position(first: Position | None, then: Position | None) -> Position | None:
    if first is None or then is None:
        return first or then
    return then if moves(first, then) else first


def _told(said: Sequence[Change], position: Position | None) -> Told | None:
    ended = position is not None and position.rank >= ENDED
    for change in said:
        if ended and change.position == position:
            # What ended the document is the last word, whatever came from a later run.
            return change.told
    told = [change.told for change in said if change.told is not None]
    return max(told, key=lambda one: one.order, default=None)


def _effort(first: Effort | None, then: Effort | None) -> Effort | None:
    if first is None or then is None:
        return first or then
    if first.run != then.run:
        return max(first, then, key=lambda one: one.run)
    return Effort(
        first.run,
        max(first.attempts, then.attempts),
        max(first.progress, then.progress),
    )


def _later(first: Reading | None, then: Reading | None) -> Reading | None:
    if first is None or then is None:
        return first or then
    return max(first, then, key=lambda one: (one.stored, one.run))


def _newer(first: Result | None, then: Result | None) -> Result | None:
    if first is None or then is None:
        return first or then
    return max(first, then, key=lambda one: one.version)


def _decided(first: Review | None, then: Review | None) -> Review | None:
    if first is None or then is None:
        return first or then
    return max(first, then, key=lambda one: one.order)

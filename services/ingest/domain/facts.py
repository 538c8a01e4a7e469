"""What each kind of fact says about its document.

A new fact is a function here and nothing else. Facts that only repeat what ingest decided
itself (accepted, ended, cancelled, deleted) say nothing; they are still told as events.
"""

from dataclasses import dataclass
from functools import singledispatch
from uuid import UUID

from services.ingest.domain.life import (
    ENDED,
    EXTRACTED,
    QUEUED,
    STARTED,
    Change,
    Effort,
    Position,
    Reading,
    Result,
    Review,
    Told,
)
from shared.contracts.body import DocumentFact
from shared.contracts.facts import (
    DocumentExtractedV1,
    DocumentFailedV1,
    DocumentFinalisedV1,
    DocumentProgressV1,
    DocumentStartedV1,
    DocumentStoredV1,
    DocumentWaitingV1,
    ReviewClaimedV1,
    ReviewDecidedV1,
    ReviewOpenedV1,
    ReviewReleasedV1,
    ReviewReopenedV1,
)

PENDING, DECIDED = 10, 90
ERROR_CHARS_MAX = 2_000
# Among the facts of its stage, so that it replaces what came before and is replaced after.
WAITING_RANKS = {"extract": STARTED, "store": EXTRACTED}
# Progress is coarse between the reports of a stage: it must move, and only forwards.
PROGRESS_STARTED, PROGRESS_EXTRACTED = 10, 70


@dataclass(frozen=True, slots=True)
class Arrival:
    """A fact with what its message says about it."""

    fact_id: UUID
    run: int
    fact: DocumentFact


@singledispatch
def said_by(fact: DocumentFact, arrival: Arrival) -> Change:
    return Change(fact.document_id)


@said_by.register
def _(fact: DocumentStartedV1, arrival: Arrival) -> Change:
    return Change(
        fact.document_id,
        position=Position("processing", arrival.run, STARTED),
        told=Told(arrival.run, STARTED, arrival.fact_id, "extract"),
        effort=Effort(arrival.run, fact.attempt, PROGRESS_STARTED),
    )


@said_by.register
def _(fact: DocumentProgressV1, arrival: Arrival) -> Change:
    return Change(
        fact.document_id,
        position=Position("processing", arrival.run, STARTED),
        told=Told(arrival.run, STARTED, arrival.fact_id, _stage(fact.stage)),
        effort=Effort(arrival.run, 0, fact.percent),
    )


@said_by.register
def _(fact: DocumentWaitingV1, arrival: Arrival) -> Change:
    stage = _stage(fact.stage)
    if stage not in WAITING_RANKS:
        # What waits after the document has its result is not the document.
        return Change(fact.document_id)
    status = "queued" if stage == "extract" else "processing"
    return Change(
        fact.document_id,
        # The lowest rank: a wait moves nothing within its run, but it shows a new one.
        position=Position(status, arrival.run, QUEUED),
        told=Told(
            arrival.run,
            WAITING_RANKS[stage],
            arrival.fact_id,
            stage,
            waiting_for=fact.reason,
            next_attempt_at=fact.until,
        ),
        effort=Effort(arrival.run, fact.attempt),
    )


@said_by.register
def _(fact: DocumentExtractedV1, arrival: Arrival) -> Change:
    return Change(
        fact.document_id,
        position=Position("processing", arrival.run, EXTRACTED),
        told=Told(arrival.run, EXTRACTED, arrival.fact_id, "store"),
        effort=Effort(arrival.run, 0, PROGRESS_EXTRACTED),
        reading=Reading(
            arrival.run, stored=False, engine=fact.engine, confidence=fact.confidence
        ),
    )


@said_by.register
def _(fact: DocumentFailedV1, arrival: Arrival) -> Change:
    why = f"{fact.reason}: {fact.detail}" if fact.detail else fact.reason
    return Change(
        fact.document_id,
        position=Position("failed", arrival.run, ENDED),
        told=Told(
            arrival.run,
            ENDED,
            arrival.fact_id,
            _stage(fact.stage),
            error_message=why[:ERROR_CHARS_MAX],
        ),
        effort=Effort(arrival.run, fact.attempts),
    )


@said_by.register
def _(fact: DocumentStoredV1, arrival: Arrival) -> Change:
    status = "duplicate" if fact.duplicate else "completed"
    return Change(
        fact.document_id,
        position=Position(status, arrival.run, ENDED, fact.result_version),
        told=Told(arrival.run, ENDED, arrival.fact_id, "done"),
        effort=Effort(arrival.run, 0, PROGRESS_EXTRACTED),
        reading=Reading(
            arrival.run, stored=True, engine=fact.engine, confidence=fact.confidence
        ),
        result=Result(fact.result_version, fact.result_key, fact.summary),
    )


@said_by.register
def _(fact: DocumentFinalisedV1, arrival: Arrival) -> Change:
    if fact.superseded:
        # It was kept, but a later reading is what the document has.
        return Change(fact.document_id)
    return Change(
        fact.document_id,
        result=Result(fact.result_version, fact.result_key, fact.summary),
    )


@said_by.register
def _(fact: ReviewOpenedV1, arrival: Arrival) -> Change:
    review = Review("pending", fact.result_version, PENDING, arrival.fact_id)
    return Change(fact.document_id, review=review)


@said_by.register
def _(fact: ReviewClaimedV1, arrival: Arrival) -> Change:
    rank = _open_rank(fact.review_revision)
    review = Review("in_review", fact.result_version, rank, arrival.fact_id, fact.turn)
    return Change(fact.document_id, review=review)


@said_by.register
def _(fact: ReviewReleasedV1, arrival: Arrival) -> Change:
    rank = _open_rank(fact.review_revision)
    review = Review("pending", fact.result_version, rank, arrival.fact_id, fact.turn)
    return Change(fact.document_id, review=review)


@said_by.register
def _(fact: ReviewDecidedV1, arrival: Arrival) -> Change:
    rank = _decided_rank(fact.review_revision)
    review = Review(fact.verdict, fact.result_version, rank, arrival.fact_id)
    return Change(fact.document_id, review=review)


@said_by.register
def _(fact: ReviewReopenedV1, arrival: Arrival) -> Change:
    # Whoever undoes the own decision has the item in hand again.
    status = "in_review" if fact.undone else "pending"
    rank = _open_rank(fact.review_revision)
    review = Review(status, fact.result_version, rank, arrival.fact_id)
    return Change(fact.document_id, review=review)


def _decided_rank(revision: int) -> int:
    return DECIDED + 2 * (revision - 1)


def _open_rank(revision: int) -> int:
    """After so many decisions: between the last one and the next."""
    return _decided_rank(revision) + 1 if revision else PENDING


def _stage(name: str) -> str:
    """Stages are told by the name of their queue; people see what is done in it."""
    return name.rpartition(".")[2]

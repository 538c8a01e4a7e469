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
    ReviewDecidedV1,
    ReviewOpenedV1,
)

PENDING, DECIDED = 10, 90
ERROR_CHARS_MAX = 2_000
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
        told=Told(arrival.run, STARTED, arrival.fact_id, fact.stage),
        effort=Effort(arrival.run, 0, fact.percent),
    )


@said_by.register
def _(fact: DocumentWaitingV1, arrival: Arrival) -> Change:
    storing = fact.stage.startswith("stor")
    position = Position("processing" if storing else "queued", arrival.run, QUEUED)
    return Change(
        fact.document_id,
        # A wait moves nothing by itself; but one of a higher run shows that it was reopened.
        position=position,
        told=Told(
            arrival.run,
            EXTRACTED if storing else STARTED,
            arrival.fact_id,
            fact.stage,
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
            fact.stage,
            error_message=why[:ERROR_CHARS_MAX],
        ),
        effort=Effort(arrival.run, fact.attempts),
    )


@said_by.register
def _(fact: DocumentStoredV1, arrival: Arrival) -> Change:
    status = "duplicate" if fact.duplicate else "completed"
    return Change(
        fact.document_id,
        position=Position(status, arrival.run, ENDED),
        told=Told(arrival.run, ENDED, arrival.fact_id, "done"),
        effort=Effort(arrival.run, 0, PROGRESS_EXTRACTED),
        reading=Reading(
            arrival.run, stored=True, engine=fact.engine, confidence=fact.confidence
        ),
        result=Result(fact.result_version, fact.result_key, fact.summary),
    )


@said_by.register
def _(fact: DocumentFinalisedV1, arrival: Arrival) -> Change:
    return Change(
        fact.document_id,
        result=Result(fact.result_version, fact.result_key, fact.summary),
    )


@said_by.register
def _(fact: ReviewOpenedV1, arrival: Arrival) -> Change:
    return Change(fact.document_id, review=Review("pending", PENDING, arrival.fact_id))


@said_by.register
def _(fact: ReviewDecidedV1, arrival: Arrival) -> Change:
    return Change(fact.document_id, review=Review(fact.verdict, DECIDED, arrival.fact_id))

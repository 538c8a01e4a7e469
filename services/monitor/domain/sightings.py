"""Where each document stands, as far as facts have told.

Facts come in any order and more than once, so a document only moves forward: to a later run,
or to a higher rank within one. The first end of a run is its end, unless it was cancelled: that
is decided where it was accepted, and a result may have been told before the stages knew. A
deletion outdoes every run, for what is deleted must never look as if it were there again.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from shared.bus.jobs import Job
from shared.contracts.body import Body, DocumentFact, Priority
from shared.contracts.facts import (
    DocumentAcceptedV1,
    DocumentCancelledV1,
    DocumentDeletedV1,
    DocumentEndedV1,
    DocumentExtractedV1,
    DocumentFailedV1,
    DocumentStartedV1,
    DocumentStoredV1,
)
from shared.contracts.identity import written_at

RANK_ENDED, RANK_CANCELLED, RANK_DELETED = 90, 95, 100
PLACES: Mapping[type[Body], tuple[str, int]] = {
    DocumentAcceptedV1: ("queued", 10),
    DocumentStartedV1: ("processing", 20),
    DocumentExtractedV1: ("processing", 30),
    DocumentStoredV1: ("completed", RANK_ENDED),
    DocumentFailedV1: ("failed", RANK_ENDED),
    DocumentCancelledV1: ("cancelled", RANK_CANCELLED),
    DocumentDeletedV1: ("deleted", RANK_DELETED),
}
STATUSES = ("queued", "processing", "completed", "failed", "duplicate", "cancelled", "deleted")
# What a document waits for, by how far it has come.
STAGES: Mapping[int, str] = {10: "waiting", 20: "reading", 30: "storing"}


@dataclass(frozen=True, slots=True)
class Sighting:
    document_id: UUID
    owner_id: str
    accepted_at: datetime
    status: str
    run: int
    rank: int
    priority: int = Priority.NORMAL
    # When it was told, of what has ended.
    ended_at: datetime | None = None

    @property
    def is_deleted(self) -> bool:
        return self.rank == RANK_DELETED

    @property
    def standing(self) -> tuple[bool, int, int]:
        return self.is_deleted, self.run, self.rank


def latest_sightings(jobs: Iterable[Job[Body]]) -> list[Sighting]:
    """One per document, the furthest, in key order."""
    furthest: dict[UUID, Sighting] = {}
    for job in jobs:
        sighting = _sighting(job.body, job.run, job.job_id)
        if sighting is None:
            continue
        known = furthest.get(sighting.document_id)
        if known is None or sighting.standing > known.standing:
            furthest[sighting.document_id] = sighting
    return sorted(furthest.values(), key=lambda sighting: sighting.document_id)


def _sighting(fact: Body, run: int, job_id: UUID) -> Sighting | None:
    place = _place(fact)
    if place is None or not isinstance(fact, DocumentFact):
        return None
    status, rank = place
    return Sighting(
        fact.document_id,
        fact.owner_id,
        fact.accepted_at,
        status,
        run,
        rank,
        fact.priority,
        _ended_at(fact, job_id) if rank >= RANK_ENDED else None,
    )


def _ended_at(fact: DocumentFact, job_id: UUID) -> datetime | None:
    # Not before it was accepted: the clocks of two machines differ.
    told_at = written_at(job_id)
    return None if told_at is None else max(told_at, fact.accepted_at)


def _place(fact: Body) -> tuple[str, int] | None:
    match fact:
        case DocumentStoredV1(duplicate=True):
            return "duplicate", RANK_ENDED
        case DocumentEndedV1(status="cancelled"):
            return "cancelled", RANK_CANCELLED
        case DocumentEndedV1(status=status):
            return status, RANK_ENDED
        case _:
            return PLACES.get(type(fact))

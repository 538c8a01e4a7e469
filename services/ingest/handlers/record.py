"""Follow the documents: what all stages tell, applied to the status everybody reads.

Facts come late, twice and in any order; rows are guarded, so nothing here remembers what it
has seen and no inbox is needed. A batch is four statements, its messages included, however
many facts it holds; where it ends documents of batches, one more.
"""

from collections.abc import Mapping, Sequence
from uuid import UUID

from services.ingest.domain.facts import Arrival, said_by
from services.ingest.domain.life import EXTRACTED, Change, reduced
from services.ingest.handlers.settle import settle_batches
from services.ingest.ports import Moved, Ports
from shared.bus.jobs import Job
from shared.contracts.body import DocumentFact
from shared.contracts.facts import DocumentEndedV1, FinalStatus
from shared.observability.metrics import DOCUMENTS_PROCESSED, END_TO_END_SECONDS

FINAL: tuple[FinalStatus, ...] = ("completed", "failed", "duplicate", "cancelled")


async def record_facts(jobs: Sequence[Job[DocumentFact]], use: Ports) -> None:
    first = {job.job_id: job for job in reversed(jobs)}
    arrivals = [
        Arrival(job.job_id, job.run, job.body) for job in jobs if first.get(job.job_id) is job
    ]
    changes = reduced(said_by(arrival.fact, arrival) for arrival in arrivals)

    async with use.ledger.unit() as unit:
        moved = await use.documents.apply_changes(unit, changes)
        await use.documents.append_events(unit, arrivals)
        ends = _ends(changes, first)
        for one in moved:
            if one.ended:
                cause = ends[one.document_id]
                unit.send(_ended(one, cause), cause=cause)
        await settle_batches(unit, [one.document_id for one in moved if one.ended], use)
    _count(moved)
    if any(one.position and one.position.rank >= EXTRACTED for one in changes):
        # Their places are free.
        use.ring()


def _ends(
    changes: Sequence[Change], jobs: Mapping[UUID, Job[DocumentFact]]
) -> dict[UUID, Job[DocumentFact]]:
    """The fact that is each document's last word; where it ended, that is what ended it."""
    return {
        change.document_id: jobs[change.told.fact_id]
        for change in changes
        if change.told is not None
    }


def _ended(moved: Moved, cause: Job[DocumentFact]) -> DocumentEndedV1:
    fact = cause.body
    [status] = [known for known in FINAL if known == moved.status]
    return DocumentEndedV1(
        document_id=fact.document_id,
        owner_id=fact.owner_id,
        accepted_at=fact.accepted_at,
        priority=fact.priority,
        cause_id=cause.job_id,
        status=status,
    )


def _count(moved: Sequence[Moved]) -> None:
    for one in moved:
        if one.ended:
            DOCUMENTS_PROCESSED.labels(one.status).inc()
            END_TO_END_SECONDS.labels(one.status).observe(one.lasted_s)

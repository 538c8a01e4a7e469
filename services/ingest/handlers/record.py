"""Follow the documents: what all stages tell, applied to the status everybody reads.

Facts come late, twice and in any order; rows are guarded, so nothing here remembers what it
has seen and no inbox is needed. A batch is one statement, however many facts it holds; where it
may end documents it is a transaction, with one more for what is sent, one for who wants to be
told, and one where they belong to batches.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from uuid import UUID

from services.ingest.domain.facts import Arrival, said_by
from services.ingest.domain.life import ENDED, EXTRACTED, Change, rounds
from services.ingest.handlers.notify import NOTICED, notices_of, tell_owners
from services.ingest.handlers.settle import settle_batches
from services.ingest.ports import Moved, Ports
from shared.bus.jobs import Job
from shared.contracts.body import DocumentFact
from shared.contracts.facts import DocumentEndedV1, DocumentErasedV1, FinalStatus
from shared.ledger.port import Unit
from shared.observability.metrics import DOCUMENTS_PROCESSED, END_TO_END_SECONDS

# Of these more may be written down in the same commit than what they say of their document.
LEADING_ON = (DocumentErasedV1, *NOTICED)
FINAL: tuple[FinalStatus, ...] = ("completed", "failed", "duplicate", "cancelled")


async def record_facts(jobs: Sequence[Job[DocumentFact]], use: Ports) -> None:
    first = {job.job_id: job for job in reversed(jobs)}
    arrivals = [
        Arrival(job.job_id, job.run, job.body) for job in jobs if first.get(job.job_id) is job
    ]
    said = rounds(said_by(arrival.fact, arrival) for arrival in arrivals)

    async with use.ledger.apart() if _is_all(said, arrivals) else use.ledger.unit() as unit:
        moved: list[Moved] = []
        ends: list[DocumentEndedV1] = []
        for changes in said:
            # The timelines go on when all rows are locked.
            told = arrivals if changes is said[-1] else ()
            found = await use.documents.apply_changes(unit, changes, told)
            causes = _ends(changes, first)
            ended = [_ended(one, causes[one.document_id]) for one in found if one.ended]
            for fact in ended:
                unit.send(fact, cause=causes[fact.document_id])
            moved, ends = [*moved, *found], [*ends, *ended]
        await _note_erased(unit, arrivals, use)
        await tell_owners(unit, notices_of(moved, ends, arrivals, use), use)
        await settle_batches(unit, [one.document_id for one in moved if one.ended], use)
    _count(moved)
    if any(one.position and one.position.rank >= EXTRACTED for one in chain(*said)):
        # Their places are free.
        use.ring()


def _is_all(said: Sequence[Sequence[Change]], arrivals: Sequence[Arrival]) -> bool:
    """Whether one statement is all there is to do: nothing ends, and nobody is told."""
    if len(said) > 1 or any(isinstance(one.fact, LEADING_ON) for one in arrivals):
        return False
    return not any(one.position and one.position.rank >= ENDED for one in chain(*said))


async def _note_erased(unit: Unit, arrivals: Sequence[Arrival], use: Ports) -> None:
    reports = {
        (one.fact.document_id, one.fact.service)
        for one in arrivals
        if isinstance(one.fact, DocumentErasedV1)
    }
    if reports:
        await use.erasures.note_erased(unit, sorted(reports))


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

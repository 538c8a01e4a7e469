"""End a document because its client says so: cancel what is under way, delete what was.

Ingest alone decides. The other stages learn of it by a fact; what they still do meanwhile
moves nothing here, and what they made of it they take back themselves.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from services.ingest.domain.facts import Arrival
from services.ingest.handlers.notify import end_notice, tell_owners
from services.ingest.handlers.settle import settle_batches
from services.ingest.ports import Ending, Ports
from shared.audit.chain import Entry
from shared.bus.headers import RUN
from shared.bus.jobs import Job
from shared.contracts.body import DocumentFact
from shared.contracts.facts import (
    DocumentCancelledV1,
    DocumentDeletedV1,
    DocumentEndedV1,
)
from shared.contracts.identity import new_id
from shared.failpoints import failpoint
from shared.ledger.port import Unit
from shared.observability.metrics import DOCUMENTS_PROCESSED, END_TO_END_SECONDS
from shared.topology.queues import STATUS


@dataclass(frozen=True, slots=True)
class Telling:
    """What became of a document, and the fact that says so."""

    fact_id: UUID
    fact: DocumentFact
    ending: Ending


async def cancel_document(
    document_id: UUID, *, owner_id: str | None, actor: str, use: Ports
) -> bool:
    """False when there is nothing to cancel: ended, unknown, or somebody else's."""
    return bool(await cancel_all([document_id], owner_id=owner_id, actor=actor, use=use))


async def cancel_all(
    document_ids: Sequence[UUID], *, owner_id: str | None, actor: str, use: Ports
) -> int:
    """How many were still under way: all of them end in one commit, or none does."""
    fact_ids = {document_id: new_id() for document_id in document_ids}
    async with use.ledger.unit() as unit:
        endings = await use.endings.cancel_documents(unit, fact_ids, owner_id=owner_id)
        if not endings:
            return 0
        told = [
            Telling(fact_ids[one.document_id], DocumentCancelledV1(**one.document()), one)
            for one in endings
        ]
        await _tell(unit, told, use)
        await use.trail.record(unit, *_entries(actor, "document_cancelled", endings))
    await failpoint("ingest.cancelled")
    for ending in endings:
        _count(ending, "cancelled")
    use.ring()
    return len(endings)


async def delete_document(
    document_id: UUID, *, owner_id: str | None, actor: str, use: Ports
) -> bool:
    """False when there is nothing to delete: deleted, unknown, somebody else's, or held."""
    return bool(await delete_all([document_id], owner_id=owner_id, actor=actor, use=use))


async def delete_all(
    document_ids: Sequence[UUID], *, owner_id: str | None, actor: str, use: Ports
) -> int:
    """How many were deleted: all of them in one commit, or none.

    What remains of each is a tombstone, and the line in the audit log that says who did it.
    """
    async with use.ledger.unit() as unit:
        endings = await delete_within(unit, document_ids, owner_id=owner_id, use=use)
        if not endings:
            return 0
        await use.trail.record(unit, *_entries(actor, "document_deleted", endings))
    await failpoint("ingest.deleted")
    count_deleted(endings, use)
    return len(endings)


async def delete_within(
    unit: Unit, document_ids: Sequence[UUID], *, owner_id: str | None, use: Ports
) -> list[Ending]:
    """The one way to delete; the caller says in the same commit who did it, and counts it."""
    fact_ids = {document_id: new_id() for document_id in document_ids}
    endings = await use.endings.delete_documents(unit, fact_ids, owner_id=owner_id)
    if not endings:
        return []
    told = [
        Telling(fact_ids[one.document_id], DocumentDeletedV1(**one.document()), one)
        for one in endings
    ]
    await _tell(unit, told, use)
    await use.endings.erase_events(unit, [one.document_id for one in endings])
    # Their bytes are erased behind the commit (`handlers/erase.py`): a slow store holds up
    # nobody, and what is planned here is found after a crash.
    contents = {one.document_id: one.content_key for one in endings}
    await use.erasures.plan_erasures(unit, contents)
    return endings


def count_deleted(endings: Sequence[Ending], use: Ports) -> None:
    """After the commit."""
    for ending in endings:
        _count(ending, "deleted")
    if endings:
        use.ring()
        use.wake_eraser()


async def _tell(unit: Unit, told: Sequence[Telling], use: Ports) -> None:
    arrivals = [Arrival(one.fact_id, one.ending.run, one.fact) for one in told]
    await use.documents.append_events(unit, arrivals)
    ends = []
    for one in told:
        # It has no job behind it; but others place it by its run, as every fact.
        headers = {RUN: str(one.ending.run)}
        cause = Job(one.fact, one.fact_id, STATUS.name, headers=headers)
        unit.send(one.fact, cause=cause, job_id=one.fact_id)
        if one.ending.ended:
            document = one.ending.document()
            ended = DocumentEndedV1(status="cancelled", cause_id=one.fact_id, **document)
            unit.send(ended, cause=cause)
            ends.append(ended)
    await tell_owners(unit, [end_notice(ended, use) for ended in ends], use)
    ids = [one.ending.document_id for one in told if one.ending.ended]
    await settle_batches(unit, ids, use)


def _entries(actor: str, action: str, endings: Sequence[Ending]) -> list[Entry]:
    return [Entry(actor, action, f"document/{one.document_id}") for one in endings]


def _count(ending: Ending, status: str) -> None:
    if ending.ended:
        DOCUMENTS_PROCESSED.labels(status).inc()
        END_TO_END_SECONDS.labels(status).observe(ending.lasted_s)

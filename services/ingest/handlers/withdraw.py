"""End a document because its client says so: cancel what is under way, delete what was.

Ingest alone decides. The other stages learn of it by a fact; what they still do meanwhile
moves nothing here, and what they made of it they take back themselves.
"""

from uuid import UUID

from services.ingest.domain.documents import logs_prefix
from services.ingest.domain.facts import Arrival
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


async def cancel_document(document_id: UUID, *, owner_id: str | None, use: Ports) -> bool:
    """False when there is nothing to cancel: ended, unknown, or somebody else's."""
    fact_id = new_id()
    async with use.ledger.unit() as unit:
        ending = await use.endings.cancel_document(
            unit, document_id, owner_id=owner_id, fact_id=fact_id
        )
        if ending is None:
            return False
        await _tell(unit, DocumentCancelledV1(**ending.document()), fact_id, ending, use)
    await failpoint("ingest.cancelled")
    _count(ending, "cancelled")
    use.ring()
    return True


async def delete_document(
    document_id: UUID, *, owner_id: str | None, actor: str, use: Ports
) -> bool:
    """False when there is nothing to delete: deleted, unknown, or somebody else's.

    What remains is a tombstone, and the line in the audit log that says who did it.
    """
    fact_id = new_id()
    async with use.ledger.unit() as unit:
        ending = await use.endings.delete_document(
            unit, document_id, owner_id=owner_id, fact_id=fact_id
        )
        if ending is None:
            return False
        await _tell(unit, DocumentDeletedV1(**ending.document()), fact_id, ending, use)
        await use.endings.erase_events(unit, document_id)
        # Before anything is erased: this waits for its turn, and may have to give up.
        await use.trail.record(
            unit, Entry(actor, "document_deleted", f"document/{document_id}")
        )
        async for key in use.blobs.list(logs_prefix(document_id)):
            await use.blobs.delete(key)
        if await use.contents.release_content(unit, ending.content_key):
            # Before the commit: bytes that outlive their tombstone would never be found again,
            # and a document without bytes is deleted by asking once more.
            await use.blobs.delete(ending.content_key)
    await failpoint("ingest.deleted")
    _count(ending, "deleted")
    use.ring()
    return True


async def _tell(
    unit: Unit, fact: DocumentFact, fact_id: UUID, ending: Ending, use: Ports
) -> None:
    await use.documents.append_events(unit, [Arrival(fact_id, ending.run, fact)])
    # It has no job behind it; but others place it by its run, as every fact.
    cause = Job(fact, fact_id, STATUS.name, headers={RUN: str(ending.run)})
    unit.send(fact, cause=cause, job_id=fact_id)
    if ending.ended:
        ended = DocumentEndedV1(status="cancelled", cause_id=fact_id, **ending.document())
        unit.send(ended, cause=cause)
        await settle_batches(unit, [ending.document_id], use)


def _count(ending: Ending, status: str) -> None:
    if ending.ended:
        DOCUMENTS_PROCESSED.labels(status).inc()
        END_TO_END_SECONDS.labels(status).observe(ending.lasted_s)

"""Begin a document anew: a new job in a new run, where a replay repeats the old job.

What failed is simply tried again. What has a result is read anew only by force: the engine is
asked whatever it said before, and the present result stays until there is a newer one. It
waits its turn like a new document, and the releaser orders it; one of a batch waits until its
batch has room, too.
"""

from dataclasses import replace
from uuid import UUID

from services.ingest.handlers.settle import settle_batches
from services.ingest.ports import Ports, Reopened, Reopening
from shared.audit.chain import Entry
from shared.bus.jobs import Job
from shared.contracts.identity import new_id
from shared.contracts.orders import ReextractDocumentV1
from shared.observability.tracing import current_traceparent


async def reprocess_document(
    document_id: UUID,
    *,
    owner_id: str | None,
    actor: str,
    use: Ports,
    force: bool = False,
    engine: str | None = None,
) -> bool:
    """False when there is nothing to begin anew: it is under way, withdrawn, not to be seen,
    or has a result and is not forced. `engine` is to read it; without it the usual ones."""
    asked = Reopening(document_id, owner_id, force, new_id(), current_traceparent(), engine)
    async with use.ledger.unit() as unit:
        reopened = await use.endings.reopen_document(unit, asked)
        if reopened is None:
            return False
        await settle_batches(unit, [document_id], use)
        await use.trail.record(unit, _entry(actor, asked, reopened))
    use.ring()
    return True


async def reextract_document(job: Job[ReextractDocumentV1], use: Ports) -> None:
    """The same by force, because a reviewer asks for it. What is under way already brings a
    new reading anyway; what is withdrawn brings none, and its item has gone."""
    order = job.body
    asked = Reopening(
        order.document_id, order.owner_id, True, new_id(), job.traceparent, order.engine
    )
    async with use.ledger.handling(job) as unit:
        reopened = await use.endings.reopen_document(unit, asked)
        if reopened is not None:
            await settle_batches(unit, [order.document_id], use)
            entry = replace(_entry(order.reviewer, asked, reopened), reason=order.reason)
            await use.trail.record(unit, entry)
    if reopened is not None:
        use.ring()


def _entry(actor: str, asked: Reopening, reopened: Reopened) -> Entry:
    return Entry(
        actor,
        "document_reprocessed",
        f"document/{asked.document_id}",
        before={"status": reopened.status_before, "result_version": reopened.result_version},
        after={"run": reopened.run, "force": asked.force, "engine": asked.engine},
    )

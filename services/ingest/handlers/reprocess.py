"""Begin a failed document anew: a new job in a new run, where a replay repeats the old job.

It waits its turn like a new document, and the releaser orders it.
"""

from uuid import UUID

from services.ingest.ports import Ports
from shared.contracts.identity import new_id
from shared.observability.tracing import current_traceparent


async def reprocess_document(document_id: UUID, *, owner_id: str | None, use: Ports) -> bool:
    """False when there is nothing to begin anew: it has not failed, or is not to be seen."""
    async with use.ledger.unit() as unit:
        reopened = await use.endings.reopen_document(
            unit,
            document_id,
            owner_id=owner_id,
            told_id=new_id(),
            traceparent=current_traceparent(),
        )
    if reopened:
        use.ring()
    return reopened

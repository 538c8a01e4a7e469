"""When a member of a batch ends: the next may go, or the batch is complete."""

from collections.abc import Sequence
from uuid import UUID

from services.ingest.ports import Ports
from shared.ledger.port import Unit


async def settle_batches(unit: Unit, ended: Sequence[UUID], use: Ports) -> None:
    """In the transaction in which these documents end, after they have."""
    if ended:
        for fact in await use.batches.advance_batches(unit, ended):
            unit.send(fact)

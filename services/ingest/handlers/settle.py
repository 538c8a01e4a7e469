"""When a member of a batch ends: the next may go, or the batch is complete.

When a member is begun anew: it may go if there is room, and the batch is complete no more.
"""

from collections.abc import Sequence
from uuid import UUID

from services.ingest.handlers.notify import batch_notice, tell_owners
from services.ingest.ports import Ports
from shared.contracts.facts import BatchCompletedV1
from shared.ledger.port import Unit


async def settle_batches(unit: Unit, moved: Sequence[UUID], use: Ports) -> None:
    """In the transaction in which these documents end or are begun anew, after they have."""
    if moved:
        await announce(unit, await use.batches.advance_batches(unit, moved), use)


async def announce(unit: Unit, completed: Sequence[BatchCompletedV1], use: Ports) -> None:
    """To the other services as to the owners."""
    unit.send_many(completed)
    await tell_owners(unit, [batch_notice(fact, use) for fact in completed], use)

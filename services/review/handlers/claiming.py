"""Lend an item to one reviewer for a while, and take it back.

A claim is a lease: a tab that is closed, or a laptop that sleeps, loses it by itself, and
nobody has to unlock anything.
"""

from uuid import UUID

from services.review.domain import NoSuchItem, ReviewItem, check_claimable, resource_of
from services.review.ports import Ports
from shared.audit.chain import Entry
from shared.errors import Retryable

# Between two looks at an item it may change hands; more often than this it never does.
LOOKS_MAX = 3


async def claim_next_item(reviewer: str, use: Ports) -> ReviewItem | None:
    """The most urgent item nobody holds; None when there is none."""
    async with use.ledger.unit() as unit:
        item = await use.items.claim_next_item(
            unit, reviewer=reviewer, lease_s=use.limits.claim_lease_s
        )
        if item is not None:
            await use.trail.record(unit, _claimed(item, reviewer))
    return item


async def claim_item(document_id: UUID, reviewer: str, use: Ports) -> ReviewItem:
    """Claiming again what one holds makes the lease longer."""
    for _ in range(LOOKS_MAX):
        async with use.ledger.unit() as unit:
            item = await use.items.claim_item(
                unit,
                document_id=document_id,
                reviewer=reviewer,
                lease_s=use.limits.claim_lease_s,
            )
            if item is not None:
                await use.trail.record(unit, _claimed(item, reviewer))
        if item is not None:
            return item
        check_claimable(await get_item(document_id, use), reviewer)
        # Given back between our two looks at it: the next try gets it.
    raise Retryable("the item keeps changing hands", after_s=1)


async def release_item(document_id: UUID, reviewer: str, use: Ports) -> ReviewItem:
    """Giving back what one no longer holds changes nothing and is no error."""
    async with use.ledger.unit() as unit:
        item = await use.items.release_item(unit, document_id=document_id, reviewer=reviewer)
        if item is not None:
            entry = Entry(reviewer, "item_released", resource_of(document_id))
            await use.trail.record(unit, entry)
    if item is None:
        item = await get_item(document_id, use)
        check_claimable(item, reviewer)
    return item


async def get_item(document_id: UUID, use: Ports) -> ReviewItem:
    item = await use.items.find_item(document_id)
    if item is None:
        raise NoSuchItem(str(document_id))
    return item


def _claimed(item: ReviewItem, reviewer: str) -> Entry:
    until = item.claimed_until.isoformat() if item.claimed_until else None
    return Entry(
        reviewer, "item_claimed", resource_of(item.document_id), after={"claimed_until": until}
    )

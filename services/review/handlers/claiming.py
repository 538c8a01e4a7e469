"""Lend an item to one reviewer for a while, and take it back.

A claim is a lease: a tab that is closed, or a laptop that sleeps, loses it by itself, and
nobody has to unlock anything. A page that is open says so now and then and keeps it.
"""

from collections.abc import Sequence
from uuid import UUID

from services.review.domain.claims import (
    LEVEL_MAX,
    SYSTEM,
    Claimant,
    LeaseLost,
    Woken,
    check_held,
    check_takeable,
)
from services.review.domain.items import OPEN, NoSuchItem, ReviewItem, resource_of
from services.review.handlers.announcing import announce_hands
from services.review.ports import Ports
from shared.audit.chain import Entry
from shared.errors import Retryable
from shared.ledger.port import Unit

# Between two looks at an item it may change hands; more often than this it never does.
LOOKS_MAX = 3
# Of those that became free meanwhile; what is left over is for the next who asks.
WOKEN_MAX = 50


async def claim_next_item(
    reviewer: str, use: Ports, *, lead: bool = False
) -> ReviewItem | None:
    """The most urgent item nobody holds; None when there is none."""
    claimant = await claimant_of(reviewer, use, lead=lead)
    async with use.ledger.unit() as unit:
        woken = await wake_items(unit, WOKEN_MAX, use)
        item = await use.items.claim_next_item(
            unit, claimant=claimant, lease_s=use.limits.claim_lease_s
        )
        if item is not None:
            announce_hands(unit, item)
        claimed = [] if item is None else [_claimed(item, reviewer)]
        await use.trail.record(unit, *lapses(woken), *claimed)
    return item


async def see_next_item(
    reviewer: str, use: Ports, *, after: UUID | None, lead: bool = False
) -> ReviewItem | None:
    """What would be lent next, for a page that wants to have it ready."""
    claimant = await claimant_of(reviewer, use, lead=lead)
    async with use.ledger.unit() as unit:
        woken = await wake_items(unit, WOKEN_MAX, use)
        await use.trail.record(unit, *lapses(woken))
    return await use.queue.find_next_item(claimant, after=after)


async def claim_item(
    document_id: UUID, reviewer: str, use: Ports, *, lead: bool = False
) -> ReviewItem:
    """Claiming again what one holds makes the lease longer."""
    claimant = await claimant_of(reviewer, use, lead=lead)
    for _ in range(LOOKS_MAX):
        async with use.ledger.unit() as unit:
            found = await use.items.lock_items(unit, [document_id])
            item = await use.items.claim_item(
                unit,
                document_id=document_id,
                claimant=claimant,
                lease_s=use.limits.claim_lease_s,
            )
            if item is not None:
                # A page that is loaded again claims again: that is no news to anybody else.
                announce_hands(unit, *(item for before in found if before.turn != item.turn))
                await use.trail.record(unit, _claimed(item, reviewer))
        if item is not None:
            return item
        check_takeable(await get_item(document_id, use), claimant)
        # Given back between our two looks at it: the next try gets it.
    raise Retryable("the item keeps changing hands", after_s=1)


async def extend_claim(document_id: UUID, reviewer: str, use: Ports) -> ReviewItem:
    """A page says that it is still open. Not in the audit log: it says so every minute."""
    async with use.ledger.unit() as unit:
        item = await use.queue.extend_claim(
            unit,
            document_id=document_id,
            reviewer=reviewer,
            lease_s=use.limits.claim_lease_s,
        )
    if item is None:
        item = await get_item(document_id, use)
        check_held(item, reviewer)
        # It held when we looked: the lease ended and began again in between.
        raise LeaseLost(item)
    return item


async def release_item(document_id: UUID, reviewer: str, use: Ports) -> ReviewItem:
    """Giving back twice is once; what another holds by now is not given back."""
    async with use.ledger.unit() as unit:
        item = await use.items.release_item(unit, document_id=document_id, reviewer=reviewer)
        if item is not None:
            announce_hands(unit, item)
            entry = Entry(reviewer, "item_released", resource_of(document_id))
            await use.trail.record(unit, entry)
    if item is None:
        item = await get_item(document_id, use)
        if item.status not in OPEN or item.claim_holds:
            check_held(item, reviewer)
    return item


async def wake_items(unit: Unit, limit: int, use: Ports) -> list[Woken]:
    """What time has freed is anybody's. Whose claim it ended is for the audit log, which comes
    last in the unit."""
    woken = await use.queue.wake_items(unit, limit)
    announce_hands(unit, *(one.item for one in woken if one.held_by is not None))
    return woken


async def check_theirs(
    document_id: UUID, reviewer: str, use: Ports, *, lead: bool = False
) -> None:
    """What is for somebody else is nobody's to decide: it was given to one reviewer, or passed
    to a level above. Whoever holds an item, and a lead, may."""
    item = await use.items.find_item(document_id)
    if item is None or item.status not in OPEN or lead:
        return
    if item.claim_holds and item.claimed_by == reviewer:
        return
    check_takeable(item, await claimant_of(reviewer, use))


async def get_item(document_id: UUID, use: Ports) -> ReviewItem:
    item = await use.items.find_item(document_id)
    if item is None:
        raise NoSuchItem(str(document_id))
    return item


async def claimant_of(name: str, use: Ports, *, lead: bool = False) -> Claimant:
    """In a commit of its own: whoever opens items holds them while he waits for reviewers, so
    nobody may hold a reviewer while he waits for an item."""
    async with use.ledger.apart() as unit:
        reviewer = await use.reviewers.touch_reviewer(unit, name)
    rule = use.plan.review.four_eyes
    two_from = rule.amount_min if rule.enabled else None
    return Claimant(name, LEVEL_MAX if lead else reviewer.level, lead, two_from)


def lapses(woken: Sequence[Woken]) -> list[Entry]:
    """Whose claims have ended by themselves."""
    return [
        Entry(
            SYSTEM,
            "claim_lapsed",
            resource_of(one.item.document_id),
            before={"claimed_by": one.held_by},
        )
        for one in woken
        if one.held_by is not None
    ]


def _claimed(item: ReviewItem, reviewer: str) -> Entry:
    until = item.claimed_until.isoformat() if item.claimed_until else None
    return Entry(
        reviewer, "item_claimed", resource_of(item.document_id), after={"claimed_until": until}
    )

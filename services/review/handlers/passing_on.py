"""Put an item into other hands: a lead's, a colleague's, a higher level's, or tomorrow's.

Each of them ends a claim, so each is in the audit log with whom it was taken from and why.
"""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from services.review.domain.claims import (
    POSTPONED_MAX,
    NotInTheFuture,
    Postponement,
    TooFarAhead,
    check_assignable,
    check_disposable,
)
from services.review.domain.items import (
    OPEN,
    AlreadyDecided,
    NoSuchItem,
    ReviewItem,
    resource_of,
)
from services.review.handlers.announcing import announce_hands
from services.review.handlers.claiming import claimant_of
from services.review.ports import Ports
from shared.audit.chain import Entry
from shared.ledger.port import Unit


async def take_over_item(document_id: UUID, lead: str, reason: str, use: Ports) -> ReviewItem:
    """From whoever holds it, to the lead."""
    async with use.ledger.unit() as unit:
        before = await _open_item(unit, document_id, use)
        item = _done(
            await use.queue.take_over_item(
                unit, document_id=document_id, reviewer=lead, lease_s=use.limits.claim_lease_s
            ),
            before,
        )
        _tell_hands(unit, before, item)
        await use.trail.record(
            unit, _entry(lead, "item_taken_over", before, {"claimed_by": lead}, reason)
        )
    return item


async def assign_item(
    document_id: UUID, reviewer: str | None, lead: str, use: Ports
) -> ReviewItem:
    """To one reviewer, or with None to whoever asks next. To oneself, whatever one's level: who
    may assign may take any."""
    async with use.ledger.unit() as unit:
        before = await _open_item(unit, document_id, use)
        if reviewer not in (None, lead):
            check_assignable(before, await use.reviewers.find_reviewer(unit, reviewer))
        item = _done(
            await use.queue.assign_item(unit, document_id=document_id, reviewer=reviewer),
            before,
        )
        _tell_hands(unit, before, item)
        await use.trail.record(
            unit, _entry(lead, "item_assigned", before, {"assigned_to": reviewer})
        )
    return item


async def postpone_item(
    document_id: UUID,
    until: datetime,
    reason: str,
    reviewer: str,
    use: Ports,
    *,
    lead: bool = False,
) -> ReviewItem:
    """Nobody is given it before."""
    # As a difference: a time at either end of all days cannot be moved to another zone.
    ahead = until - use.clock.now()
    if ahead > POSTPONED_MAX:
        raise TooFarAhead(until.isoformat())
    if ahead < -POSTPONED_MAX:
        raise NotInTheFuture(until.isoformat())
    claimant = await claimant_of(reviewer, use, lead=lead)
    async with use.ledger.unit() as unit:
        before = await _open_item(unit, document_id, use)
        check_disposable(before, claimant)
        item = await use.queue.postpone_item(
            unit, Postponement(document_id, until, reason), reviewer
        )
        if item is None:
            raise NotInTheFuture(until.isoformat())
        _tell_hands(unit, before, item)
        told = {"postponed_until": until.isoformat()}
        await use.trail.record(unit, _entry(reviewer, "item_postponed", before, told, reason))
    return item


async def escalate_item(
    document_id: UUID,
    level: int,
    reason: str,
    reviewer: str,
    use: Ports,
    *,
    lead: bool = False,
) -> ReviewItem:
    """To those of a level; down again as well."""
    claimant = await claimant_of(reviewer, use, lead=lead)
    async with use.ledger.unit() as unit:
        before = await _open_item(unit, document_id, use)
        check_disposable(before, claimant)
        item = _done(
            await use.queue.escalate_item(
                unit, document_id=document_id, reviewer=reviewer, level=level
            ),
            before,
        )
        _tell_hands(unit, before, item)
        await use.trail.record(
            unit, _entry(reviewer, "item_escalated", before, {"level": level}, reason)
        )
    return item


async def _open_item(unit: Unit, document_id: UUID, use: Ports) -> ReviewItem:
    """As it stays until the commit."""
    found = await use.items.lock_items(unit, [document_id])
    if not found:
        raise NoSuchItem(str(document_id))
    if found[0].status not in OPEN:
        raise AlreadyDecided(found[0])
    return found[0]


def _tell_hands(unit: Unit, before: ReviewItem, item: ReviewItem) -> None:
    if item.turn != before.turn:
        announce_hands(unit, item)


def _done(item: ReviewItem | None, before: ReviewItem) -> ReviewItem:
    if item is None:
        raise AlreadyDecided(before)
    return item


def _entry(
    actor: str,
    action: str,
    before: ReviewItem,
    after: Mapping[str, str | int | None],
    reason: str = "",
) -> Entry:
    was = {
        "claimed_by": before.claimed_by if before.claim_holds else None,
        "assigned_to": before.assigned_to,
        "level": before.level,
    }
    return Entry(
        actor, action, resource_of(before.document_id), before=was, after=after, reason=reason
    )

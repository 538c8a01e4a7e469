"""Approve what needs nobody, as `system`, by the same way as a person does.

Whether it needs somebody was settled and kept when the item was opened, so a crash between the
two loses nothing: whoever looks next finds it. A person who does anything to it first decides
it.
"""

import logging

from services.review.domain.claims import SYSTEM
from services.review.domain.decisions import Approval, Blocked
from services.review.domain.four_eyes import NeedsAnother
from services.review.domain.items import NotAllowed, ReviewItem, resource_of
from services.review.handlers.deciding import (
    count_decision,
    prepare_approval,
    record_decision,
)
from services.review.handlers.drafts import drop_draft
from services.review.ports import Ports
from shared.audit.chain import Entry
from shared.errors import Rejected, Retryable
from shared.observability.metrics import STRAIGHT_THROUGH

log = logging.getLogger(__name__)

BATCH = 100


async def approve_automatic(use: Ports) -> int:
    """How many it was done with; with a whole batch, there are more."""
    if not use.plan.review.straight_through.enabled:
        return 0
    waiting = await use.insight.list_automatic(BATCH)
    return sum([await _is_done_with(item, use) for item in waiting])


async def _is_done_with(item: ReviewItem, use: Ports) -> bool:
    try:
        await _approve(item, use)
    except (Blocked, NeedsAnother, Rejected) as error:
        await _hand_over(item, str(error), use)
    except NotAllowed as error:
        # Somebody was faster.
        log.info("not_approved_straight_through", extra={"reason": str(error)})
    except Retryable as error:
        if error.dependency is not None:
            raise
        # It alone waits, or what cannot be read would hold up all that came after it.
        told = {"document_id": str(item.document_id), "reason": str(error)}
        log.warning("straight_through_waits", extra=told)
        return False
    return True


async def _approve(item: ReviewItem, use: Ports) -> None:
    decision = await prepare_approval(
        item, Approval(item.document_id, SYSTEM, item.version, lead=True), use
    )
    async with use.ledger.unit() as unit:
        # Asked again: a claim, or a word to wait, does not raise the version.
        found = await use.items.lock_items(unit, [item.document_id])
        is_ours = any(one.automatic for one in found)
        decided = await record_decision(unit, decision, use) if is_ours else None
        if decided is not None:
            await use.trail.record(unit, _reasons(item, use))
    if decided is None:
        await drop_draft(decision.reviewed_key, use)
        return
    count_decision(decision)
    STRAIGHT_THROUGH.labels("approved").inc()


async def _hand_over(item: ReviewItem, why: str, use: Ports) -> None:
    async with use.ledger.unit() as unit:
        is_handed = await use.insight.hand_to_people(unit, item)
        if is_handed:
            entry = Entry(
                SYSTEM, "item_needs_a_person", resource_of(item.document_id), reason=why
            )
            await use.trail.record(unit, entry)
    if is_handed:
        STRAIGHT_THROUGH.labels("blocked").inc()


def _reasons(item: ReviewItem, use: Ports) -> Entry:
    """Why nobody was asked, in the words of the configuration that was in force."""
    wanted = use.plan.review.straight_through
    return Entry(
        SYSTEM,
        "item_passed_straight_through",
        resource_of(item.document_id),
        after={
            "least_sure": dict(item.ranked_on),
            "confidence_min": wanted.confidence_min,
            "fields": dict(wanted.fields),
            "sample": wanted.sample,
            "stood_against_it": [],
        },
        reason="every field that counts was sure enough, and nothing blocked it",
    )

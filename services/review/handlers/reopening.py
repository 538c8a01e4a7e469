"""Take a decision back: an own one within seconds, any other with a right and a reason.

What had been approved stays the document's result until the next decision; storage hears of
nothing before. Everybody else is told that the item waits again.
"""

from services.review.domain.decisions import (
    Reopening,
    check_reopenable,
    is_reopened_by,
)
from services.review.domain.items import ReviewItem, resource_of
from services.review.handlers.announcing import announce_reopened
from services.review.handlers.claiming import LOOKS_MAX, get_item
from services.review.ports import Ports
from shared.audit.chain import Entry
from shared.contracts.orders import Verdict
from shared.errors import Retryable
from shared.failpoints import failpoint
from shared.observability.metrics import REVIEW_ACTIONS


async def reopen_item(asked: Reopening, use: Ports) -> ReviewItem:
    for _ in range(LOOKS_MAX):
        # Asked before the item is: what was undone between the two looks is seen as such.
        context = await use.decisions.find_context(
            asked.document_id, actor=asked.actor, undo_s=use.limits.undo_s
        )
        before = await get_item(asked.document_id, use)
        if is_reopened_by(before, asked):
            return before
        check_reopenable(before, context, asked)
        item = await _reopen(before, asked, use)
        if item is not None:
            REVIEW_ACTIONS.labels("undo" if asked.undo else "reopen").inc()
            return item
        # It changed between our look and our commit: look again.
    raise Retryable("the item keeps changing", after_s=1)


async def _reopen(before: ReviewItem, asked: Reopening, use: Ports) -> ReviewItem | None:
    await failpoint("review.before_commit")
    async with use.ledger.unit() as unit:
        item = await use.decisions.reopen_item(
            unit, asked, undo_s=use.limits.undo_s, lease_s=use.limits.claim_lease_s
        )
        if item is not None:
            announce_reopened(unit, item, asked, _verdict(before))
            await failpoint("review.in_commit")
            await use.trail.record(unit, _entry(before, item, asked))
    await failpoint("review.after_commit")
    return item


def _verdict(item: ReviewItem) -> Verdict:
    verdicts: tuple[Verdict, ...] = ("approved", "corrected", "rejected")
    return next(one for one in verdicts if one == item.status.value)


def _entry(before: ReviewItem, item: ReviewItem, asked: Reopening) -> Entry:
    return Entry(
        actor=asked.actor,
        action="item_undone" if asked.undo else "item_reopened",
        resource=resource_of(item.document_id),
        before={
            "status": before.status.value,
            "version": before.version,
            "revision": before.revision,
            "reviewed_key": before.reviewed_key,
            "decided_by": before.decided_by,
            "decided_at": before.decided_at.isoformat() if before.decided_at else None,
            "reason_code": before.reason_code,
            "reason": before.reason,
            "duplicate_of": str(before.duplicate_of) if before.duplicate_of else None,
        },
        after={"status": item.status.value, "version": item.version},
        reason=asked.reason,
    )

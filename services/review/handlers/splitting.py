"""Split a file that holds several invoices: a rejection of the file, and an order to cut it.

The parts get their ids here, from the item's version, so the item shows its children at once
and a second click names the same ones. Ingest makes them, and each gets an item of its own.
Where it cannot, the file is an item again, and says why.
"""

import logging
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from services.review.domain.claims import SYSTEM
from services.review.domain.decisions import SPLIT, AlreadySplit, is_settled_as, parts_of
from services.review.domain.items import Decision, ReviewItem, check_decidable, resource_of
from services.review.handlers.announcing import announce_split_failed
from services.review.handlers.claiming import get_item
from services.review.handlers.deciding import decide
from services.review.handlers.opening import read_extraction
from services.review.ports import Ports
from shared.audit.chain import Entry
from shared.bus.jobs import Job
from shared.contracts.facts import DocumentSplitFailedV1
from shared.errors import Withdrawn
from shared.failpoints import failpoint
from shared.observability.metrics import REVIEW_ACTIONS

log = logging.getLogger(__name__)


async def split_item(
    decision: Decision, pages: Sequence[Sequence[int]], use: Ports
) -> ReviewItem:
    """`pages` of each part, as a person counts them: from one."""
    item = await get_item(decision.document_id, use)
    if is_settled_as(item, decision):
        return await _split_so(item, pages, use)
    check_decidable(item, decision)
    context = await use.decisions.find_context(
        item.document_id, actor=decision.reviewer, undo_s=use.limits.undo_s
    )
    if context.children:
        raise AlreadySplit(item)
    extraction = await read_extraction(item.extraction_key, use)
    parts = parts_of(item.document_id, decision.version, pages, extraction)
    # Whose it became was perhaps the same person's other click.
    return await _split_so(await decide(replace(decision, parts=parts), use), pages, use)


async def _split_so(item: ReviewItem, pages: Sequence[Sequence[int]], use: Ports) -> ReviewItem:
    """What was said first holds: other parts are another decision."""
    context = await use.decisions.find_context(item.document_id, actor="", undo_s=0)
    if not context.is_split_into(pages):
        raise AlreadySplit(item)
    return item


def split_of(
    document_id: UUID, version: int, reviewer: str, reason: str, *, lead: bool = False
) -> Decision:
    """Its parts are named once the file has been looked at."""
    return Decision(
        document_id, version, reviewer, "rejected", reason_code=SPLIT, reason=reason, lead=lead
    )


async def take_split_back(job: Job[DocumentSplitFailedV1], use: Ports) -> None:
    """Open again, unless it was read anew meanwhile, and is open anyhow."""
    told = job.body
    why = f"{told.reason}: {told.detail}" if told.detail else told.reason
    async with use.ledger.handling(job) as unit:
        found = await use.items.lock_items(unit, [told.document_id])
        if not found or not await use.decisions.drop_parts(unit, told.document_id, told.parts):
            # Deleted since, or these are its parts no more.
            raise Withdrawn
        item = await use.decisions.reopen_split(unit, told.document_id, why)
        if item is not None:
            announce_split_failed(unit, item, cause=job)
        await failpoint("review.in_commit")
        await use.trail.record(unit, _entry(found[0], item, told, why))
    REVIEW_ACTIONS.labels("split_failed").inc()
    log.warning("split_taken_back", extra={"reason": why})


def _entry(
    before: ReviewItem, after: ReviewItem | None, told: DocumentSplitFailedV1, why: str
) -> Entry:
    return Entry(
        actor=SYSTEM,
        action="item_split_failed",
        resource=resource_of(before.document_id),
        before={
            "status": before.status.value,
            "version": before.version,
            "decided_by": before.decided_by,
            "reason": before.reason,
            "parts": [str(one) for one in told.parts],
        },
        after={
            "status": (after or before).status.value,
            "version": (after or before).version,
        },
        reason=why,
    )

"""Split a file that holds several invoices: a rejection of the file, and an order to cut it.

The parts get their ids here, from the item's version, so the item shows its children at once
and a second click names the same ones. Ingest makes them, and each gets an item of its own.
"""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from services.review.domain.decisions import SPLIT, AlreadySplit, is_settled_as, parts_of
from services.review.domain.items import Decision, ReviewItem, check_decidable
from services.review.handlers.claiming import get_item
from services.review.handlers.deciding import decide
from services.review.handlers.opening import read_extraction
from services.review.ports import Ports


async def split_item(
    decision: Decision, pages: Sequence[Sequence[int]], use: Ports
) -> ReviewItem:
    """`pages` of each part, as a person counts them: from one."""
    item = await get_item(decision.document_id, use)
    if is_settled_as(item, decision):
        return item
    check_decidable(item, decision)
    context = await use.decisions.find_context(
        item.document_id, actor=decision.reviewer, undo_s=use.limits.undo_s
    )
    if context.children:
        raise AlreadySplit(item)
    extraction = await read_extraction(item.extraction_key, use)
    parts = parts_of(item.document_id, decision.version, pages, extraction)
    return await decide(replace(decision, parts=parts), use)


def split_of(document_id: UUID, version: int, reviewer: str, reason: str) -> Decision:
    """Its parts are named once the file has been looked at."""
    return Decision(
        document_id, version, reviewer, "rejected", reason_code=SPLIT, reason=reason
    )

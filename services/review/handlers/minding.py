"""What time does to the queue: claims end, what was put off comes back, what is due is late.

One process at a time does it; the others find the turn taken and leave it. That something is
overdue is told once, in the commit that notes it. Ranks depend on no time but on the
configuration, and comparing them reads all that is open: that has a turn and a pace of its own.
"""

import logging

from services.review.domain.items import ReviewItem
from services.review.handlers.claiming import lapses, wake_items
from services.review.ports import Ports
from shared.contracts.facts import ReviewOverdueV1
from shared.observability.metrics import REVIEW_OVERDUE_TOLD

log = logging.getLogger(__name__)

BATCH = 500
TURN = "minding"
RANKING_TURN = "ranking"


async def mind_queue(use: Ports) -> int:
    """How many there was something to do with; with a whole batch, there are more."""
    async with use.ledger.unit() as unit:
        if not await use.queue.try_turn(unit, TURN):
            return 0
        woken = await wake_items(unit, BATCH, use)
        overdue = await use.queue.flag_overdue(unit, BATCH)
        for item in overdue:
            unit.send(_overdue(item))
        await use.trail.record(unit, *lapses(woken))
    if overdue:
        REVIEW_OVERDUE_TOLD.inc(len(overdue))
        log.warning("items_overdue", extra={"count": len(overdue)})
    return max(len(woken), len(overdue))


async def rank_anew(use: Ports) -> int:
    """How many stood under another plan; with a whole batch, there are more."""
    async with use.ledger.unit() as unit:
        if not await use.queue.try_turn(unit, RANKING_TURN):
            return 0
        reranked = await use.queue.rerank_items(unit, use.plan, BATCH)
    if reranked:
        log.info("items_ranked_anew", extra={"count": reranked})
    return reranked


def _overdue(item: ReviewItem) -> ReviewOverdueV1:
    return ReviewOverdueV1(
        document_id=item.document_id,
        owner_id=item.owner_id,
        accepted_at=item.accepted_at,
        priority=item.priority,
        due_at=item.due_at,
        result_version=item.result_version,
    )

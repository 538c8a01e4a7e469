"""Give a document back to be read anew, by an order to ingest.

The item waits for its reading in nobody's hands; what people have locked stays theirs when it
comes. Should it never come, the item is handed out again after a while, as it was.
"""

from services.review.domain.decisions import NoSuchEngine, Reextraction, waits_for
from services.review.domain.items import Decision, ReviewItem, check_decidable, resource_of
from services.review.handlers.announcing import announce_hands, document_of, opening_of
from services.review.handlers.claiming import LOOKS_MAX, check_theirs, get_item
from services.review.ports import Ports
from shared.audit.chain import Entry
from shared.contracts.orders import ReextractDocumentV1
from shared.errors import Retryable
from shared.failpoints import failpoint
from shared.observability.metrics import REVIEW_ACTIONS


async def ask_for_reading(asked: Reextraction, use: Ports) -> ReviewItem:
    if asked.engine is not None and asked.engine not in use.engines:
        raise NoSuchEngine(use.engines)
    # Whoever may decide on it may give it back instead.
    seen = Decision(asked.document_id, asked.version, asked.actor, "rejected")
    for _ in range(LOOKS_MAX):
        before = await get_item(asked.document_id, use)
        if waits_for(before, asked):
            return before
        check_decidable(before, seen)
        await check_theirs(before.document_id, asked.actor, use, lead=asked.lead)
        item = await _ask(before, asked, use)
        if item is not None:
            REVIEW_ACTIONS.labels("reextract").inc()
            return item
        # It changed between our look and our commit: look again.
    raise Retryable("the item keeps changing", after_s=1)


async def _ask(before: ReviewItem, asked: Reextraction, use: Ports) -> ReviewItem | None:
    await failpoint("review.before_commit")
    async with use.ledger.unit() as unit:
        item = await use.decisions.ask_again(unit, asked, wait_s=use.limits.reextract_wait_s)
        if item is not None:
            order = ReextractDocumentV1(
                **document_of(item),
                result_version=item.result_version,
                reviewer=asked.actor,
                reason=asked.reason,
                engine=asked.engine,
            )
            unit.send(order, cause=opening_of(item))
            if item.turn != before.turn:
                announce_hands(unit, item)
            await failpoint("review.in_commit")
            await use.trail.record(unit, _entry(before, item, asked))
    await failpoint("review.after_commit")
    return item


def _entry(before: ReviewItem, item: ReviewItem, asked: Reextraction) -> Entry:
    return Entry(
        actor=asked.actor,
        action="item_given_back",
        resource=resource_of(item.document_id),
        before={"status": before.status.value, "version": before.version},
        after={
            "version": item.version,
            "result_version": item.result_version,
            "engine": asked.engine,
        },
        reason=asked.reason,
    )

"""Decisions of several people at once on a real PostgreSQL: one counts, the others are told."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from typing import Any
from uuid import UUID

import pytest

from services.review.domain.decisions import Reopening
from services.review.domain.items import (
    AlreadyDecided,
    ClaimedByAnother,
    Decision,
    ItemStatus,
    NotAllowed,
    ReviewItem,
    StaleVersion,
)
from services.review.handlers.claiming import claim_item, get_item, release_item
from services.review.handlers.deciding import approve_item, mark_duplicate, reject_item
from services.review.handlers.opening import open_items
from services.review.handlers.reopening import reopen_item
from shared.audit.log import Filter, page, verify
from shared.bus.jobs import Job
from shared.contracts.orders import OpenReviewV1
from tests import builders
from tests.broker.review_world import Review, review_service

Deed = Coroutine[Any, Any, ReviewItem]


@pytest.fixture
async def review(database_url: str) -> AsyncIterator[Review]:
    async with review_service(database_url) as review:
        yield review


async def actions(review: Review, item: ReviewItem) -> list[str]:
    """Of the record, oldest first."""
    lines = await page(review.schema.pool, Filter(resource=f"review-item/{item.document_id}"))
    return [line.entry().action for line in reversed(lines)]


async def sent(review: Review) -> list[str]:
    return [kind for _, kind in await review.schema.outbox()]


def rejection(item: ReviewItem, who: str) -> Decision:
    return Decision(item.document_id, item.version, who, "rejected", None, "other", "No.")


def read_anew(review: Review, item: ReviewItem, version: int) -> Job[OpenReviewV1]:
    order = review.order(item.document_id).body
    return builders.job(order.model_copy(update={"result_version": version}), run=1)


async def test_fifty_people_decide_one_item_and_one_of_them_did(review: Review) -> None:
    item, original = await review.opened(), await review.opened()
    await review.forget_outbox()
    document_id, version, use = item.document_id, item.version, review.use

    def deed(number: int) -> Deed:
        who = f"reviewer-{number}"
        match number % 3:
            case 0:
                return approve_item(document_id, who, version, use)
            case 1:
                return reject_item(rejection(item, who), use)
            case _:
                named = Decision(
                    document_id,
                    version,
                    who,
                    "rejected",
                    reason_code="duplicate",
                    duplicate_of=original.document_id,
                )
                return mark_duplicate(named, use)

    done = await asyncio.gather(*map(deed, range(50)), return_exceptions=True)

    winners = [one for one in done if isinstance(one, ReviewItem)]
    assert len(winners) == 1
    assert {type(one) for one in done} <= {ReviewItem, AlreadyDecided, StaleVersion}
    assert (await sent(review)).count("review.decided") == 1
    assert len(await actions(review, item)) == 1
    assert (await get_item(document_id, use)).decided_by == winners[0].decided_by
    assert await verify(review.schema.pool) is None


async def test_a_button_that_is_hit_ten_times_decides_once(review: Review) -> None:
    item = await review.opened()
    await review.forget_outbox()

    done = await asyncio.gather(
        *(approve_item(item.document_id, "anna", item.version, review.use) for _ in range(10))
    )

    assert {one.version for one in done} == {item.version + 1}
    assert sorted(await sent(review)) == ["document.finalise", "review.decided"]
    assert await actions(review, item) == ["item_approved"]


async def test_ten_undo_at_once_and_it_is_undone_once(review: Review) -> None:
    item = await review.opened()
    approved = await approve_item(item.document_id, "anna", item.version, review.use)
    await review.forget_outbox()
    asked = Reopening(item.document_id, "anna", approved.version, "undone", undo=True)

    done = await asyncio.gather(*(reopen_item(asked, review.use) for _ in range(10)))

    assert {(one.version, one.claimed_by) for one in done} == {(approved.version + 1, "anna")}
    assert await sent(review) == ["review.reopened"]


async def test_whoever_lost_the_lease_decides_nothing_while_another_holds_it(
    review: Review,
) -> None:
    item = await review.opened()
    await claim_item(item.document_id, "anna", review.use)
    await review.lapse(item.document_id)
    await claim_item(item.document_id, "boris", review.use)
    await review.forget_outbox()

    for deed in (
        approve_item(item.document_id, "anna", item.version, review.use),
        reject_item(rejection(item, "anna"), review.use),
    ):
        with pytest.raises(ClaimedByAnother, match="boris is reviewing"):
            await deed
    assert (await sent(review), (await actions(review, item))[2:]) == ([], [])

    await release_item(item.document_id, "boris", review.use)
    decided = await approve_item(item.document_id, "anna", item.version, review.use)
    assert decided.decided_by == "anna"


@pytest.mark.parametrize("person_first", [True, False])
async def test_a_decision_and_a_new_reading_in_either_order(
    review: Review, person_first: bool
) -> None:
    item = await review.opened()
    person: Callable[[], Awaitable[object]] = lambda: approve_item(  # noqa: E731
        item.document_id, "anna", item.version, review.use
    )
    machine: Callable[[], Awaitable[object]] = lambda: open_items(  # noqa: E731
        [read_anew(review, item, 2)], review.use
    )

    if person_first:
        await person()
        await machine()
    else:
        await machine()
        with pytest.raises(StaleVersion):
            await person()

    now = await get_item(item.document_id, review.use)
    assert (now.status, now.result_version) == (ItemStatus.PENDING, 2)
    assert ("item_approved" in await actions(review, item)) is person_first


async def test_decisions_while_new_readings_arrive_are_whole_or_refused(
    review: Review,
) -> None:
    items = [await review.opened() for _ in range(20)]
    await review.forget_outbox()

    async def decide(item: ReviewItem) -> bool:
        try:
            await approve_item(item.document_id, "anna", item.version, review.use)
        except NotAllowed:
            return False
        return True

    decided, _ = await asyncio.gather(
        asyncio.gather(*map(decide, items)),
        asyncio.gather(*(open_items([read_anew(review, one, 2)], review.use) for one in items)),
    )

    told = await sent(review)
    assert told.count("document.finalise") == told.count("review.decided") == sum(decided)
    for item, done in zip(items, decided, strict=True):
        now = await get_item(item.document_id, review.use)
        # Whatever the order, what is shown in the end is the new reading, undecided.
        assert (now.status, now.result_version) == (ItemStatus.PENDING, 2)
        assert ("item_approved" in await actions(review, item)) is done
    assert await verify(review.schema.pool) is None


async def test_a_reopened_item_gets_a_revision_for_each_decision(review: Review) -> None:
    item = await review.opened()
    document_id: UUID = item.document_id
    for expected in (1, 2, 3):
        now = await get_item(document_id, review.use)
        done = await approve_item(document_id, "anna", now.version, review.use)
        assert done.revision == expected
        await reopen_item(Reopening(document_id, "lena", done.version, "Again."), review.use)

    rows = await review.schema.owner.fetch(
        "SELECT convert_from(body, 'UTF8')::json -> 'body' ->> 'review_revision' AS revision"
        " FROM outbox WHERE type = 'document.finalise' ORDER BY id"
    )
    assert [row["revision"] for row in rows] == ["1", "2", "3"]

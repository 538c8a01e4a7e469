"""Items of documents that are read anew, on a real PostgreSQL, beside people who decide."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from uuid import UUID

import pytest

from services.review.domain.items import ItemStatus, NotAllowed
from services.review.handlers.claiming import claim_item, get_item
from services.review.handlers.deciding import approve_item
from services.review.handlers.opening import open_items
from shared.audit.log import verify
from shared.bus.jobs import Job
from shared.contracts.orders import OpenReviewV1
from tests import builders
from tests.broker.review_world import Review, review_service


@pytest.fixture
async def review(database_url: str) -> AsyncIterator[Review]:
    async with review_service(database_url) as review:
        yield review


def read_anew(review: Review, document_id: UUID, version: int = 2) -> Job[OpenReviewV1]:
    order = review.order(document_id, fields={"total": builders.read_as(f"{version}.00")})
    return builders.job(order.body.model_copy(update={"result_version": version}), run=1)


async def test_a_decided_item_is_open_again_with_the_new_values(review: Review) -> None:
    item = await review.opened()
    approved = await approve_item(item.document_id, "anna", 1, review.use)

    await open_items([read_anew(review, item.document_id, 3)], review.use)

    shown = await get_item(item.document_id, review.use)
    assert (shown.status, shown.decided_by, shown.decided_at) == (
        ItemStatus.PENDING,
        None,
        None,
    )
    assert (shown.result_version, shown.version, shown.revision) == (3, 3, 0)
    assert shown.reviewed_key == approved.reviewed_key
    assert [one.value for one in await review.items.list_fields(item.document_id)] == ["3.00"]
    assert await verify(review.schema.pool) is None
    # The new reading found next to nothing of what an approval needs.
    await approve_item(item.document_id, "berta", 3, review.use, override="It is known.")
    assert (await get_item(item.document_id, review.use)).revision == 1


async def test_time_that_is_given_again_ends_while_there_are_calendars(review: Review) -> None:
    item = await review.opened()
    await approve_item(item.document_id, "anna", 1, review.use)
    order = read_anew(review, item.document_id)
    last = order.body.model_copy(update={"due_at": datetime(9999, 12, 31, tzinfo=UTC)})

    await open_items([builders.job(last, run=1)], review.use)

    assert (await get_item(item.document_id, review.use)).due_at.year == 9000


async def test_a_claim_outlives_a_reading(review: Review) -> None:
    item = await review.opened()
    await claim_item(item.document_id, "anna", review.use)

    await open_items([read_anew(review, item.document_id)], review.use)

    shown = await get_item(item.document_id, review.use)
    assert (shown.status, shown.claimed_by, shown.version) == (
        ItemStatus.IN_REVIEW,
        "anna",
        2,
    )
    assert shown.opened_at == item.opened_at


async def test_a_decision_that_races_a_reading_is_refused_or_on_record(review: Review) -> None:
    items = [await review.opened() for _ in range(15)]

    outcomes = await asyncio.gather(
        *(approve_item(one.document_id, "anna", 1, review.use) for one in items),
        *(open_items([read_anew(review, one.document_id)], review.use) for one in items),
        return_exceptions=True,
    )

    decided = sum(not isinstance(one, BaseException) for one in outcomes[:15])
    refused = [one for one in outcomes[:15] if isinstance(one, BaseException)]
    assert all(isinstance(one, NotAllowed) for one in refused)
    assert outcomes[15:] == [None] * 15
    for item in items:
        shown = await get_item(item.document_id, review.use)
        assert (shown.status, shown.result_version) == (ItemStatus.PENDING, 2)
    entries = await review.schema.owner.fetch("SELECT entry::jsonb AS entry FROM audit_log")
    reread = [one["entry"] for one in entries if "item_reread" in str(one["entry"])]
    assert len(reread) == 15
    assert sum("approved" in str(one) for one in reread) == decided
    assert await verify(review.schema.pool) is None

"""The review service on a real PostgreSQL: what many people do at once has one effect."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import suppress
from uuid import UUID, uuid4

import asyncpg
import pytest

from services.review.domain.items import (
    AlreadyDecided,
    ClaimedByAnother,
    Decision,
    ItemStatus,
    Place,
    StaleVersion,
    resource_of,
)
from services.review.domain.listing import Wanted
from services.review.handlers.claiming import (
    claim_item,
    claim_next_item,
    get_item,
    release_item,
)
from services.review.handlers.deciding import approve_item, reject_item
from services.review.handlers.opening import open_items
from services.review.handlers.withdrawing import withdraw_items
from shared.audit.log import verify
from shared.bus.jobs import Job
from shared.contracts.body import Priority
from shared.contracts.extraction import ExtractionV1
from shared.contracts.orders import OpenReviewV1
from shared.errors import Withdrawn
from tests import builders
from tests.broker.review_world import Review, review_service


@pytest.fixture
async def review(database_url: str) -> AsyncIterator[Review]:
    async with review_service(database_url) as review:
        yield review


async def test_a_batch_opens_its_items_with_values_facts_and_marks(review: Review) -> None:
    orders = [review.order() for _ in range(20)]

    await open_items(orders, review.use)

    item = await get_item(orders[3].body.document_id, review.use)
    assert (item.status, item.version, item.job_id) == (
        ItemStatus.PENDING,
        1,
        orders[3].job_id,
    )
    fields = await review.items.list_fields(item.document_id)
    assert [field.path for field in fields][-2:] == ["total", "currency"]
    assert await review.schema.outbox() == [("review.opened", "review.opened")] * 20


async def test_one_document_ordered_by_many_at_once_has_one_item(review: Review) -> None:
    document_id = uuid4()
    orders = [review.order(document_id) for _ in range(20)]

    async with asyncio.TaskGroup() as group:
        for order in orders:
            group.create_task(open_items([order, review.order()], review.use))

    same = await review.schema.owner.fetchval(
        "SELECT count(*) FROM review_items WHERE document_id = $1", document_id
    )
    assert same == 1
    assert len(await review.schema.outbox()) == 21


async def test_250_claims_at_once_lend_200_items_once_each(review: Review) -> None:
    for _ in range(4):
        await open_items([review.order() for _ in range(50)], review.use)

    lent = await asyncio.gather(
        *(claim_next_item(f"reviewer-{one}", review.use) for one in range(250))
    )

    items = Counter(item.document_id for item in lent if item)
    assert len(items) == 200
    assert set(items.values()) == {1}
    assert lent.count(None) == 50
    assert await verify(review.schema.pool) is None


async def test_the_most_urgent_is_lent_first_and_a_lapsed_claim_again(review: Review) -> None:
    old = await review.opened()
    urgent = await review.opened(Priority.URGENT)

    first = await claim_next_item("anna", review.use)
    second = await claim_next_item("anna", review.use)
    await review.lapse(old.document_id)
    third = await claim_next_item("boris", review.use)

    assert [item.document_id if item else None for item in (first, second, third)] == [
        urgent.document_id,
        old.document_id,
        old.document_id,
    ]
    assert third is not None
    assert third.claimed_by == "boris"


async def test_a_named_claim_is_exclusive_renewable_and_given_back(review: Review) -> None:
    item = await review.opened()

    first = await claim_item(item.document_id, "anna", review.use)
    again = await claim_item(item.document_id, "anna", review.use)
    with pytest.raises(ClaimedByAnother):
        await claim_item(item.document_id, "boris", review.use)
    released = await release_item(item.document_id, "anna", review.use)

    assert first.claimed_until
    assert again.claimed_until
    assert first.claimed_until < again.claimed_until
    assert (released.status, released.claimed_by, released.version) == (
        ItemStatus.PENDING,
        None,
        1,
    )


async def test_many_clicks_on_approve_are_one_decision(review: Review) -> None:
    item = await review.opened()
    await review.forget_outbox()

    answers = await asyncio.gather(
        *(approve_item(item.document_id, "anna", 1, review.use) for _ in range(20))
    )

    assert {(one.status, one.version, one.revision) for one in answers} == {
        (ItemStatus.APPROVED, 2, 1)
    }
    assert await review.schema.outbox() == [
        ("storage.finalise", "document.finalise"),
        ("review.decided", "review.decided"),
    ]
    lines = await review.use.trail.list_entries(
        resource_of(item.document_id), actor=None, limit=10
    )
    assert [line.entry().action for line in lines] == ["item_approved"]


async def test_of_two_people_who_decide_at_once_one_is_told_about_the_other(
    review: Review,
) -> None:
    item = await review.opened()
    await review.forget_outbox()
    no = Decision(item.document_id, 1, "boris", "rejected", reason_code="other", reason="No.")

    answers = await asyncio.gather(
        approve_item(item.document_id, "anna", 1, review.use),
        reject_item(no, review.use),
        return_exceptions=True,
    )

    [refused] = [one for one in answers if isinstance(one, BaseException)]
    assert isinstance(refused, AlreadyDecided)
    types = [type_ for _, type_ in await review.schema.outbox()]
    assert types.count("review.decided") == 1


async def test_a_stale_version_and_a_foreign_claim_decide_nothing(review: Review) -> None:
    item = await review.opened()
    await claim_item(item.document_id, "anna", review.use)

    with pytest.raises(ClaimedByAnother):
        await approve_item(item.document_id, "boris", 1, review.use)
    with pytest.raises(StaleVersion):
        await approve_item(item.document_id, "anna", 9, review.use)
    await review.lapse(item.document_id)
    approved = await approve_item(item.document_id, "boris", 1, review.use)

    assert approved.decided_by == "boris"


async def test_the_reviewed_extraction_is_what_storage_is_pointed_at(review: Review) -> None:
    item = await review.opened()

    approved = await approve_item(item.document_id, "anna", 1, review.use)

    raw = await review.blobs.read(str(approved.reviewed_key))
    reviewed = ExtractionV1.model_validate_json(raw)
    assert {field.status for field in reviewed.fields.values()} == {"confirmed"}
    body = await review.schema.owner.fetchval(
        "SELECT body FROM outbox WHERE type = 'document.finalise'"
    )
    assert str(approved.reviewed_key).encode() in body


async def test_pages_list_every_item_once_also_while_new_ones_come(review: Review) -> None:
    known = {(await review.opened()).document_id for _ in range(7)}

    seen: list[UUID] = []
    after = None
    while page := await review.items.list_items(
        wanted=Wanted(ItemStatus.PENDING), after=after, limit=3
    ):
        seen += [item.document_id for item in page]
        after = Place(page[-1].opened_at, page[-1].document_id)
        if len(seen) == 3:
            known.add((await review.opened()).document_id)

    assert len(seen) == 8
    assert set(seen) == known
    everything = await review.items.list_items(wanted=Wanted(), after=None, limit=50)
    assert [item.document_id for item in everything] == seen


async def test_openings_and_withdrawals_that_race_leave_nothing_open(review: Review) -> None:
    orders = [review.order() for _ in range(30)]
    cancels = [
        builders.job(builders.cancelled(document_id=order.body.document_id)) for order in orders
    ]

    async def open_it(order: Job[OpenReviewV1]) -> None:
        with suppress(Withdrawn):
            await open_items([order], review.use)

    async with asyncio.TaskGroup() as group:
        for order in orders:
            group.create_task(open_it(order))
        for cancel in cancels:
            group.create_task(withdraw_items([cancel], review.use))

    left = await review.schema.owner.fetchval(
        "SELECT count(*) FROM review_items WHERE status IN ('pending', 'in_review')"
    )
    assert left == 0


async def test_a_deletion_takes_item_and_values_and_keeps_the_note(review: Review) -> None:
    item = await review.opened()
    await approve_item(item.document_id, "anna", 1, review.use)
    fact = builders.job(builders.deleted(document_id=item.document_id))

    await withdraw_items([fact], review.use)
    await withdraw_items([fact], review.use)

    assert await review.items.find_item(item.document_id) is None
    assert await review.items.list_fields(item.document_id) == []
    with pytest.raises(Withdrawn):
        await open_items([review.order(item.document_id)], review.use)


async def test_the_queue_is_measured_by_what_is_open(review: Review) -> None:
    item = await review.opened()
    await review.opened()
    await approve_item(item.document_id, "anna", 1, review.use)

    measured = await review.use.insight.measure_queue()

    assert (measured.open_items, measured.overdue_items) == (1, 1)
    assert measured.oldest_age_s >= 0


async def test_the_service_itself_cannot_rewrite_its_audit_log(review: Review) -> None:
    await review.opened()

    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await review.schema.pool.execute("DELETE FROM audit_log")

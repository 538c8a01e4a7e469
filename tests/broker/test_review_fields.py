"""A person's values on a real PostgreSQL: one of two who save at once wins, and no machine gets
past a lock, not even with the service's own role."""

import asyncio
from collections.abc import AsyncIterator
from uuid import UUID

import asyncpg
import pytest

from services.review.domain.edits import Change, StaleForm
from services.review.domain.items import ItemField, ReviewItem
from services.review.handlers.claiming import claim_item, get_item
from services.review.handlers.correcting import Correction, correct_fields
from services.review.handlers.forming import look_at
from services.review.handlers.opening import open_items
from services.review.handlers.withdrawing import withdraw_items
from shared.contracts.extraction import ExtractedField
from tests import builders
from tests.broker.review_world import Review, review_service

REFUSED = asyncpg.IntegrityConstraintViolationError


@pytest.fixture
async def review(database_url: str) -> AsyncIterator[Review]:
    async with review_service(database_url) as review:
        yield review


async def held(review: Review, total: str = "119.00") -> ReviewItem:
    order = review.order(fields=_fields(total))
    await open_items([order], review.use)
    return await claim_item(order.body.document_id, "anna", review.use)


def _fields(total: str) -> dict[str, ExtractedField]:
    values = {
        "seller.name": "Harbour Works",
        "invoice_number": "R-1042",
        "issue_date": "2026-03-02",
        "currency": "EUR",
        "lines.0.net_amount": "60.00",
        "lines.1.net_amount": "40.00",
        "total": total,
    }
    return {path: builders.read_as(value, 0.97) for path, value in values.items()}


async def correct(review: Review, item: ReviewItem, *changes: Change) -> ReviewItem:
    asked = Correction(item.document_id, "anna", item.version, changes)
    return await correct_fields(asked, review.use)


async def field(review: Review, document_id: UUID, path: str) -> ItemField:
    fields = await review.items.list_fields(document_id)
    return next(one for one in fields if one.path == path)


def total(value: str) -> Change:
    return Change("set", "total", value)


async def test_of_twenty_who_save_one_version_one_wins_and_the_others_are_told(
    review: Review,
) -> None:
    item = await held(review)

    answers = await asyncio.gather(
        *(correct(review, item, total(f"{one}.00")) for one in range(200, 220)),
        return_exceptions=True,
    )

    [saved] = [one for one in answers if isinstance(one, ReviewItem)]
    late = [one for one in answers if isinstance(one, StaleForm)]
    assert (saved.version, len(late)) == (2, 19)
    won = (await field(review, item.document_id, "total")).value
    [difference] = {one.differences[0].theirs for one in late}
    assert difference == won
    assert late[0].differences[0].by == "anna"


async def test_two_who_change_different_fields_of_one_version_are_not_mixed(
    review: Review,
) -> None:
    item = await held(review)

    answers = await asyncio.gather(
        correct(review, item, total("1.00")),
        correct(review, item, Change("set", "currency", "USD")),
        return_exceptions=True,
    )

    assert sum(isinstance(one, StaleForm) for one in answers) == 1
    now = {one.path: one.value for one in await review.items.list_fields(item.document_id)}
    assert (now["total"] == "1.00") != (now["currency"] == "USD")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE extracted_fields SET value = '777.00' WHERE path = 'total'",
        "UPDATE extracted_fields SET locked_by = NULL WHERE path = 'total'",
        "UPDATE extracted_fields SET path = 'rounding' WHERE path = 'total'",
        "DELETE FROM extracted_fields WHERE path = 'total'",
        "UPDATE field_locks SET value = '777.00'",
        "DELETE FROM field_locks",
    ],
)
@pytest.mark.parametrize("role", ["service", "owner"])
async def test_the_database_itself_refuses_a_machine(
    review: Review, statement: str, role: str
) -> None:
    item = await correct(review, await held(review), total("120.00"))
    pool = review.schema.pool if role == "service" else review.schema.owner

    with pytest.raises(REFUSED, match=r"(held|locked) by anna"):
        await pool.execute(statement)

    assert (await field(review, item.document_id, "total")).value == "120.00"


async def test_a_row_of_its_own_gets_no_machine_past_a_lock(review: Review) -> None:
    await correct(review, await held(review), total("120.00"))
    copy = await held(review)
    await review.schema.owner.execute(
        "ALTER TABLE extracted_fields DISABLE TRIGGER a_locked_field_is_a_persons"
    )
    await review.schema.owner.execute(
        "DELETE FROM extracted_fields WHERE document_id = $1", copy.document_id
    )

    with pytest.raises(REFUSED, match="locked by anna"):
        await review.schema.pool.execute(
            "INSERT INTO extracted_fields (document_id, path, position, value, confidence,"
            " status) VALUES ($1, 'total', 0, '777.00', 1, 'extracted')",
            copy.document_id,
        )


async def test_the_word_of_one_person_ends_with_the_transaction(review: Review) -> None:
    item = await held(review)
    await correct(review, item, total("120.00"))

    # Pooled connections go from hand to hand: none of them still acts for Anna.
    for _ in range(12):
        with pytest.raises(REFUSED):
            await review.schema.pool.execute("DELETE FROM field_locks")


async def test_a_reading_anew_and_a_correction_at_once_leave_the_persons_value(
    review: Review,
) -> None:
    for _ in range(5):
        item = await held(review)
        again = review.order(item.document_id, fields=_fields("777.00"))
        body = again.body.model_copy(update={"result_version": 2})

        await asyncio.gather(
            correct(review, item, total("120.00")),
            open_items([builders.job(body)], review.use),
            return_exceptions=True,
        )
        now = await get_item(item.document_id, review.use)
        if (await field(review, item.document_id, "total")).value != "120.00":
            # The reading came first: the person was told, and says it again.
            now = await correct(review, now, total("120.00"))

        shown = await field(review, item.document_id, "total")
        assert (shown.value, shown.locked_by) == ("120.00", "anna")
        await review.schema.owner.execute("TRUNCATE field_locks")


async def test_the_same_bytes_handed_in_again_inherit_what_was_said(review: Review) -> None:
    first = await correct(
        review, await held(review), total("120.00"), Change("remove_line", at=0)
    )

    copy = await held(review, total="888.00")

    shown = {one.path: one for one in await review.items.list_fields(copy.document_id)}
    assert shown["total"].value == "120.00"
    assert shown["total"].machine is not None
    assert shown["total"].machine["value"] == "888.00"
    assert shown["lines.0.net_amount"].value == "40.00"
    assert "lines.1.net_amount" not in shown
    twins = (await look_at(copy, review.use)).twins
    assert [one.document_id for one in twins] == [first.document_id]


async def test_a_correction_of_one_copy_does_not_stop_the_reading_of_another(
    review: Review,
) -> None:
    first, second = await held(review), await held(review)
    await correct(review, first, total("120.00"))
    await correct(review, second, total("121.00"), Change("remove_line", at=1))

    again = review.order(first.document_id, fields=_fields("777.00"))
    body = again.body.model_copy(update={"result_version": 2})
    await open_items([builders.job(body)], review.use)

    shown = {one.path: one.value for one in await review.items.list_fields(first.document_id)}
    assert shown["total"] == "121.00"
    assert "lines.1.net_amount" not in shown


async def test_locks_go_with_the_last_document_of_their_content(review: Review) -> None:
    first, second = await held(review), await held(review)
    await correct(review, first, total("120.00"))

    async def locks_after(document_id: UUID) -> int:
        fact = builders.job(builders.deleted(document_id=document_id))
        await withdraw_items([fact], review.use)
        return int(await review.schema.owner.fetchval("SELECT count(*) FROM field_locks"))

    assert await locks_after(first.document_id) > 0
    assert await locks_after(second.document_id) == 0


async def test_two_deletions_at_once_leave_no_lock_behind(review: Review) -> None:
    for _ in range(5):
        items = [await held(review), await held(review)]
        await correct(review, items[0], total("120.00"))
        facts = [builders.job(builders.deleted(document_id=one.document_id)) for one in items]

        await asyncio.gather(*(withdraw_items([one], review.use) for one in facts))

        left = await review.schema.owner.fetchval("SELECT count(*) FROM field_locks")
        assert left == 0


async def test_every_correction_is_on_the_record_and_the_chain_holds(review: Review) -> None:
    item = await correct(review, await held(review), total("120.00"))

    lines = await review.use.trail.list_entries(
        f"review-item/{item.document_id}", actor="anna", limit=10
    )

    entry = lines[0].entry()
    assert entry.action == "field_corrected"
    assert isinstance(entry.after, dict)
    assert (entry.after["path"], entry.after["value"]) == ("total", "120.00")

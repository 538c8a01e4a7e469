"""The same invoice again, on a real PostgreSQL: found by an index, however much there is."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any
from uuid import UUID

import pytest

from services.review.adapters import forms
from services.review.domain.decisions import Blocked
from services.review.domain.items import ItemStatus, ReviewItem
from services.review.handlers.claiming import claim_item, get_item
from services.review.handlers.deciding import approve_item
from services.review.handlers.forming import look_at
from services.review.handlers.opening import open_items
from services.review.handlers.recognising import rebuild_keys
from tests import builders
from tests.broker.review_world import Review, review_service

# A thousand days, ten thousand totals, as many numbers; one letterhead.
MANY_SHEETS = """
INSERT INTO sheets (document_id, owner_id, page_count, fingerprint, number, issue_date, total)
SELECT gen_random_uuid(), $2, 1, (x'00ff10ff00ff00ff')::bit(64), 'R' || place % 10000,
       (date '2024-01-01' + (place % 1000)::integer)::text, place % 10007
  FROM generate_series(1, 20000) AS place
 UNION ALL
SELECT $1, $2, 1, (x'00ff10ff00ff00ff')::bit(64), 'R1000', '2026-03-02', 119;
"""


@pytest.fixture
async def review(database_url: str) -> AsyncIterator[Review]:
    async with review_service(database_url) as review:
        yield review


async def opened(review: Review, number: str, **changes: str) -> ReviewItem:
    values = {
        "seller.name": "Harbour Works",
        "seller.address.post_code": "20457",
        "invoice_number": number,
        "issue_date": "2026-03-02",
        "currency": "EUR",
        "total": "119.00",
        **changes,
    }
    read = {path: builders.read_as(value, 0.97) for path, value in values.items()}
    order = review.order(fields=read)
    await open_items([order], review.use)
    return await get_item(order.body.document_id, review.use)


async def twins(review: Review, item: ReviewItem) -> list[UUID]:
    return [one.document_id for one in (await look_at(item, review.use)).twins]


async def test_of_many_with_one_total_the_one_with_the_number_is_found(
    review: Review, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forms, "LOOKALIKES_MAX", 2)
    first = await opened(review, "R-1000")
    for number in ("A-2000", "B-3000", "C-4000"):
        await opened(review, number)

    second = await opened(review, "R 1000")

    assert await twins(review, second) == [first.document_id]


async def test_keys_of_older_rules_are_made_anew(review: Review) -> None:
    first = await opened(review, "RE-0042")
    await review.schema.owner.execute(
        "UPDATE invoice_keys SET number_key = 'RE0042', alike_key = 'RE0042', version = 1,"
        " total = NULL"
    )
    second = await opened(review, "42")
    before = await twins(review, second)

    made = [await rebuild_keys(review.use), await rebuild_keys(review.use)]

    assert (before, made) == ([], [1, 0])
    assert await twins(review, second) == [first.document_id]


async def test_a_file_that_was_split_is_no_twin_of_its_parts(review: Review) -> None:
    await opened(review, "R-1000")
    await review.schema.owner.execute(
        "UPDATE review_items SET status = 'rejected', reason_code = 'split',"
        " decided_by = 'anna', decided_at = now()"
    )

    part = await opened(review, "R-1000")

    assert await twins(review, part) == []


async def test_of_two_that_are_approved_at_once_none_slips_past_the_other(
    review: Review,
) -> None:
    items = [await opened(review, "R-1000") for _ in range(2)]
    for item in items:
        await claim_item(item.document_id, "anna", review.use)

    answers = await asyncio.gather(
        *(approve_item(one.document_id, "anna", one.version, review.use) for one in items),
        return_exceptions=True,
    )

    # The same bytes were handed in twice: the later one has to go.
    blocked = [one for one in answers if isinstance(one, Blocked)]
    approved = [one for one in answers if isinstance(one, ReviewItem)]
    assert len(blocked) == len(approved) == 1
    assert approved[0].status is ItemStatus.APPROVED


async def test_twins_are_found_by_an_index(review: Review) -> None:
    indexes = await review.schema.owner.fetch(
        "SELECT indexdef FROM pg_indexes WHERE tablename = 'invoice_keys' AND schemaname = $1",
        review.schema.name,
    )

    columns = [row["indexdef"].partition("(")[2] for row in indexes]
    assert any(one.startswith("owner_id, seller_key, alike_key, year") for one in columns)
    assert any(one.startswith("owner_id, seller_key, total, year") for one in columns)


async def test_rescans_are_found_by_an_index_among_many(review: Review) -> None:
    """Bits that nearly agree have no index, so the other signals have to be selective."""
    owner = review.schema.owner
    mine = await opened(review, "R-1000")
    async with owner.acquire() as connection, connection.transaction():
        # Sheets of documents that are not here, for one transaction.
        await connection.execute("SET LOCAL session_replication_role = replica")
        await connection.execute(MANY_SHEETS, mine.document_id, mine.owner_id)
        await connection.execute("ANALYZE sheets")
        sql = forms.FIND_RESCANS
        asked = (mine.document_id, mine.owner_id, "R1000", "2026-03-02", 119, 4, 200)
        plan = await connection.fetchval(f"EXPLAIN (FORMAT json) {sql}", *asked)

    told = json.loads(plan) if isinstance(plan, str) else plan
    used = told[0]["Plan"]
    found = {(one["Node Type"], one.get("Index Name")) for one in _nodes(used)}
    assert {("Bitmap Index Scan", "ix_sheets_date"), *found} == found
    assert {("Bitmap Index Scan", "ix_sheets_number"), *found} == found
    read = [one["Node Type"] for one in _nodes(used) if one.get("Relation Name") == "sheets"]
    assert "Seq Scan" not in read


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for one in plan.get("Plans", ()):
        yield from _nodes(one)

"""Pages of items on a real PostgreSQL: who keeps and who erases take turns."""

import asyncio
from collections.abc import AsyncIterator
from hashlib import sha256

import pytest

from services.review.domain.items import ReviewItem
from services.review.domain.pages import Width
from services.review.handlers.claiming import get_item
from services.review.handlers.drawn import drop_excess
from services.review.handlers.opening import open_items
from services.review.handlers.pages import show_pages, show_picture
from services.review.handlers.withdrawing import withdraw_items
from shared.blobs.keys import content_key
from shared.contracts.extraction import PageSize
from tests import builders
from tests.broker.review_world import Review, review_service

CONTENT = b"%PDF-1.7 one page"
DIGEST = sha256(CONTENT).hexdigest()
MEASURED = (PageSize(number=1, width=595, height=842, source="pdf_text"),)


@pytest.fixture
async def review(database_url: str) -> AsyncIterator[Review]:
    async with review_service(database_url) as review:
        review.blobs.objects[content_key(DIGEST)] = CONTENT
        yield review


async def opened(review: Review) -> ReviewItem:
    extraction = builders.extraction(sha256=DIGEST, pages=MEASURED)
    raw = extraction.to_bytes()
    key = content_key(sha256(raw).hexdigest())
    review.blobs.objects[key] = raw
    order = builders.open_review(
        document_id=extraction.document_id, extraction_key=key, sha256=DIGEST
    )
    await open_items([builders.job(order)], review.use)
    return await get_item(extraction.document_id, review.use)


def drawn(review: Review) -> list[str]:
    return [key for key in review.blobs.objects if key.startswith("pages/")]


async def deleted(review: Review, *items: ReviewItem) -> None:
    gone = [builders.job(builders.deleted(document_id=one.document_id)) for one in items]
    await withdraw_items(gone, review.use)


async def test_an_opened_item_knows_its_pages_and_an_older_one_learns_them(
    review: Review,
) -> None:
    item = await opened(review)
    await review.schema.owner.execute("DELETE FROM item_pages")

    known = await show_pages(item.document_id, review.use)

    assert [one.source for one in known.pages or ()] == ["pdf_text"]
    assert await review.use.pages.records.find_pages(item.document_id) == known


async def test_two_documents_with_the_same_bytes_deleted_at_once_leave_nothing(
    review: Review,
) -> None:
    for _ in range(10):
        one, other = await opened(review), await opened(review)
        await show_picture(one.document_id, 1, Width.READING, review.use)

        async with asyncio.TaskGroup() as group:
            group.create_task(deleted(review, one))
            group.create_task(deleted(review, other))

        assert drawn(review) == []
    assert await review.schema.owner.fetchval("SELECT count(*) FROM drawn_contents") == 0


async def test_whoever_draws_while_a_document_is_deleted_leaves_nothing(
    review: Review,
) -> None:
    for _ in range(20):
        item = await opened(review)
        async with asyncio.TaskGroup() as group:
            drawing = group.create_task(
                show_picture(item.document_id, 1, Width.READING, review.use)
            )
            group.create_task(deleted(review, item))

        assert drawing.result()
        assert drawn(review) == []


async def test_what_nobody_looked_at_for_long_is_dropped_and_drawn_again(
    review: Review,
) -> None:
    item = await opened(review)
    await show_picture(item.document_id, 1, Width.READING, review.use)
    await review.schema.owner.execute(
        "UPDATE drawn_contents SET used_at = now() - interval '31 days'"
    )

    assert await drop_excess(review.use) == 1
    assert drawn(review) == []
    await show_picture(item.document_id, 1, Width.READING, review.use)

    assert len(drawn(review)) == 1
    assert await drop_excess(review.use) == 0


async def test_looking_at_a_page_keeps_it(review: Review) -> None:
    item = await opened(review)
    await show_picture(item.document_id, 1, Width.READING, review.use)
    await review.schema.owner.execute(
        "UPDATE drawn_contents SET used_at = now() - interval '31 days'"
    )

    await show_picture(item.document_id, 1, Width.READING, review.use)

    assert await drop_excess(review.use) == 0
    assert review.painter.asked == ["draw 1 1280"]

"""Which pages an item has, and of which contents something drawn is kept."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from uuid import UUID, uuid4

import pytest

import shared.audit
from services.review.adapters.page_records import PostgresPageRecords
from services.review.adapters.review_items import PostgresReviewItems
from services.review.adapters.withdrawals import PostgresWithdrawals
from services.review.domain.items import NewItem
from services.review.domain.pages import ItemPages, Page
from services.review.ports import ReviewItems, Withdrawals
from services.review.ports.pages import PageRecords
from shared.contracts.body import Priority
from shared.ledger.port import Ledger
from tests import builders
from tests.broker.service_schema import service_schema
from tests.conformance.database import database
from tests.fakes.clock import FakeClock
from tests.fakes.ledger import FakeLedger
from tests.fakes.pages import InMemoryPageRecords
from tests.fakes.review import InMemoryReviewItems
from tests.fakes.review_withdrawals import InMemoryWithdrawals

A, B = "a" * 64, "b" * 64
MONTH_S = 30 * 86_400.0
PAGES = [Page(1, 595.5, 842.0, "ocr"), Page(2, 842.0, 595.5)]


@dataclass(frozen=True, slots=True)
class Desk:
    records: PageRecords
    items: ReviewItems
    withdrawals: Withdrawals
    ledger: Ledger

    async def opened(self, sha256: str = A, document_id: UUID | None = None) -> ItemPages:
        document_id = document_id or uuid4()
        known = ItemPages(document_id, sha256, "application/pdf", "words/x.json", PAGES)
        async with self.ledger.unit() as unit:
            await self.items.open_items(unit, [new_item(document_id, sha256)])
            await self.records.keep_pages(unit, [known])
        return known

    async def erased(self, document_id: UUID) -> None:
        async with self.ledger.unit() as unit:
            await self.withdrawals.erase_items(unit, [document_id])

    async def drawn(self, sha256: str, size: int = 100) -> bool:
        async with self.ledger.unit() as unit:
            await self.records.lock_contents(unit, [sha256])
            return await self.records.note_drawn(unit, sha256, size)

    async def excess(self, bytes_max: int) -> list[str]:
        return await self.records.list_excess(bytes_max=bytes_max, unused_s=MONTH_S, limit=10)


def new_item(document_id: UUID, sha256: str) -> NewItem:
    return NewItem(
        document_id=document_id,
        owner_id=builders.OWNER,
        accepted_at=builders.ACCEPTED_AT,
        priority=Priority.NORMAL,
        extraction_key="sha256/x",
        result_version=1,
        sha256=sha256,
        engine="pdf_text",
        confidence=0.9,
        duplicate=False,
        filename="invoice.pdf",
        vendor_name=None,
        invoice_number=None,
        due_at=builders.ACCEPTED_AT,
        **{"doubt": 0.1, "complexity": 0.1, "value": 0.1, "base": 1.0, "sla_rate": 0.1},
        ranked_on={},
        gates=[],
        automatic=False,
        job_id=uuid4(),
        run=0,
        traceparent=None,
    )


def in_memory() -> Desk:
    items = InMemoryReviewItems(FakeClock())
    records = InMemoryPageRecords(lambda one: one in items.items)
    return Desk(records, items, InMemoryWithdrawals(items), FakeLedger())


@pytest.fixture(params=["memory", "postgres"])
async def desk(request: pytest.FixtureRequest) -> AsyncIterator[Desk]:
    if request.param == "memory":
        yield in_memory()
        return
    migrations = [shared.audit.MIGRATIONS]
    async with service_schema(database(), "review", migrations) as schema:
        pool = schema.pool
        yield Desk(
            PostgresPageRecords(pool),
            PostgresReviewItems(pool),
            PostgresWithdrawals(pool),
            schema.ledger,
        )


async def test_what_was_kept_is_found(desk: Desk) -> None:
    known = await desk.opened()

    found = await desk.records.find_pages(known.document_id)

    assert found == known
    assert await desk.records.find_pages(uuid4()) is None


@pytest.mark.parametrize("pages", [None, []], ids=["not measured", "none"])
async def test_none_and_not_measured_are_told_apart(
    desk: Desk, pages: list[Page] | None
) -> None:
    known = replace(await desk.opened(), pages=pages, words_key=None)
    async with desk.ledger.unit() as unit:
        await desk.records.keep_pages(unit, [known])

    assert await desk.records.find_pages(known.document_id) == known


async def test_pages_are_kept_of_items_only_and_go_with_them(desk: Desk) -> None:
    known = await desk.opened()
    stray = replace(known, document_id=uuid4())
    await desk.erased(known.document_id)

    async with desk.ledger.unit() as unit:
        await desk.records.keep_pages(unit, [stray, known])

    for one in (stray, known):
        assert await desk.records.find_pages(one.document_id) is None


async def test_contents_are_named_once_each(desk: Desk) -> None:
    known = [await desk.opened(one) for one in (A, A, B)]

    async with desk.ledger.unit() as unit:
        found = await desk.records.list_contents_of(
            unit, [uuid4(), *(one.document_id for one in known)]
        )

    assert found == [A, B]


async def test_something_is_kept_only_of_what_an_item_has(desk: Desk) -> None:
    known = await desk.opened(A)

    assert await desk.drawn(A)
    assert not await desk.drawn(B)
    await desk.erased(known.document_id)
    assert not await desk.drawn(A)


async def test_what_no_item_has_any_more_is_forgotten_and_nothing_else(desk: Desk) -> None:
    await desk.opened(A)
    gone = await desk.opened(B)
    assert await desk.drawn(A) and await desk.drawn(B)
    await desk.erased(gone.document_id)

    async with desk.ledger.unit() as unit:
        forgotten = await desk.records.forget_drawn(unit, [A, B])

    assert forgotten == [B]
    assert await desk.excess(0) == [A]


async def test_all_of_it_is_forgotten_when_that_is_asked_for(desk: Desk) -> None:
    await desk.opened(A)
    assert await desk.drawn(A)

    async with desk.ledger.unit() as unit:
        forgotten = await desk.records.forget_drawn(unit, [A], also_wanted=True)

    assert forgotten == [A]
    assert await desk.excess(0) == []


async def test_the_oldest_beyond_the_limit_are_too_many(desk: Desk) -> None:
    for sha256 in (A, B):
        await desk.opened(sha256)
    for sha256, size in ((A, 100), (B, 60), (B, 60)):
        assert await desk.drawn(sha256, size)

    assert await desk.excess(220) == []
    assert await desk.excess(219) == [A]
    assert await desk.excess(119) == [A, B]
    await desk.records.note_used(A)

"""What our own engine has read of those who wait: in memory and in PostgreSQL alike."""

from collections.abc import AsyncIterator
from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from services.extractor.adapters.own_readings import PostgresOwnReadings
from services.extractor.domain.reading import Alternative, Field, Finding, Page, Reading
from services.extractor.domain.words import Span
from services.extractor.ports import ContentKey, OwnReadings
from shared.ledger.port import Ledger
from shared.pages.words import Word
from tests.broker.service_schema import service_schema
from tests.conformance.database import database
from tests.fakes.extractor import InMemoryOwnReadings
from tests.fakes.ledger import FakeLedger

CONTENT = ContentKey("acme", "ab" * 32, "offline/1")
OTHERS = (
    replace(CONTENT, owner_id="umbrella"),
    replace(CONTENT, sha256="cd" * 32),
    replace(CONTENT, config="offline/2"),
)
LONG_S, OVER_S = 3600.0, 0.0
SPAN = Span("119,00 €", 1, (0.5, 0.25, 0.75, 0.3))
READING = Reading(
    engine="offline",
    page_count=2,
    fields={
        "total": Field(
            value="119.00",
            raw="119,00 €",
            confidence=0.93,
            status="extracted",
            evidence=(SPAN,),
            source="ocr",
            signals={"ocr": 0.97},
            alternatives=(Alternative("719.00", "719,00", "ocr", 0.3),),
        ),
        "due_date": Field(),
    },
    findings=(Finding("hidden_text", "block", "white on white", ("total",), (1,)),),
    pages=(Page(1, 595.0, 842.0, "ocr"), Page(2, 595.0, 842.0)),
    words=(Word("119,00", 1, 0.5, 0.25, 0.6, 0.3, 0.97), Word("€", 1, 0.61, 0.25, 0.75, 0.3)),
    versions={"offline": "1"},
)


class Kept:
    """The readings, each call in a unit of its own."""

    def __init__(self, readings: OwnReadings, ledger: Ledger) -> None:
        self._readings = readings
        self._ledger = ledger

    async def find(self, content: ContentKey = CONTENT) -> Reading | None:
        async with self._ledger.unit() as unit:
            return await self._readings.find_own_reading(unit, content)

    async def keep(
        self,
        reading: Reading = READING,
        *,
        content: ContentKey = CONTENT,
        document_id: UUID | None = None,
    ) -> UUID:
        waiting = document_id or uuid4()
        async with self._ledger.unit() as unit:
            await self._readings.keep_own_reading(unit, content, waiting, reading)
        return waiting

    async def drop(self, content: ContentKey = CONTENT) -> None:
        async with self._ledger.unit() as unit:
            await self._readings.drop_own_reading(unit, content)

    async def forget(self, *document_ids: UUID) -> None:
        async with self._ledger.unit() as unit:
            await self._readings.forget_own_readings(unit, document_ids)

    async def purge(self, patience_s: float, *, count: int = 100) -> int:
        async with self._ledger.unit() as unit:
            return await self._readings.purge_own_readings(unit, patience_s, count)


@pytest.fixture(params=["memory", "postgres"])
async def kept(request: pytest.FixtureRequest) -> AsyncIterator[Kept]:
    if request.param == "memory":
        yield Kept(InMemoryOwnReadings(), FakeLedger())
        return
    async with service_schema(database(), "extractor", []) as schema:
        yield Kept(PostgresOwnReadings(), schema.ledger)


async def test_it_comes_back_as_it_was(kept: Kept) -> None:
    await kept.keep()

    assert await kept.find() == READING


async def test_it_is_of_one_owner_one_content_and_one_engine(kept: Kept) -> None:
    await kept.keep()

    assert [await kept.find(other) for other in OTHERS] == [None, None, None]


async def test_dropped_it_is_gone_and_twice_is_once(kept: Kept) -> None:
    await kept.keep()
    await kept.keep(content=OTHERS[0])

    await kept.drop()
    await kept.drop()

    assert await kept.find() is None
    assert await kept.find(OTHERS[0]) == READING


async def test_it_goes_with_the_document_that_kept_it_last(kept: Kept) -> None:
    first = await kept.keep()
    second = await kept.keep(replace(READING, page_count=3))

    await kept.forget(first, uuid4())
    assert await kept.find() == replace(READING, page_count=3)

    await kept.forget(second)
    assert await kept.find() is None


async def test_what_is_too_old_is_forgotten_in_portions(kept: Kept) -> None:
    for content in (CONTENT, *OTHERS):
        await kept.keep(content=content)

    assert await kept.purge(LONG_S) == 0
    assert [await kept.purge(OVER_S, count=3) for _ in range(3)] == [3, 1, 0]

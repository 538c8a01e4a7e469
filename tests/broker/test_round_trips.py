"""What a document asks of the database, counted: a round trip costs more than what it asks."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import Any

import pytest

from services.extractor.handlers import extract_document
from services.review.handlers.opening import open_items
from shared.clock import WallClock
from shared.database.pool import Pool
from shared.ledger.record import PostgresJobRecord
from shared.topology.queues import EXTRACT
from tests import builders
from tests.broker.review_world import review_service
from tests.broker.service_schema import service_schema
from tests.broker.test_extractor_sql import Extractor

OTHER_SHA256 = "ab" * 32
AT_ONCE = 8


@asynccontextmanager
async def asked_of(pool: Pool) -> AsyncIterator[list[str]]:
    """BEGIN and COMMIT too, by whoever comes one after the other."""
    asked = list[str]()

    def note(query: Any) -> None:  # noqa: ANN401 -- the driver has no types
        asked.append(query.query)

    async with pool.acquire() as connection:
        connection.add_query_logger(note)
    yield asked
    async with pool.acquire() as connection:
        connection.remove_query_logger(note)


@pytest.mark.parametrize(
    ("is_copy", "most"), [(False, 10), (True, 9)], ids=["is read", "is a copy"]
)
async def test_a_document_costs_the_extractor_few_round_trips(
    database_url: str, is_copy: bool, most: int
) -> None:
    first = builders.extract_document()
    second = builders.extract_document(sha256=first.sha256 if is_copy else OTHER_SHA256)
    async with service_schema(database_url, "extractor", []) as schema:
        use = Extractor(schema).use
        await extract_document(builders.job(first), use)

        async with asked_of(schema.pool) as asked:
            await extract_document(builders.job(second), use)

    assert 0 < len(asked) <= most, asked


async def test_documents_that_come_together_share_their_round_trips(database_url: str) -> None:
    orders = [
        builders.extract_document(sha256=sha256(str(at).encode()).hexdigest())
        for at in range(AT_ONCE)
    ]
    async with service_schema(database_url, "extractor", []) as schema:
        use = Extractor(schema).use
        await extract_document(builders.job(builders.extract_document()), use)

        async with asked_of(schema.pool) as asked:
            await asyncio.gather(*(extract_document(builders.job(one), use) for one in orders))

    assert 0 < len(asked) <= 2 * 10, asked


async def test_jobs_that_come_together_are_looked_up_at_once(database_url: str) -> None:
    jobs = [builders.job(builders.extract_document()) for _ in range(AT_ONCE)]
    async with service_schema(database_url, "extractor", []) as schema:
        use = Extractor(schema).use
        await extract_document(jobs[3], use)
        record = PostgresJobRecord(schema.pool, WallClock(), wake=lambda: None)

        async with asked_of(schema.pool) as asked:
            finished = await asyncio.gather(*(record.is_finished(EXTRACT, job) for job in jobs))

    assert finished == [at == 3 for at in range(AT_ONCE)]
    assert 0 < len(asked) <= 2, asked


async def test_a_batch_costs_review_as_few_round_trips_as_one(database_url: str) -> None:
    async with review_service(database_url) as review:
        await open_items([review.order()], review.use)

        async with asked_of(review.schema.pool) as asked:
            await open_items([review.order() for _ in range(20)], review.use)

    assert 0 < len(asked) <= 14, asked

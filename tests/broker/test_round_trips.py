"""What a document asks of the database, counted: a round trip costs more than what it asks."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from services.extractor.handlers import extract_document
from services.review.handlers.opening import open_items
from shared.database.pool import Pool
from tests import builders
from tests.broker.review_world import review_service
from tests.broker.service_schema import service_schema
from tests.broker.test_extractor_sql import Extractor

OTHER_SHA256 = "ab" * 32


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


async def test_a_batch_costs_review_as_few_round_trips_as_one(database_url: str) -> None:
    async with review_service(database_url) as review:
        await open_items([review.order()], review.use)

        async with asked_of(review.schema.pool) as asked:
            await open_items([review.order() for _ in range(20)], review.use)

    assert 0 < len(asked) <= 14, asked

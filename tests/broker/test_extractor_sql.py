"""The extractor on a real PostgreSQL: its commits are whole, and copies race to one answer."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from uuid import uuid4

import pytest

from services.extractor.adapters.processed_documents import PostgresProcessedDocuments
from services.extractor.adapters.withdrawals import PostgresWithdrawals
from services.extractor.handlers import extract_document, withdraw_documents
from services.extractor.ports import Ports
from shared.bus.jobs import AlreadyHandled
from shared.errors import Withdrawn
from tests import builders
from tests.broker.service_schema import ServiceSchema, service_schema
from tests.fakes.blobs import InMemoryBlobs
from tests.fakes.extractor import FakeEngine


@dataclass(slots=True)
class Extractor:
    schema: ServiceSchema
    engine: FakeEngine = field(default_factory=FakeEngine)
    blobs: InMemoryBlobs = field(
        default_factory=lambda: InMemoryBlobs({builders.CONTENT_KEY: builders.PDF})
    )

    @property
    def use(self) -> Ports:
        return Ports(
            blobs=self.blobs,
            engine=self.engine,
            processed=PostgresProcessedDocuments(),
            withdrawals=PostgresWithdrawals(),
            ledger=self.schema.ledger,
            scan_bytes_max=1024,
        )

    async def cache_hits(self) -> list[bool]:
        rows = await self.schema.owner.fetch(
            "SELECT convert_from(body, 'UTF8')::jsonb #>> '{body,cache_hit}' AS hit"
            " FROM outbox WHERE type = 'document.store'"
        )
        return sorted(row["hit"] == "true" for row in rows)


@pytest.fixture
async def extractor(database_url: str) -> AsyncIterator[Extractor]:
    async with service_schema(database_url, "extractor", []) as schema:
        yield Extractor(schema)


async def test_one_delivery_announces_keeps_and_orders(extractor: Extractor) -> None:
    job = builders.job(builders.extract_document())

    await extract_document(job, extractor.use)

    assert await extractor.schema.outbox() == [
        ("document.started", "document.started"),
        ("storage.store", "document.store"),
        ("document.extracted", "document.extracted"),
    ]
    with pytest.raises(AlreadyHandled):
        await extract_document(job, extractor.use)


async def test_copies_of_one_content_end_with_one_original(extractor: Extractor) -> None:
    jobs = [builders.job(builders.extract_document()) for _ in range(8)]

    await asyncio.gather(*(extract_document(job, extractor.use) for job in jobs))

    assert await extractor.cache_hits() == [False] + [True] * 7


async def test_a_withdrawal_stops_a_document_and_forgets_a_deleted_one(
    extractor: Extractor,
) -> None:
    order = builders.extract_document()
    await extract_document(builders.job(order), extractor.use)

    await withdraw_documents(
        [
            builders.job(builders.deleted(document_id=order.document_id)),
            builders.job(builders.cancelled(document_id=uuid4())),
        ],
        extractor.use,
    )

    with pytest.raises(Withdrawn):
        await extract_document(builders.job(order), extractor.use)
    await extract_document(builders.job(builders.extract_document()), extractor.use)
    assert extractor.engine.calls == 2

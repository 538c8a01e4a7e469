"""Where answers of withdrawn documents lie is known until their bytes are erased there."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from uuid import UUID, uuid4

import pytest

from services.extractor.adapters.leases import PostgresLeases
from services.extractor.adapters.processed_documents import PostgresProcessedDocuments
from services.extractor.domain.terms import Terms
from services.extractor.ports import Answered, ContentKey, Lease, Leases, ProcessedDocuments
from shared.ledger.port import Ledger
from tests.broker.service_schema import service_schema
from tests.conformance.database import database
from tests.conformance.reading_in_turn import beginner
from tests.fakes.extractor import InMemoryLeases, InMemoryProcessedDocuments
from tests.fakes.ledger import FakeLedger

CONTENT = ContentKey("acme", "a" * 64, "config")
DOCUMENT, OTHER = uuid4(), uuid4()
TERMS = Terms(cache_ttl_s=60, lease_s=60, refusal_s=60)


@dataclass
class Answers:
    """Each step in a transaction of its own."""

    documents: ProcessedDocuments
    leases: Leases
    ledger: Ledger

    async def keep(self, key: str) -> None:
        lease = Lease(CONTENT, DOCUMENT, uuid4(), 0, uuid4())
        async with self.ledger.unit() as unit:
            await self.documents.begin_reading(unit, [beginner(lease)], TERMS)
            assert await self.documents.keep_processed(unit, [Answered(lease, key)])

    async def is_known(self) -> bool:
        lease = Lease(CONTENT, OTHER, uuid4(), 0, uuid4())
        async with self.ledger.unit() as unit:
            [found] = await self.documents.begin_reading(unit, [beginner(lease)], TERMS)
            await self.leases.give_up_lease(unit, lease)
        return found.answer is not None

    async def forget(self, *document_ids: UUID) -> None:
        async with self.ledger.unit() as unit:
            await self.documents.forget_processed(unit, document_ids)

    async def withdraw(self, *document_ids: UUID) -> None:
        async with self.ledger.unit() as unit:
            await self.documents.withdraw_processed(unit, document_ids)

    async def to_erase(self, *document_ids: UUID) -> list[str]:
        async with self.ledger.unit() as unit:
            return await self.documents.list_withdrawn_answers(unit, document_ids)

    async def erased(self, *keys: str) -> None:
        async with self.ledger.unit() as unit:
            await self.documents.note_answers_erased(unit, keys)


@pytest.fixture(params=["memory", "postgres"])
async def answers(request: pytest.FixtureRequest) -> AsyncIterator[Answers]:
    if request.param == "memory":
        leases = InMemoryLeases()
        yield Answers(InMemoryProcessedDocuments(leases), leases, FakeLedger())
        return
    async with service_schema(database(), "extractor", []) as schema:
        yield Answers(PostgresProcessedDocuments(), PostgresLeases(), schema.ledger)


async def test_a_withdrawn_answer_serves_nobody_and_twice_is_once(answers: Answers) -> None:
    await answers.keep("one")

    for _ in range(2):
        await answers.withdraw(DOCUMENT, OTHER)

    assert not await answers.is_known()
    assert await answers.to_erase(DOCUMENT, OTHER) == ["one"]
    assert await answers.to_erase(OTHER) == []


async def test_where_it_lies_is_known_also_when_another_answer_took_its_place(
    answers: Answers,
) -> None:
    await answers.keep("one")
    await answers.withdraw(DOCUMENT)
    await answers.keep("two")

    await answers.withdraw(DOCUMENT)

    assert await answers.to_erase(DOCUMENT) == ["one", "two"]


async def test_what_was_erased_is_forgotten_and_twice_is_once(answers: Answers) -> None:
    await answers.keep("one")
    await answers.withdraw(DOCUMENT)

    for _ in range(2):
        await answers.erased("one", "unknown")

    assert await answers.to_erase(DOCUMENT) == []


async def test_an_answer_whose_bytes_are_lost_leaves_nothing_to_erase(answers: Answers) -> None:
    await answers.keep("one")

    await answers.forget(DOCUMENT)

    assert not await answers.is_known()
    assert await answers.to_erase(DOCUMENT) == []

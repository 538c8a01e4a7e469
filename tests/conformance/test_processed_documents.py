"""The cache of answers: one suite for the one in memory and the one in PostgreSQL."""

from collections.abc import AsyncIterator
from dataclasses import replace
from uuid import uuid4

import pytest

from services.extractor.adapters.processed_documents import PostgresProcessedDocuments
from services.extractor.ports import ContentKey, Processed, ProcessedDocuments
from shared.ledger.port import Ledger
from tests.broker.database import own_database
from tests.broker.service_schema import service_schema
from tests.fakes.extractor import InMemoryProcessedDocuments
from tests.fakes.ledger import FakeLedger

Kept = tuple[ProcessedDocuments, Ledger]


@pytest.fixture(params=["memory", "postgres"])
async def kept(request: pytest.FixtureRequest) -> AsyncIterator[Kept]:
    if request.param == "memory":
        yield InMemoryProcessedDocuments(), FakeLedger()
        return
    async with own_database() as url, service_schema(url, "extractor", []) as schema:
        yield PostgresProcessedDocuments(), schema.ledger


def content() -> ContentKey:
    return ContentKey("acme", "ab" * 32, "offline/1")


async def test_unknown_content_has_no_answer(kept: Kept) -> None:
    documents, ledger = kept

    async with ledger.unit() as unit:
        assert await documents.find_processed(unit, content()) is None


async def test_the_first_answer_is_kept_and_given_to_both(kept: Kept) -> None:
    documents, ledger = kept
    first, second = Processed(uuid4(), "first"), Processed(uuid4(), "second")

    async with ledger.unit() as unit:
        assert await documents.keep_processed(unit, content(), first) == first
    async with ledger.unit() as unit:
        assert await documents.keep_processed(unit, content(), second) == first
        assert await documents.find_processed(unit, content()) == first


@pytest.mark.parametrize("other", ["owner_id", "config"])
async def test_another_owner_or_configuration_is_another_content(
    kept: Kept, other: str
) -> None:
    documents, ledger = kept
    async with ledger.unit() as unit:
        await documents.keep_processed(unit, content(), Processed(uuid4(), "one"))

    async with ledger.unit() as unit:
        changed = replace(content(), **{other: "other"})
        assert await documents.find_processed(unit, changed) is None


async def test_a_forgotten_answer_is_gone_and_forgetting_twice_is_once(kept: Kept) -> None:
    documents, ledger = kept
    answer = Processed(uuid4(), "one")
    async with ledger.unit() as unit:
        await documents.keep_processed(unit, content(), answer)

    for _ in range(2):
        async with ledger.unit() as unit:
            await documents.forget_processed(unit, [answer.document_id, uuid4()])

    async with ledger.unit() as unit:
        assert await documents.find_processed(unit, content()) is None

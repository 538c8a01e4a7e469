"""Ingest's SQL in a real PostgreSQL: acceptance, keys, pages, and batches that meet."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from secrets import token_hex
from typing import Protocol
from uuid import UUID

import pytest

from services.ingest.domain.documents import Claim
from services.ingest.handlers import receive_document, record_facts
from services.ingest.ports import Page
from shared.contracts.identity import new_id
from tests import builders
from tests.broker.ingest_world import Told, Upload, World, ingest_world
from tests.fakes.ledger import FakeLedger, FakeUnit

STARTED, EXTRACTED = Told(builders.started), Told(builders.extracted)
STORED = Told(builders.stored)


@pytest.fixture(scope="module")
async def world(database_url: str) -> AsyncIterator[World]:
    async with ingest_world(database_url) as world:
        yield world


async def test_an_accepted_document_is_queued_and_its_timeline_begins(world: World) -> None:
    document_id = await world.accepted()

    document = await world.document(document_id)
    assert (document.status, document.stage, document.progress) == ("queued", "queued", 0)
    assert document.created_at == document.updated_at
    assert await world.timeline(document_id) == [(1, "document.accepted")]


async def test_batches_that_meet_wait_for_each_other_and_lose_nothing(world: World) -> None:
    ids = await world.all_accepted([builders.OWNER] * 20)
    copies = [
        [fact.about(one) for one in ids for fact in (STARTED, EXTRACTED, STORED)]
        for _ in range(6)
    ]
    for nth, facts in enumerate(copies):
        random.Random(nth).shuffle(facts)

    await asyncio.gather(*(world.record(*facts) for facts in copies))

    for one in ids:
        assert (await world.document(one)).status == "completed"
        assert await world.ended(one) == ["completed"]
        assert [seq for seq, _ in await world.timeline(one)] == [*range(1, 1 + 1 + 3 * 6)]


async def test_a_batch_is_three_statements_and_its_messages_however_large(world: World) -> None:
    ids = await world.all_accepted([builders.OWNER] * 100)
    ledger = CountingLedger(world)

    await record_facts(
        [STORED.about(one) for one in ids],
        replace(world.use, ledger=ledger),
    )

    assert ledger.statements == 3
    assert len(ledger.sent) == len(ids)


async def test_one_key_makes_one_document_of_fifty_simultaneous_requests(
    world: World,
) -> None:
    received = await asyncio.gather(
        *(receive_document(Upload(f"key-{n % 2}"), world.use) for n in range(50))
    )

    assert len({one.document_id for one in received}) == 2
    assert sum(not one.replayed for one in received) == 2
    listed = await world.documents.list_documents(Page("uploader", 200))
    assert {one.document_id for one in listed} == {one.document_id for one in received}


async def test_an_expired_key_is_as_good_as_new(world: World) -> None:
    claims = [
        Claim("acme", "documents", "old", "hash", new_id()),
        Claim("acme", "documents", "old", "another", new_id()),
    ]
    async with world.use.ledger.unit() as unit:
        first = await world.documents.claim_keys(unit, claims[:1], ttl_s=0)

    async with world.use.ledger.unit() as unit:
        second = await world.documents.claim_keys(unit, claims[1:], ttl_s=60)
        [found] = await world.documents.find_claims(unit, claims[:1])

    assert (first, second) == ({claims[0].document_id}, {claims[1].document_id})
    assert found == claims[1]


async def test_a_page_neither_repeats_nor_skips_while_documents_arrive(world: World) -> None:
    owner = f"reader-{token_hex(4)}"
    ids = await world.all_accepted([owner] * 7)
    seen: list[UUID] = []
    page = Page(owner, 3)

    while found := await world.documents.list_documents(page):
        seen += [one.document_id for one in found]
        await world.all_accepted([owner] * 2)
        page = Page(owner, 3, found[-1].created_at, found[-1].document_id)

    assert sorted(seen) == sorted(ids)
    assert len(seen) == len(set(seen))


async def test_an_owner_finds_and_lists_only_what_is_theirs(world: World) -> None:
    mine, theirs = await world.all_accepted(["mine-1", "theirs-1"])

    listed = await world.documents.list_documents(Page("mine-1", 10))
    everything = await world.documents.list_documents(Page(None, 1000))

    assert [one.document_id for one in listed] == [mine]
    assert {mine, theirs} <= {one.document_id for one in everything}
    assert await world.documents.find_document(theirs, owner_id="mine-1") is None


class Asked(Protocol):
    async def fetch(self, sql: str, *args: object) -> object: ...

    async def fetchval(self, sql: str, *args: object) -> object: ...

    async def execute(self, sql: str, *args: object) -> object: ...


class CountingLedger(FakeLedger):
    """Counts what an adapter asks of the connection."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self.statements = 0
        self._world = world

    @asynccontextmanager
    async def unit(self) -> AsyncIterator[FakeUnit]:
        async with super().unit() as unit, self._world.pool.transaction() as real:
            unit.connection = _Counting(real, self)
            yield unit


class _Counting:
    def __init__(self, connection: "Asked", ledger: CountingLedger) -> None:
        self._connection = connection
        self._ledger = ledger

    async def fetch(self, sql: str, *args: object) -> object:
        self._ledger.statements += 1
        return await self._connection.fetch(sql, *args)

    async def fetchval(self, sql: str, *args: object) -> object:
        self._ledger.statements += 1
        return await self._connection.fetchval(sql, *args)

    async def execute(self, sql: str, *args: object) -> object:
        self._ledger.statements += 1
        return await self._connection.execute(sql, *args)

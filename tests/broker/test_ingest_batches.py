"""Batches in a real PostgreSQL: members that end at once, and a thousand at a time."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import TypeVar
from uuid import UUID

import pytest

from services.ingest.domain.batches import Batch, Item
from services.ingest.handlers.batches import BatchReceived, cancel_batch, receive_batch
from services.ingest.handlers.release import release_documents
from services.ingest.handlers.withdraw import cancel_document
from services.ingest.ports import Ports
from shared.contracts.body import Body
from shared.contracts.envelope import decode
from shared.contracts.facts import BatchCompletedV1
from shared.contracts.orders import ExtractDocumentV1
from tests import builders
from tests.broker.ingest_world import Told, World, ingest_world
from tests.broker.test_ingest_sql import CountingLedger

B = TypeVar("B", bound=Body)

STORED, FAILED = Told(builders.stored), Told(builders.failed)
KNOWN = Item(builders.CONTENT_KEY, "a.pdf")
UNKNOWN = Item("sha256/00/" + "0" * 64)


@pytest.fixture
async def world(database_url: str) -> AsyncIterator[World]:
    async with ingest_world(database_url, window=1000) as world:
        await world.accepted()
        yield world


async def _batch(world: World, *items: Item, key: str | None = None) -> Batch:
    return (await _received(world.use, *items, key=key)).batch


async def _received(use: Ports, *items: Item, key: str | None = None) -> BatchReceived:
    received = await receive_batch(builders.OWNER, items, key, use)
    assert received is not None
    return received


async def _bodies(world: World, kind: type[B]) -> list[B]:
    rows = await world.pool.fetch(
        "SELECT body FROM outbox WHERE type = $1 ORDER BY id", kind.type
    )
    return [kind.model_validate(decode(row["body"]).body) for row in rows]


async def _ordered(world: World) -> list[UUID]:
    return [order.document_id for order in await _bodies(world, ExtractDocumentV1)]


async def _release_all(world: World) -> None:
    while await release_documents(world.use):
        continue


async def test_ten_of_a_batch_are_under_way_whatever_the_window_allows(world: World) -> None:
    batch = await _batch(world, *[KNOWN] * 30)
    await _release_all(world)
    assert len(await _ordered(world)) == 10

    await world.record(*(STORED.about(one) for one in (await _ordered(world))[:3]))
    await _release_all(world)

    ordered = await _ordered(world)
    members = await world.use.batches.list_members(batch.batch_id)
    assert ordered[10:] == [member.document_id for member in members[10:13]]
    assert Counter(member.stage for member in members) == {"queued": 10, "done": 3, "held": 17}


async def test_members_that_end_at_once_complete_their_batch_exactly_once(
    world: World,
) -> None:
    batch = await _batch(world, *[KNOWN] * 10, UNKNOWN)
    ids = await _ordered(world)

    await asyncio.gather(
        *(world.record(STORED.about(one)) for one in ids[:8]),
        world.record(FAILED.about(ids[8])),
        cancel_document(ids[9], owner_id=None, use=world.use),
    )

    [fact] = await _bodies(world, BatchCompletedV1)
    assert fact.batch_id == batch.batch_id
    assert (fact.completed, fact.failed, fact.cancelled, fact.rejected) == (8, 1, 1, 1)
    found = await world.use.batches.find_batch(batch.batch_id, owner_id=builders.OWNER)
    assert found is not None
    assert found.completed_at is not None
    assert await world.use.batches.find_batch(batch.batch_id, owner_id="globex") is None


async def test_a_large_batch_runs_to_its_end_with_facts_from_all_sides(world: World) -> None:
    batch = await _batch(world, *[KNOWN] * 60)
    done: set[UUID] = set()
    while waiting := set(await _ordered(world)) - done:
        await asyncio.gather(
            *(world.record(STORED.about(one)) for one in waiting),
            *(release_documents(world.use) for _ in range(3)),
        )
        done |= waiting
        await _release_all(world)

    members = await world.use.batches.list_members(batch.batch_id)
    assert {member.status for member in members} == {"completed"}
    assert len(await _bodies(world, BatchCompletedV1)) == 1


async def test_a_cancelled_batch_lets_nothing_more_go(world: World) -> None:
    batch = await _batch(world, *[KNOWN] * 15)

    assert await cancel_batch(batch.batch_id, owner_id=None, use=world.use) == 15
    await _release_all(world)

    assert len(await _ordered(world)) == 10
    assert await world.pool.fetchval("SELECT count(*) FROM waiting") == 0
    [fact] = await _bodies(world, BatchCompletedV1)
    assert fact.cancelled == 15


async def test_simultaneous_requests_with_one_key_are_one_batch(world: World) -> None:
    received = await asyncio.gather(
        *(_received(world.use, *[KNOWN] * 5, key="night-1") for _ in range(8))
    )

    assert len({one.batch.batch_id for one in received}) == 1
    assert sum(not one.replayed for one in received) == 1
    assert await world.pool.fetchval("SELECT count(*) FROM batch_members") == 5


@pytest.mark.parametrize("size", [1, 1000])
async def test_a_batch_of_any_size_is_accepted_with_as_many_statements(
    world: World, size: int
) -> None:
    asked = CountingLedger(world)
    use = replace(world.use, ledger=asked)

    batch = (await _received(use, *[KNOWN] * size, key="night-2")).batch

    assert asked.statements <= 8
    assert len(await world.use.batches.list_members(batch.batch_id)) == size

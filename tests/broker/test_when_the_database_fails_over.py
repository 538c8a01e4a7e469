"""The database dies with its machine, and a replica goes on in its place.

With a synchronous replica nothing that was promised is lost. With another, what was committed
while it was not there is: exactly that, and nothing of it is half there.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlsplit
from uuid import UUID

import pytest

from shared.contracts.orders import ExtractDocumentV1
from shared.topology.queues import dead_queue
from tests.broker.bus_bench import BusBench, bus_bench, work_queue
from tests.broker.own_postgres import REPLICA, OwnPostgres, own_postgres
from tests.broker.workers import orders_for, worker
from tests.builders import extract_document
from tests.eventually import eventually
from tests.fault_proxy import FaultProxy, fault_proxy

ORDERS = 60
SYNCHRONOUS = f"ALTER SYSTEM SET synchronous_standby_names = '{REPLICA}'"
FOLLOWS = "SELECT count(*) = 1 FROM pg_stat_replication WHERE state = 'streaming'"
WAITED_FOR = "SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'"
PROMOTE = "SELECT pg_promote()"


@dataclass(frozen=True, slots=True)
class World:
    bench: BusBench
    primary: OwnPostgres
    replica: OwnPostgres
    # The one address that everybody has.
    way: FaultProxy

    async def owe(self, count: int = ORDERS) -> list[UUID]:
        """Committed, each by itself, as their clients were told."""
        orders: Sequence[ExtractDocumentV1] = [extract_document() for _ in range(count)]
        for order in orders:
            await eventually(partial(self.bench.owed, order), within_s=30)
        return [order.document_id for order in orders]

    async def fail_over(self) -> None:
        await self.primary.kill()
        assert await self.replica.says(PROMOTE)
        self.way.target = ("127.0.0.1", self.replica.port)

    async def effects(self) -> list[UUID]:
        rows = await self.bench.pool.fetch("SELECT document_id FROM effects")
        return sorted(row["document_id"] for row in rows)

    async def have_effects(self, documents: Sequence[UUID]) -> bool:
        done = await self.effects()
        assert {*documents} <= {*done}, len({*documents} - {*done})
        return True


@pytest.fixture
async def world(amqp_url: str) -> AsyncIterator[World]:
    async with own_postgres() as primary:
        await primary.start()
        replica = await primary.copied("replica")
        await replica.start()
        await eventually(lambda: primary.says(FOLLOWS), within_s=30, every_s=0.1)
        async with fault_proxy("127.0.0.1", primary.port) as way:
            url = urlsplit(primary.url)
            netloc = f"{url.username}:{url.password}@127.0.0.1:{way.port}"
            given = url._replace(netloc=netloc).geturl()
            async with bus_bench(amqp_url, given, work_queue()) as bench:
                yield World(bench, primary, replica, way)


@pytest.mark.slow
async def test_with_a_synchronous_replica_nothing_is_lost(world: World) -> None:
    await world.primary.says(SYNCHRONOUS)
    await world.primary.says("SELECT pg_reload_conf()")
    await eventually(lambda: world.primary.says(WAITED_FOR), within_s=30, every_s=0.1)

    async with worker(orders_for(world.bench)):
        owing = asyncio.ensure_future(world.owe())
        await eventually(world.effects, within_s=30)
        await world.fail_over()
        promised = await owing
        await eventually(partial(world.have_effects, promised), within_s=60, every_s=0.1)
        await eventually(world.bench.is_quiet, within_s=30)

    assert await world.effects() == sorted(promised)
    assert await world.bench.depth(dead_queue(world.bench.queue.name)) == 0


@pytest.mark.slow
async def test_without_one_exactly_what_it_had_not_heard_of_is_lost(world: World) -> None:
    known = await world.owe()
    await eventually(partial(_has, world.replica, world.bench.schema, ORDERS), within_s=30)
    await world.replica.stop()
    in_the_window = await world.owe(5)
    await world.primary.kill()
    await world.replica.start()
    assert await world.replica.says(PROMOTE)
    world.way.target = ("127.0.0.1", world.replica.port)

    async with worker(orders_for(world.bench)):
        await eventually(partial(world.have_effects, known), within_s=60, every_s=0.1)
        await eventually(world.bench.is_quiet, within_s=30)
        after = await world.owe(5)
        await eventually(partial(world.have_effects, after), within_s=60, every_s=0.1)

    assert await world.effects() == sorted([*known, *after])
    assert not {*in_the_window} & {*await world.effects()}


async def _has(server: OwnPostgres, schema: str, count: int) -> bool:
    return await server.says(f"SELECT count(*) FROM {schema}.outbox") == count

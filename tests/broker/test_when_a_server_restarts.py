"""The broker or the database goes away under load and comes back: nothing lost, one effect."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from uuid import UUID

import pytest

from shared.errors import Retryable
from shared.topology.queues import dead_queue
from tests.broker.bus_bench import BusBench, bus_bench, work_queue
from tests.broker.servers import OwnServers
from tests.broker.workers import orders_for, worker
from tests.builders import extract_document
from tests.eventually import eventually

LOAD = 400
ROUNDS = 20


@pytest.fixture(params=[0, 20], ids=["one by one", "in batches"])
async def bench(
    request: pytest.FixtureRequest, amqp_url: str, database_url: str
) -> AsyncIterator[BusBench]:
    queue = work_queue(batch=request.param) if request.param else work_queue()
    async with bus_bench(amqp_url, database_url, queue) as bench:
        yield bench


@pytest.mark.parametrize(
    "kill",
    [
        pytest.param(False, id="in order", marks=pytest.mark.slow),
        pytest.param(True, id="with kill -9"),
    ],
)
@pytest.mark.parametrize("server", ["rabbitmq", "postgres"])
async def test_nothing_is_lost_and_nothing_is_done_twice(
    bench: BusBench, own_servers: OwnServers, server: str, kill: bool
) -> None:
    async with worker(orders_for(bench)):
        owing = asyncio.ensure_future(_owe_all(bench))
        await eventually(lambda: _some_done(bench))
        await own_servers.restart(server, kill=kill)
        documents = await owing
        await eventually(lambda: _all_done(bench), within_s=60)
        await eventually(bench.is_quiet, within_s=30)

    done = await bench.pool.fetch("SELECT document_id FROM effects")
    assert sorted(row["document_id"] for row in done) == sorted(documents)
    assert await bench.depth(dead_queue(bench.queue.name)) == 0


async def _owe_all(bench: BusBench) -> list[UUID]:
    """Commit orders bit by bit, each until it is known to be committed."""
    documents: list[UUID] = []
    for _ in range(ROUNDS):
        orders = [extract_document() for _ in range(LOAD // ROUNDS)]
        await eventually(partial(bench.owed, *orders), within_s=60)
        documents += [order.document_id for order in orders]
    return documents


async def _some_done(bench: BusBench) -> bool:
    return len(await bench.effects()) >= LOAD // 10


async def _all_done(bench: BusBench) -> bool:
    try:
        return len(await bench.effects()) >= LOAD
    except Retryable:
        return False

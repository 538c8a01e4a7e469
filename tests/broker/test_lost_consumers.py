"""A consumer that the broker has dropped comes back by itself, and is missed meanwhile."""

from collections.abc import AsyncIterator

import pytest

from shared.bus.jobs import Job
from shared.contracts.orders import ExtractDocumentV1
from shared.observability.metrics import REGISTRY
from shared.topology.declare import apply
from shared.topology.plan import plan
from tests.broker.bus_bench import BusBench, bus_bench, work_queue
from tests.eventually import eventually


@pytest.fixture
async def bench(amqp_url: str, database_url: str) -> AsyncIterator[BusBench]:
    async with bus_bench(amqp_url, database_url, work_queue()) as bench:
        yield bench


async def test_a_queue_deleted_and_declared_again_is_consumed_again(bench: BusBench) -> None:
    async def do(job: Job[ExtractDocumentV1]) -> None:
        async with bench.ledger.handling(job) as unit:
            await bench.effects_of(unit)

    async with bench.consuming_with(one=do):
        async with bench.consuming.channel() as channel:
            await channel.queue_delete(bench.queue.name)
        await eventually(lambda: _lost(bench) >= 1)
        await apply(bench.amqp_url, plan([bench.queue]))
        await bench.submit()
        await eventually(lambda: _done(bench), within_s=20)


async def test_a_connection_closed_by_the_broker_is_made_again(bench: BusBench) -> None:
    async def do(job: Job[ExtractDocumentV1]) -> None:
        async with bench.ledger.handling(job) as unit:
            await bench.effects_of(unit)

    async with bench.consuming_with(one=do):
        await bench.drop_connections()
        await eventually(lambda: bench.consuming.is_up and bench.publishing.is_up)
        await bench.submit()
        await eventually(lambda: _done(bench), within_s=20)


def _lost(bench: BusBench) -> float:
    labels = {"queue": bench.queue.name}
    return REGISTRY.get_sample_value("paperline_consumer_lost_total", labels) or 0


async def _done(bench: BusBench) -> bool:
    return len(await bench.effects()) == 1

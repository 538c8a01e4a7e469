"""The broker reads nothing any more from whoever publishes, and work goes on all the same:
a service takes and acknowledges on a connection of its own."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from pamqp.commands import Basic

from shared.blobs.open import open_blobs
from shared.contracts.envelope import encode
from shared.contracts.identity import new_id
from shared.contracts.orders import StoreDocumentV1
from shared.topology.queues import JOBS, STORE
from tests.broker.messages import raw_channel
from tests.broker.servers import OwnServers
from tests.broker.storage_process import Outside, outside
from tests.eventually import eventually
from tests.fakes.clock import NOON

# More than are sent ahead to a consumer that acknowledges nothing.
DOCUMENTS = STORE.prefetch * 2


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[Outside]:
    url = f"file://{tmp_path}/blobs"
    async with outside(tmp_path, open_blobs(url), {"PAPERLINE_BLOBS_URL": url}) as world:
        yield world


async def _ordered(world: Outside, orders: Sequence[StoreDocumentV1]) -> None:
    """In the queue, before anybody takes from it."""
    said = Basic.Properties(content_type="application/json", delivery_mode=2)
    async with raw_channel(world.amqp_url) as channel:
        for order in orders:
            raw = encode(order, job_id=new_id(), created_at=NOON, traceparent=None)
            await channel.basic_publish(
                raw, exchange=JOBS, routing_key=STORE.name, properties=said
            )


async def test_what_waits_is_done_and_what_is_owed_goes_out_afterwards(
    world: Outside, own_servers: OwnServers
) -> None:
    orders = await world.extract(DOCUMENTS)
    await _ordered(world, orders)

    async with own_servers.memory_alarm(), world.storage():
        await eventually(lambda: _is_stored(world), within_s=90, every_s=0.2)
        owed = await world.pool.fetchval("SELECT count(*) FROM outbox")
        assert await world.reviews() == 0
    async with world.storage():
        await eventually(lambda: _is_told(world), within_s=60, every_s=0.2)

    # Each is a fact and an order to open its review, at least.
    assert owed >= 2 * DOCUMENTS
    assert await world.dead() == 0


async def _is_stored(world: Outside) -> bool:
    return bool(
        await world.pool.fetchval("SELECT count(*) = $1 FROM stored_results", DOCUMENTS)
    )


async def _is_told(world: Outside) -> bool:
    return await world.reviews() == DOCUMENTS

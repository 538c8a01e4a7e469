"""A broker that is well behind a network that is not: what was lost on the way is sent again.

That an answer does not arrive says nothing of what it answered. So a row stays until it is
confirmed, and whoever takes the second copy drops it.
"""

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from urllib.parse import urlsplit

import pytest

from shared.bus.frames import Outgoing
from shared.bus.jobs import Job
from shared.bus.publisher import Outcome, Publisher
from shared.contracts.orders import ExtractDocumentV1
from shared.ledger.relay import PublishUnknown, Relay
from shared.topology.queues import JOBS
from tests.broker.bus_bench import BusBench, bus_bench, work_queue
from tests.broker.messages import raw_channel
from tests.builders import extract_document
from tests.eventually import eventually
from tests.fault_proxy import Cut, Fault, FaultProxy, Flip, Forward, Silence, fault_proxy

CONFIRM_WITHIN_S = 0.5
# By three heartbeats of ten seconds and a little; the rest is for a busy machine.
NOTICED_WITHIN_S = 40.0
LOST_ANSWERS = {
    "silent": Silence("client"),
    "reset in the middle of the frame": Cut("client", after_bytes=9, times=1),
    "one bit of it flipped": Flip("client"),
}


@dataclass(frozen=True, slots=True)
class World:
    bench: BusBench
    proxy: FaultProxy
    # Where the broker is reached whatever happens on the way.
    near_url: str

    async def waiting(self) -> int:
        async with raw_channel(self.near_url) as channel:
            declared = await channel.queue_declare(self.bench.queue.name, passive=True)
        return declared.message_count or 0

    async def is_connected(self) -> bool:
        return self.bench.publishing.is_up and self.bench.consuming.is_up

    async def done_once(self) -> bool:
        return await self.waiting() == 0 and len(await self.bench.effects()) == 1

    async def do(self, job: Job[ExtractDocumentV1]) -> None:
        async with self.bench.ledger.handling(job) as unit:
            await self.bench.effects_of(unit)


@pytest.fixture
async def world(amqp_url: str, database_url: str) -> AsyncIterator[World]:
    parts = urlsplit(amqp_url)
    async with fault_proxy(str(parts.hostname), parts.port or 0) as proxy:
        netloc = f"{parts.username}:{parts.password}@127.0.0.1:{proxy.port}"
        far = parts._replace(netloc=netloc).geturl()
        async with bus_bench(far, database_url, work_queue()) as bench:
            yield World(bench, proxy, amqp_url)
            proxy.do(Forward())


@pytest.mark.parametrize("fault", LOST_ANSWERS.values(), ids=LOST_ANSWERS)
async def test_what_was_not_confirmed_is_sent_again_and_its_copy_is_dropped(
    world: World, fault: Fault
) -> None:
    bench = world.bench
    hasty = Publisher(bench.publishing, app_id="hasty", timeout_s=CONFIRM_WITHIN_S)
    relay = Relay(bench.pool, hasty)
    # So that its channel is open, and the next answer is a confirmation.
    await hasty.publish_one(_order(world, b"[]"))
    assert await bench.take()
    await bench.owe(extract_document())
    world.proxy.do(fault)

    with pytest.raises(PublishUnknown):
        await relay.send_batch()
    left = len(await bench.outbox())
    assert world.proxy.struck
    assert await world.waiting() == 1
    world.proxy.do(Forward())
    await eventually(world.is_connected, within_s=20)
    await eventually(lambda: _has_sent(bench, relay), within_s=30)

    assert left == 1
    # One more for each time that nobody was told.
    assert await world.waiting() >= 2
    async with bench.consuming_with(one=world.do):
        await eventually(world.done_once, within_s=20)
    assert len(await bench.effects()) == 1


async def test_what_was_cut_in_the_middle_of_a_frame_is_not_there_and_then_whole(
    world: World,
) -> None:
    body = b"x" * 400_000
    world.proxy.do(Cut("server", after_bytes=100_000, times=1))

    [torn] = await world.bench.publisher.publish([_order(world, body)])
    nothing = await world.waiting()
    await eventually(world.is_connected, within_s=20)
    [whole] = await world.bench.publisher.publish([_order(world, body)])

    assert (torn, nothing, whole) == (Outcome.UNKNOWN, 0, Outcome.CONFIRMED)
    taken = await world.bench.take()
    assert taken is not None
    assert taken.body == body
    assert await world.waiting() == 0


async def test_behind_a_slow_network_everything_goes_on_and_nothing_is_doubled(
    world: World,
) -> None:
    world.proxy.do(Forward(latency_s=0.2))

    async with world.bench.consuming_with(one=world.do):
        await world.bench.owe(*(extract_document() for _ in range(5)))
        await world.bench.relay.drain()
        await eventually(lambda: _have_effects(world, 5), within_s=20)
        await eventually(lambda: _is_empty(world), within_s=20)

    assert len(set(await world.bench.effects())) == len(await world.bench.effects()) == 5


@pytest.mark.slow
async def test_a_connection_that_fell_silent_is_noticed_and_its_consumer_is_back(
    world: World,
) -> None:
    async with world.bench.consuming_with(one=world.do):
        world.proxy.do(Silence())
        began = time.monotonic()
        await eventually(lambda: not world.bench.consuming.is_up, within_s=NOTICED_WITHIN_S)
        await eventually(lambda: not world.bench.publishing.is_up, within_s=NOTICED_WITHIN_S)
        noticed_s = time.monotonic() - began
        world.proxy.do(Forward())
        await eventually(world.is_connected, within_s=20)
        await world.bench.submit()

        await eventually(world.done_once, within_s=20)

    # Sooner, and a broker that is merely busy would be taken for one that is gone.
    assert 10 < noticed_s < NOTICED_WITHIN_S


async def _has_sent(bench: BusBench, relay: Relay) -> bool:
    await relay.drain()
    return not await bench.outbox()


def _order(world: World, body: bytes) -> Outgoing:
    return Outgoing(JOBS, world.bench.queue.name, body, "document.extract")


async def _have_effects(world: World, count: int) -> bool:
    return len(await world.bench.effects()) >= count


async def _is_empty(world: World) -> bool:
    return await world.waiting() == 0

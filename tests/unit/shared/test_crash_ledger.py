"""Starts are counted where a crash cannot reach them, and only deaths remain counted."""

import asyncio

import pytest

from shared.bus.consumer import STARTS_MAX
from shared.bus.decision import DeadLetter, Done
from shared.contracts.identity import new_id
from shared.topology.queues import EXTRACT
from tests.eventually import eventually
from tests.fakes.deliveries import delivery, envelope
from tests.fakes.desk import DeskWorld


@pytest.fixture
def world() -> DeskWorld:
    return DeskWorld()


async def test_a_redelivered_message_counts_its_starts_until_it_is_settled(
    world: DeskWorld,
) -> None:
    arrived = delivery(EXTRACT, redelivered=True)
    world.blocks.clear()
    handling = asyncio.ensure_future(world.deliver(arrived))
    await eventually(lambda: world.seen)
    counted = dict(world.record.starts)
    world.blocks.set()
    await handling

    assert list(counted.values()) == [2]
    assert world.record.starts == {}


async def test_a_message_that_kills_every_process_is_taken_out(world: DeskWorld) -> None:
    raw = envelope(job_id=new_id())
    arrived = delivery(EXTRACT, raw, redelivered=True)
    assert arrived.job_id is not None
    # As many starts as there may be: each of them has ended with its process.
    world.record.starts[EXTRACT.name, arrived.job_id] = STARTS_MAX

    assert await world.deliver(arrived) == DeadLetter("poison", "poison")

    assert world.seen == []
    assert world.reasons == ["poison"]


async def test_a_suspect_runs_alone_at_its_last_start(world: DeskWorld) -> None:
    suspect = delivery(EXTRACT, redelivered=True)
    assert suspect.job_id is not None
    world.record.starts[EXTRACT.name, suspect.job_id] = STARTS_MAX - 1
    world.blocks.clear()
    first = asyncio.ensure_future(world.deliver())
    await eventually(lambda: len(world.seen) == 1)

    handling = asyncio.ensure_future(world.deliver(suspect))
    await eventually(lambda: world.solo._alone_wanted)

    assert len(world.seen) == 1
    # Who only waits for his turn when a neighbour kills the process is not suspected of it.
    assert world.record.starts[EXTRACT.name, suspect.job_id] == STARTS_MAX - 1
    world.blocks.set()
    assert await first == Done()
    assert await handling == Done()


async def test_a_shutdown_takes_its_start_back_and_settles_nothing(world: DeskWorld) -> None:
    arrived = delivery(EXTRACT, redelivered=True)
    world.blocks.clear()
    handling = asyncio.ensure_future(world.deliver(arrived))
    await eventually(lambda: world.seen)

    handling.cancel()

    with pytest.raises(asyncio.CancelledError):
        await handling
    assert list(world.record.starts.values()) == [1]
    assert world.publisher.published == []
    assert world.record.outbox == []


async def test_a_first_delivery_interrupted_by_a_shutdown_leaves_no_suspicion(
    world: DeskWorld,
) -> None:
    raw = envelope(job_id=new_id())
    for redelivered in [False, *[True] * 20]:
        world.blocks.clear()
        world.seen.clear()
        again = delivery(EXTRACT, raw, redelivered=redelivered)
        handling = asyncio.ensure_future(world.deliver(again))
        await eventually(lambda: world.seen)
        handling.cancel()
        await asyncio.wait({handling})
    world.blocks.set()

    assert await world.deliver(raw=raw, redelivered=True) == Done()

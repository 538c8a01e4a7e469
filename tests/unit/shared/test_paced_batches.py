"""A pace makes batches larger, and holds up nobody who leaves and no batch that is full."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from shared.bus import batches
from shared.bus.batches import Batches
from shared.bus.consumer import Consumption
from shared.bus.jobs import Job
from shared.bus.pace import STEADY_PER_S, Pace
from shared.contracts.identity import new_id
from shared.topology.queues import STORE
from tests.builders import store_document
from tests.eventually import eventually
from tests.fakes.deliveries import FakeChannel, envelope, message
from tests.fakes.desk import DeskWorld

# Longer than any test waits: whoever keeps it is seen to.
LONG = replace(STORE, batch=STEADY_PER_S, pace_s=60.0)


class World(DeskWorld):
    def __init__(self) -> None:
        super().__init__(LONG, Consumption(LONG, many=self.do_many))
        self.channel = FakeChannel()
        self.sizes: list[int] = []
        self.intake = Batches(self.desk)

    async def do_many(self, jobs: Sequence[Job[Any]]) -> None:
        self.sizes.append(len(jobs))
        for job in jobs:
            self.record.mark_done(LONG, job)

    def arrive(self, count: int) -> list[UUID]:
        job_ids = [new_id() for _ in range(count)]
        for job_id in job_ids:
            raw = envelope(store_document(), job_id=job_id)
            self.intake.take(message(raw), self.channel.as_channel())
        return job_ids

    async def after_a_steady_stream(self) -> None:
        self.arrive(STEADY_PER_S)
        await eventually(lambda: len(self.channel.acks) == 1)


@pytest.fixture
async def world(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[World]:
    # On a busy machine the stream of a test would be over before it is looked at.
    monkeypatch.setattr(batches, "Pace", partial(Pace, monotonic=lambda: 0.0))
    world = World()
    yield world
    await world.intake.finish(pausing=False)


async def test_what_comes_in_a_steady_stream_waits_for_more(world: World) -> None:
    await world.after_a_steady_stream()

    world.arrive(3)
    await _idle()
    world.arrive(4)
    await _idle()

    assert world.sizes == [STEADY_PER_S]


async def test_a_full_batch_waits_for_nothing(world: World) -> None:
    await world.after_a_steady_stream()

    world.arrive(STEADY_PER_S - 1)
    await _idle()
    world.arrive(2)
    await eventually(lambda: len(world.sizes) > 1)

    # What is left over is the beginning of the next one.
    await _idle()
    assert world.sizes == [STEADY_PER_S, STEADY_PER_S]


async def test_who_stops_waits_for_no_pace(world: World) -> None:
    await world.after_a_steady_stream()
    world.arrive(3)
    await _idle()

    async with asyncio.timeout(5):
        await world.intake.finish(pausing=False)

    # Not begun: the broker has them back with the channel.
    assert world.sizes == [STEADY_PER_S]
    assert len(world.channel.acks) == 1


async def test_who_pauses_waits_for_no_pace_and_sends_them_to_wait(world: World) -> None:
    await world.after_a_steady_stream()
    world.arrive(3)
    await _idle()

    async with asyncio.timeout(5):
        await world.intake.finish(pausing=True)

    assert world.sizes == [STEADY_PER_S]
    assert len(world.channel.acks) == 1 + 3


async def test_a_lost_channel_ends_the_waiting(world: World) -> None:
    await world.after_a_steady_stream()
    world.arrive(3)
    await _idle()

    world.intake.forget()
    async with asyncio.timeout(5):
        await world.intake.finish(pausing=False)

    assert world.sizes == [STEADY_PER_S]


async def _idle() -> None:
    """As long as it takes until everybody waits for something."""
    for _ in range(50):
        await asyncio.sleep(0)

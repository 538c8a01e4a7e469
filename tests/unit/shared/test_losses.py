"""What a lost connection or a failed settlement may never do: lose a message or convict one."""

import asyncio
from dataclasses import replace
from typing import Any, cast

import pytest

from shared.bus.batches import Batches
from shared.bus.consumer import Consumption
from shared.bus.decision import Done
from shared.bus.headers import REPLAY, RUN
from shared.bus.losses import loss_as_error
from shared.bus.ports import Pause
from shared.bus.publisher import Outcome
from shared.bus.queue_consumer import QueueConsumer
from shared.bus.slots import Slots
from shared.contracts.identity import new_id
from shared.errors import Retryable
from shared.topology.queues import EXTRACT, STORE
from tests.builders import store_document
from tests.eventually import eventually
from tests.fakes.deliveries import FakeChannel, delivery, envelope, message
from tests.fakes.desk import DeskWorld

POSTGRES_AWAY = Retryable("connection refused", dependency="postgres")
BATCHES = replace(STORE, batch=5)


@pytest.fixture
def world() -> DeskWorld:
    return DeskWorld()


async def test_a_cancellation_that_nobody_ordered_is_a_lost_connection() -> None:
    with pytest.raises(ConnectionError), loss_as_error():
        raise asyncio.CancelledError


async def test_a_cancellation_that_somebody_ordered_stays_one() -> None:
    async def wait_for_ever() -> None:
        with loss_as_error():
            await asyncio.Event().wait()

    task = asyncio.ensure_future(wait_for_ever())
    await asyncio.sleep(0)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task


async def test_what_cannot_be_sent_to_wait_is_no_suspect_however_often(
    world: DeskWorld,
) -> None:
    world.error = Retryable("the provider hiccupped")
    job_id = new_id()
    raw = envelope(job_id=job_id)

    for attempt in range(6):
        world.publisher.outcomes.append(Outcome.UNKNOWN)
        arrived = delivery(EXTRACT, raw, redelivered=attempt > 0)
        assert await world.deliver(arrived) is None

    assert world.reasons == []
    assert len(world.seen) == 6
    assert world.record.starts[EXTRACT.name, job_id] <= 1


async def test_a_broker_that_takes_nothing_pauses_the_queue(world: DeskWorld) -> None:
    world.error = Retryable("the provider hiccupped")
    world.publisher.outcomes.append(Outcome.UNKNOWN)

    await world.deliver()

    assert [asked.reason for asked in world.board.asked] == ["broker_away"]


async def test_what_is_settled_stays_settled_when_its_starts_cannot_be_forgotten(
    world: DeskWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: object) -> None:
        raise POSTGRES_AWAY

    monkeypatch.setattr(world.record, "forget_starts", away)

    decision = await world.deliver(redelivered=True)

    assert decision == Done()
    assert world.given_back == 0


async def test_a_start_whose_channel_was_lost_is_taken_back(world: DeskWorld) -> None:
    slots, job_id = Slots(world.desk), new_id()
    world.blocks.clear()
    slots.take(message(envelope(job_id=job_id)), FakeChannel().as_channel())
    await eventually(lambda: world.seen)

    slots.forget()
    await eventually(lambda: (EXTRACT.name, job_id) in world.record.starts)
    world.blocks.set()
    await slots.finish(pausing=False)

    assert world.record.starts[EXTRACT.name, job_id] == 0


async def test_a_drain_that_is_cut_short_still_ends_what_is_in_hand(world: DeskWorld) -> None:
    slots, job_id = Slots(world.desk), new_id()
    world.blocks.clear()
    slots.take(message(envelope(job_id=job_id)), FakeChannel().as_channel())
    await eventually(lambda: world.seen)
    finishing = asyncio.ensure_future(slots.finish(pausing=True))
    await asyncio.sleep(0)

    finishing.cancel()
    await asyncio.gather(finishing, return_exceptions=True)

    assert world.record.starts[EXTRACT.name, job_id] == 0


async def test_a_buffered_message_that_could_not_be_buried_is_not_acknowledged() -> None:
    world, channel = _batch_world(), FakeChannel()
    intake = Batches(world.desk)
    world.blocks.clear()
    intake.take(message(envelope(store_document())), channel.as_channel())
    await eventually(lambda: world.seen)
    intake.take(message(b"not readable"), channel.as_channel())
    world.publisher.outcomes.append(Outcome.UNKNOWN)

    finishing = asyncio.ensure_future(intake.finish(pausing=True))
    await asyncio.sleep(0)
    world.blocks.set()
    await finishing

    assert len(channel.acks) == 1
    assert world.given_back == 1


async def test_a_replay_beside_an_old_copy_of_its_job_has_an_end_of_its_own() -> None:
    world, channel = _batch_world(), FakeChannel()
    intake, raw = Batches(world.desk), envelope(store_document(), job_id=new_id())
    replay = {RUN: "1", REPLAY: str(new_id())}

    intake.take(message(raw, redelivered=True), channel.as_channel())
    intake.take(message(raw, headers=replay), channel.as_channel())
    await eventually(lambda: channel.acks)

    assert [job.run for job in world.seen] == [0]
    assert [row.type for row in world.record.outbox] == ["replay.settled"]


async def test_a_probe_that_finds_no_database_ends_nothing(
    world: DeskWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(_: str) -> bool:
        raise POSTGRES_AWAY

    monkeypatch.setattr("shared.bus.connection.CONNECT_TIMEOUT_S", 0.1)
    monkeypatch.setattr(world.board, "claim_probe", away)
    world.board.pauses[EXTRACT.name] = Pause(EXTRACT.name, "blobs_away", probe_due=True)
    consumer = QueueConsumer(Consumption(EXTRACT, one=world.do_one), world.desk.bus)
    running = asyncio.ensure_future(consumer.run())
    await eventually(lambda: not cast(Any, consumer)._subscription.is_open)

    for _ in range(3):
        world.board.tell()
        await asyncio.sleep(0)

    assert not running.done()
    await consumer.stop()
    await running


def _batch_world() -> DeskWorld:
    world = DeskWorld(BATCHES)

    async def many(jobs: Any) -> None:  # noqa: ANN401
        for job in jobs:
            await world.do_one(job)

    world.desk._consumption = Consumption(BATCHES, many=many)
    return world

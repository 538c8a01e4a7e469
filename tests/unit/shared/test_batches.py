"""What has arrived is done together, and acknowledged together or not at all."""

import asyncio
from collections.abc import AsyncIterator, Collection
from uuid import UUID

import pytest

from shared.bus import consumer
from shared.bus.consumer import STARTS_MAX
from shared.bus.headers import DEAD_REASON
from shared.topology.queues import WorkQueue
from tests.eventually import eventually
from tests.unit.shared.batch_world import POSTGRES_AWAY, QUEUE, World, batch_world, ids


@pytest.fixture
async def world(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[World]:
    async with batch_world(monkeypatch) as world:
        yield world


async def test_what_has_arrived_is_one_batch_and_one_acknowledgement(world: World) -> None:
    jobs = ids(4)
    arrived = world.arrive(*jobs)

    await world.settled(arrived[-1])

    assert world.batches == [jobs]
    assert len(world.channel.acks) == 1


async def test_a_batch_is_never_larger_than_its_limit(world: World) -> None:
    arrived = world.arrive(*ids(12))

    await world.settled(arrived[-1])

    assert [len(batch) for batch in world.batches] == [5, 5, 2]
    assert [tag for tag, _ in world.channel.acks] == [
        arrived[at].delivery_tag for at in (4, 9, 11)
    ]


async def test_a_repeated_id_is_one_job(world: World) -> None:
    [job] = ids(1)
    arrived = world.arrive(job, job, job)

    await world.settled(arrived[-1])

    assert world.batches == [[job]]


async def test_the_guilty_one_is_found_and_the_others_are_done(world: World) -> None:
    jobs = ids(4)
    world.guilty = {jobs[2]}
    arrived = world.arrive(*jobs)

    await world.settled(arrived[-1])

    assert world.done == set(jobs) - world.guilty
    [letter] = [row for row in world.record.outbox if row.exchange == "dead"]
    assert letter.headers[DEAD_REASON] == "corrupt"
    assert world.batches == [jobs, *([job] for job in jobs)]


async def test_what_cannot_be_read_leaves_the_batch(world: World) -> None:
    jobs = ids(2)
    world.arrive(jobs[0])
    world.arrive_raw(b"\xff")
    [last] = world.arrive(jobs[1])

    await world.settled(last)

    assert world.batches == [jobs]
    [letter] = world.publisher.published
    assert letter.body == b"\xff"


async def test_a_suspect_leaves_the_batch_and_runs_alone(world: World) -> None:
    jobs = ids(2)
    world.record.starts[QUEUE.name, jobs[0]] = STARTS_MAX - 1
    arrived = world.arrive(*jobs, redelivered=True)

    await world.settled(arrived[-1])

    assert world.batches == [[jobs[1]], [jobs[0]]]
    assert world.record.starts == {}


async def test_a_message_that_killed_every_process_does_not_kill_the_batch(
    world: World,
) -> None:
    jobs = ids(2)
    world.record.starts[QUEUE.name, jobs[0]] = STARTS_MAX
    arrived = world.arrive(*jobs, redelivered=True)

    await world.settled(arrived[-1])

    assert world.batches == [[jobs[1]]]
    assert world.reasons == ["poison"]


async def test_a_shutdown_finishes_the_batch_in_hand_and_leaves_the_rest(world: World) -> None:
    world.blocks.clear()
    arrived = world.arrive(*ids(7))
    await eventually(lambda: world.batches)

    finishing = asyncio.ensure_future(world.intake.finish(pausing=False))
    world.blocks.set()
    await finishing

    # One batch was in flight, however much had arrived.
    assert len(world.batches) == 1
    assert world.channel.acks == [(arrived[4].delivery_tag, True)]
    assert world.publisher.published == []


async def test_a_shutdown_does_not_wait_for_a_database_that_is_away(world: World) -> None:
    world.errors = [POSTGRES_AWAY] * 10_000
    world.arrive(*ids(1))
    await eventually(lambda: len(world.batches) > 1)

    await world.intake.finish(pausing=False)

    assert world.channel.acks == []


async def test_a_shutdown_waits_for_a_silent_database_once_and_not_for_each(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumer, "TAKE_BACK_TIMEOUT_S", 0.2)
    world.blocks.clear()
    world.arrive(*ids(5))
    await eventually(lambda: world.batches)
    asked: list[int] = []

    async def silent(_queue: WorkQueue, job_ids: Collection[UUID]) -> None:
        asked.append(len(job_ids))
        await asyncio.Event().wait()

    monkeypatch.setattr(world.record, "take_back_starts", silent)
    monkeypatch.setattr(world.desk, "patience_s", lambda *, pausing: 0.05)

    async with asyncio.timeout(5):
        await world.intake.finish(pausing=False)

    assert asked == [5]


async def test_a_pausing_queue_sends_its_buffer_to_wait_without_an_attempt(
    world: World,
) -> None:
    world.blocks.clear()
    arrived = world.arrive(*ids(7))
    await eventually(lambda: world.batches)

    finishing = asyncio.ensure_future(world.intake.finish(pausing=True))
    world.blocks.set()
    await finishing

    waiting = world.publisher.published
    assert [one.exchange for one in waiting] == ["delay.03", "delay.03"]
    assert [one.headers["paperline-deferrals"] for one in waiting] == ["1", "1"]
    assert [tag for tag, _ in world.channel.acks] == [
        arrived[at].delivery_tag for at in (4, 5, 6)
    ]


async def test_a_lost_channel_forgets_what_was_only_buffered(world: World) -> None:
    world.blocks.clear()
    world.arrive(*ids(7))
    await eventually(lambda: world.batches)

    world.intake.forget()
    world.blocks.set()
    await eventually(lambda: len(world.channel.acks) == 1)

    assert len(world.batches) == 1

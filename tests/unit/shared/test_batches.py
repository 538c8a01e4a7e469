"""What has arrived is done together, and acknowledged together or not at all."""

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from aiormq.abc import DeliveredMessage

from shared.bus import batches as subject
from shared.bus import consumer
from shared.bus.batches import Batches
from shared.bus.consumer import STARTS_MAX, Consumption
from shared.bus.headers import DEAD_REASON, REPLAY
from shared.bus.jobs import AlreadyHandled, Job
from shared.bus.publisher import Outcome
from shared.bus.running import Stuck
from shared.contracts.facts import ReplaySettledV1
from shared.contracts.identity import new_id
from shared.errors import LostRace, Rejected, Retryable
from shared.topology.queues import STORE, WorkQueue
from tests.builders import store_document
from tests.eventually import eventually
from tests.fakes.deliveries import FakeChannel, envelope, message
from tests.fakes.desk import DeskWorld

QUEUE = replace(STORE, batch=5)
POSTGRES_AWAY = Retryable("connection refused", dependency="postgres")


class World(DeskWorld):
    """A batch handler that a test can block, and that objects to chosen jobs."""

    def __init__(self) -> None:
        super().__init__(QUEUE, Consumption(QUEUE, many=self.do_many))
        self.channel = FakeChannel()
        self.batches: list[list[UUID]] = []
        self.guilty: set[UUID] = set()
        # Raised by the next batches, in turn, before they do anything.
        self.errors: list[Exception] = []
        self.intake = Batches(self.desk)

    async def do_many(self, jobs: Sequence[Job[Any]]) -> None:
        self.batches.append([job.job_id for job in jobs])
        await self.blocks.wait()
        if self.errors:
            raise self.errors.pop(0)
        for job in jobs:
            if job.job_id in self.guilty:
                raise Rejected("corrupt")
        for job in jobs:
            self.record.mark_done(QUEUE, job)

    def arrive(self, *job_ids: UUID, **how: Any) -> list[DeliveredMessage]:  # noqa: ANN401
        raws = [envelope(store_document(), job_id=job_id) for job_id in job_ids]
        return [self.arrive_raw(raw, **how) for raw in raws]

    def arrive_raw(self, raw: bytes, **how: Any) -> DeliveredMessage:  # noqa: ANN401
        arrived = message(raw, **how)
        self.intake.take(arrived, self.channel.as_channel())
        return arrived

    async def settled(self, last: DeliveredMessage) -> None:
        await eventually(lambda: self.channel.acks[-1:] == [(last.delivery_tag, True)])

    @property
    def done(self) -> set[UUID]:
        return {key[1] for key, mark in self.record.marks.items() if mark.outcome == "done"}


@pytest.fixture
async def world(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[World]:
    # The pauses between tries of a batch, short enough for a test.
    monkeypatch.setattr(subject, "HOLD_S_MIN", 0.01)
    world = World()
    yield world
    await world.intake.finish(pausing=False)


def ids(count: int) -> list[UUID]:
    return [new_id() for _ in range(count)]


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


async def test_while_the_database_is_away_the_batch_is_held(world: World) -> None:
    jobs = ids(3)
    world.errors = [POSTGRES_AWAY] * 3
    arrived = world.arrive(*jobs)

    await world.settled(arrived[-1])

    assert world.batches == [jobs] * 4
    assert world.publisher.published == []


async def test_a_batch_that_lost_a_race_runs_again_as_it_is(world: World) -> None:
    jobs = ids(3)
    world.errors = [LostRace("deadlock detected")]
    arrived = world.arrive(*jobs)

    await world.settled(arrived[-1])

    assert world.batches == [jobs, jobs]


async def test_a_batch_that_loses_every_race_is_taken_apart(world: World) -> None:
    jobs = ids(2)
    world.errors = [LostRace("deadlock detected")] * 4
    arrived = world.arrive(*jobs)

    await world.settled(arrived[-1])

    assert world.batches == [*([jobs] * 4), *([job] for job in jobs)]
    assert world.done == set(jobs)


async def test_a_batch_that_took_too_long_is_taken_apart_at_once(world: World) -> None:
    jobs = ids(2)
    world.errors = [Retryable("timed out after 300 s")]
    arrived = world.arrive(*jobs)

    await world.settled(arrived[-1])

    assert world.batches == [jobs, *([job] for job in jobs)]
    assert world.done == set(jobs)


async def test_beside_a_batch_that_cannot_be_stopped_nothing_is_begun(world: World) -> None:
    jobs, [suspect] = ids(2), ids(1)
    world.record.starts[QUEUE.name, suspect] = STARTS_MAX - 1
    world.errors = [Stuck("still running")]

    world.arrive(*jobs, suspect, redelivered=True)
    await eventually(lambda: world.batches)
    await world.intake.finish(pausing=False)

    assert world.batches == [jobs]
    assert world.channel.acks == []
    # Whoever does this to every process is found by the ends that it brought about.
    assert world.record.starts == {(QUEUE.name, suspect): STARTS_MAX - 1} | {
        (QUEUE.name, job): 2 for job in jobs
    }


async def test_replays_that_were_done_before_are_settled(world: World) -> None:
    replay_id = new_id()
    world.errors = [AlreadyHandled()]
    arrived = world.arrive(*ids(1), headers={REPLAY: str(replay_id)})

    await world.settled(arrived[-1])

    assert [row.type for row in world.record.outbox] == [ReplaySettledV1.type]


async def test_after_a_batch_that_was_not_settled_nothing_is_acknowledged(
    world: World,
) -> None:
    # The next acknowledgement would cover the unsettled ones too, and they would be lost.
    jobs = ids(8)
    world.errors = [Rejected("corrupt"), Retryable("hiccup")]
    world.publisher.outcomes.append(Outcome.UNKNOWN)

    world.arrive(*jobs)
    await eventually(lambda: world.given_back)
    await world.intake.finish(pausing=False)

    assert world.channel.acks == []
    assert not set(jobs[5:]) & world.done


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

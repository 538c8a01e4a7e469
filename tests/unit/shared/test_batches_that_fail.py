"""What fails for all of a batch is the batch's; what one has caused takes it apart."""

from collections.abc import AsyncIterator

import pytest

from shared.bus.consumer import STARTS_MAX
from shared.bus.headers import REPLAY
from shared.bus.jobs import AlreadyHandled
from shared.bus.publisher import Outcome
from shared.bus.running import Stuck
from shared.contracts.facts import ReplaySettledV1
from shared.contracts.identity import new_id
from shared.errors import LostRace, Rejected, Retryable
from tests.eventually import eventually
from tests.unit.shared.batch_world import POSTGRES_AWAY, QUEUE, World, batch_world, ids


@pytest.fixture
async def world(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[World]:
    async with batch_world(monkeypatch) as world:
        yield world


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

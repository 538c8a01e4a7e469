"""Batches: one commit and one acknowledgement for many; a guilty message harms no other."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from uuid import UUID

import pytest

from shared.bus.jobs import Job
from shared.contracts.orders import ExtractDocumentV1
from shared.errors import LostRace, Rejected, Retryable
from shared.topology.queues import dead_queue
from tests.broker.bus_bench import BusBench, bus_bench, work_queue
from tests.broker.messages import reason_of
from tests.builders import extract_document
from tests.eventually import eventually

Order = Job[ExtractDocumentV1]


@dataclass(slots=True)
class Crew:
    """A batch handler that commits an effect per job, and fails as told."""

    bench: BusBench
    guilty: dict[UUID, Exception] = field(default_factory=dict)
    errors: list[Exception] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    attempts: set[int] = field(default_factory=set)
    gate: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, jobs: Sequence[Order]) -> None:
        self.sizes.append(len(jobs))
        self.attempts.update(job.attempt for job in jobs)
        await self.gate.wait()
        if self.errors:
            raise self.errors.pop(0)
        for job in jobs:
            if job.job_id in self.guilty:
                raise self.guilty[job.job_id]
        async with self.bench.ledger.handling(*jobs) as unit:
            await self.bench.effects_of(unit)


@pytest.fixture
async def crew(amqp_url: str, database_url: str) -> AsyncIterator[Crew]:
    async with bus_bench(amqp_url, database_url, work_queue(batch=20)) as bench:
        crew = Crew(bench)
        crew.gate.set()
        yield crew


async def test_what_has_arrived_is_handled_together(crew: Crew) -> None:
    crew.gate.clear()
    jobs = [await crew.bench.submit() for _ in range(60)]

    async with crew.bench.consuming_with(many=crew):
        await eventually(lambda: crew.sizes)
        crew.gate.set()
        await eventually(lambda: _count(crew.bench, 60))

    assert sorted(await crew.bench.effects()) == sorted(jobs)
    assert len(crew.sizes) < 20
    assert max(crew.sizes) == 20


async def test_one_guilty_message_dies_and_the_others_are_done(crew: Crew) -> None:
    jobs = [await crew.bench.submit() for _ in range(10)]
    crew.guilty = {jobs[3]: Rejected("unreadable"), jobs[7]: KeyError("total")}

    async with crew.bench.consuming_with(many=crew):
        await eventually(lambda: _count(crew.bench, 8))
        letters = [await crew.bench.letter(), await crew.bench.letter()]

    assert sorted(await crew.bench.effects()) == sorted(set(jobs) - set(crew.guilty))
    assert sorted(map(reason_of, letters)) == ["bug", "unreadable"]


async def test_a_copy_within_one_batch_has_one_effect(crew: Crew) -> None:
    order, first = extract_document(), await crew.bench.submit()
    for _ in range(4):
        await crew.bench.submit(order, job_id=first)

    async with crew.bench.consuming_with(many=crew):
        await eventually(crew.bench.is_quiet)

    assert await crew.bench.effects() == [first]


async def test_a_batch_that_lost_a_race_runs_again_whole(crew: Crew) -> None:
    crew.errors = [LostRace("deadlock detected"), LostRace("deadlock detected")]
    for _ in range(5):
        await crew.bench.submit()

    async with crew.bench.consuming_with(many=crew):
        await eventually(lambda: _count(crew.bench, 5))

    # An attempt would have sent each of them alone to the ladder, and back one by one.
    assert crew.sizes[0] == crew.sizes[1] == crew.sizes[2]
    assert crew.attempts == {1}


async def test_while_the_database_is_away_the_batch_is_held_and_nothing_is_burnt(
    crew: Crew,
) -> None:
    crew.errors = [Retryable("connection refused", dependency="postgres")] * 2
    jobs = [await crew.bench.submit() for _ in range(5)]

    async with crew.bench.consuming_with(many=crew):
        await eventually(lambda: _count(crew.bench, 5))

    assert sorted(await crew.bench.effects()) == sorted(jobs)
    assert crew.sizes[0] == crew.sizes[1] == crew.sizes[2]
    assert crew.attempts == {1}
    assert await crew.bench.depth(dead_queue(crew.bench.queue.name)) == 0


async def _count(bench: BusBench, count: int) -> bool:
    return len(await bench.effects()) == count

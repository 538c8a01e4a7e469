"""An orderly stop: what is in hand ends, what is not begun goes back, and nothing is lost."""

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest

from shared.bus.jobs import Job
from shared.contracts.orders import ExtractDocumentV1
from tests.broker.bus_bench import BusBench, bus_bench, work_queue
from tests.eventually import eventually

Order = Job[ExtractDocumentV1]


@pytest.fixture
async def bench(amqp_url: str, database_url: str) -> AsyncIterator[BusBench]:
    async with bus_bench(amqp_url, database_url, work_queue()) as bench:
        yield bench


async def test_what_is_in_hand_is_finished_before_the_process_leaves(bench: BusBench) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slow(job: Order) -> None:
        begun.set()
        await go_on.wait()
        async with bench.ledger.handling(job) as unit:
            await bench.effects_of(unit)

    job_id = await bench.submit()
    async with bench.consuming_with(one=slow) as consumer:
        await begun.wait()
        stopping = asyncio.ensure_future(consumer.stop())
        await eventually(lambda: _without_consumer(bench))
        go_on.set()
        await stopping

    assert await bench.effects() == [job_id]
    assert await bench.is_quiet()


async def test_what_does_not_end_in_time_goes_back_and_counts_no_start(
    bench: BusBench,
) -> None:
    bench.drain_s = 0.2
    begun = asyncio.Event()

    async def endless(_: Order) -> None:
        begun.set()
        await asyncio.Event().wait()

    job_id = await bench.submit()
    for _ in range(4):
        # Four shutdowns are four interrupted starts, and none of them is a death.
        begun.clear()
        async with bench.consuming_with(one=endless):
            await begun.wait()
        await eventually(lambda: _depth(bench, 1))

    async with bench.consuming_with(one=_doing(bench)):
        await eventually(lambda: _done(bench, 1))
    assert await bench.effects() == [job_id]


async def test_a_stop_under_load_loses_nothing_and_doubles_nothing(bench: BusBench) -> None:
    jobs = [await bench.submit() for _ in range(100)]

    for goal in (20, 40, 60):
        async with bench.consuming_with(one=_doing(bench)):
            await eventually(lambda: _done(bench, goal))  # noqa: B023 -- awaited right here
    async with bench.consuming_with(one=_doing(bench)):
        await eventually(lambda: _done(bench, 100))

    assert sorted(await bench.effects()) == sorted(jobs)


async def test_a_batch_in_hand_is_committed_and_the_rest_goes_back(
    amqp_url: str, database_url: str
) -> None:
    async with bus_bench(amqp_url, database_url, work_queue(batch=10)) as bench:
        begun, go_on = asyncio.Event(), asyncio.Event()

        async def slow(jobs: Sequence[Order]) -> None:
            begun.set()
            await go_on.wait()
            async with bench.ledger.handling(*jobs) as unit:
                await bench.effects_of(unit)

        jobs = [await bench.submit() for _ in range(35)]
        async with bench.consuming_with(many=slow) as consumer:
            await begun.wait()
            stopping = asyncio.ensure_future(consumer.stop())
            await eventually(lambda: _without_consumer(bench))
            go_on.set()
            await stopping
        committed = len(await bench.effects())
        waiting = await bench.depth()

    assert 0 < committed <= 10
    assert committed + waiting == len(jobs)


def _doing(bench: BusBench):  # type: ignore[no-untyped-def]  # noqa: ANN202 -- a handler
    async def do(job: Order) -> None:
        async with bench.ledger.handling(job) as unit:
            await bench.effects_of(unit)

    return do


async def _done(bench: BusBench, at_least: int) -> bool:
    return len(await bench.effects()) >= at_least


async def _depth(bench: BusBench, count: int) -> bool:
    return await bench.depth() == count


async def _without_consumer(bench: BusBench) -> bool:
    return not await bench.has_consumer()

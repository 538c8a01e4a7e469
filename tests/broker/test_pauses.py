"""Pausing: a broken deploy or a missing dependency stops the queue instead of burying it."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from shared.bus.jobs import Job
from shared.contracts.facts import ConsumptionPausedV1, ConsumptionResumedV1
from shared.contracts.orders import ExtractDocumentV1
from shared.errors import Retryable
from shared.ledger.steering import OPERATOR, PAUSE_BY_HAND
from shared.observability.metrics import PAUSED
from shared.topology.queues import dead_queue
from tests.broker.bus_bench import BusBench, bus_bench, work_queue
from tests.broker.hands import Hands
from tests.eventually import eventually

BACKLOG = 60


@pytest.fixture
async def deploy(
    amqp_url: str, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Hands]:
    # A minute between two probes is right for an operator and long for a test.
    monkeypatch.setattr("shared.bus.consumer.PROTECTIVE_PROBE_EVERY_S", 0.5)
    monkeypatch.setattr("shared.bus.consumer.DEPENDENCY_PROBE_EVERY_S", 0.5)
    async with bus_bench(amqp_url, database_url, work_queue()) as bench:
        yield Hands(bench)


async def test_a_bad_deploy_is_stopped_before_it_buries_the_backlog(deploy: Hands) -> None:
    bench = deploy.bench
    deploy.error = KeyError("renamed")
    for _ in range(BACKLOG):
        await bench.submit()

    async with bench.starting_with(one=deploy):
        await eventually(lambda: bench.board.paused(bench.queue.name))
        await eventually(lambda: _letters(bench, at_least=11), within_s=20)
        buried = await _count_letters(bench)
        waiting = await bench.depth()
        # Mended: one probe succeeds, and everything that was left is done.
        deploy.error = None
        await eventually(lambda: _done(bench, BACKLOG - buried - 1), within_s=20)

    assert buried < BACKLOG / 2
    assert waiting > 0
    assert len(await bench.outbox(ConsumptionPausedV1.type)) == 1
    assert len(await bench.outbox(ConsumptionResumedV1.type)) == 1


async def test_a_few_failures_among_many_do_not_stop_the_queue(deploy: Hands) -> None:
    bench = deploy.bench
    for _ in range(20):
        await bench.submit()

    async with bench.consuming_with(one=deploy):
        await eventually(lambda: _done(bench, 20))
        deploy.error = KeyError("once")
        await bench.submit()
        await eventually(lambda: _letters(bench, at_least=1))
        deploy.error = None
        await bench.submit()
        await eventually(lambda: _done(bench, 21))

    assert bench.board.paused(bench.queue.name) is None


async def test_a_dependency_that_is_away_pauses_the_queue_and_burns_no_attempt(
    deploy: Hands,
) -> None:
    bench = deploy.bench
    deploy.error = Retryable("no route to the object store", dependency="blobs")
    for _ in range(10):
        await bench.submit()

    async with bench.starting_with(one=deploy):
        await eventually(lambda: bench.board.paused(bench.queue.name))
        deploy.error = None
        await eventually(lambda: _done(bench, 10), within_s=30)

    assert {job.attempt for job in deploy.seen} == {1}
    assert await _count_letters(bench) == 0
    [paused] = await bench.outbox(ConsumptionPausedV1.type)
    # Whoever looks from afar is told why, too.
    why = (paused.body["reason"], paused.body["detail"])
    assert why == ("blobs_away", "no route to the object store")


async def test_a_pause_holds_for_a_process_that_starts_later(deploy: Hands) -> None:
    bench = deploy.bench
    await bench.board.pause(bench.queue.name, reason="operator", detail="", probe_every_s=3600)
    await bench.submit()

    async with bench.starting_with(one=deploy):
        await eventually(lambda: _without_consumer(bench))
        assert deploy.seen == []
        await bench.board.resume(bench.queue.name, "operator")
        await eventually(lambda: _done(bench, 1))


async def test_a_pause_that_an_operator_takes_over_is_shown_as_his_alone(deploy: Hands) -> None:
    bench = deploy.bench
    queue = bench.queue.name
    await bench.board.pause(queue, reason="blobs_away", detail="", probe_every_s=3600)

    async with bench.starting_with(one=deploy):
        await eventually(lambda: _shown(queue) == {"blobs_away"})
        await bench.pool.execute(PAUSE_BY_HAND, queue, OPERATOR, "a look at it", None)
        await eventually(lambda: _shown(queue) == {OPERATOR})
        await bench.board.resume(queue, OPERATOR)
        await eventually(lambda: not _shown(queue))


async def test_a_pause_lets_what_is_in_hand_end_however_long_it_takes(
    deploy: Hands,
) -> None:
    bench = deploy.bench
    # A shutdown would cut it off at once.
    bench.drain_s = 0
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slow(job: Job[ExtractDocumentV1]) -> None:
        begun.set()
        await go_on.wait()
        await deploy(job)

    job_id = await bench.submit()
    async with bench.consuming_with(one=slow):
        await begun.wait()
        await bench.board.pause(
            bench.queue.name, reason="operator", detail="", probe_every_s=3600
        )
        await eventually(lambda: _without_consumer(bench))
        go_on.set()
        await eventually(lambda: _done(bench, 1))

    assert await bench.effects() == [job_id]
    assert await bench.depth() == 0


def _shown(queue: str) -> set[str]:
    samples = [one for metric in PAUSED.collect() for one in metric.samples if one.value]
    return {one.labels["reason"] for one in samples if one.labels["queue"] == queue}


async def _count_letters(bench: BusBench) -> int:
    await bench.relay.drain()
    return await bench.depth(dead_queue(bench.queue.name))


async def _letters(bench: BusBench, *, at_least: int) -> bool:
    count = await bench.pool.fetchval("SELECT count(*) FROM inbox WHERE outcome = 'failed'")
    return bool(count >= at_least)


async def _done(bench: BusBench, at_least: int) -> bool:
    return len(await bench.effects()) >= at_least


async def _without_consumer(bench: BusBench) -> bool:
    return not await bench.has_consumer()

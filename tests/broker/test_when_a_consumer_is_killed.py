"""kill -9 at each step of a delivery: nothing lost, one effect, nothing to repair by hand."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from shared.bus.headers import DEAD_REASON
from shared.contracts.envelope import decode
from shared.topology.ladder import rung_name
from shared.topology.queues import dead_queue
from tests.broker.bus_bench import BusBench, bus_bench, work_queue
from tests.broker.messages import headers_of
from tests.broker.worker import BUSY_AT_FIRST, POISON, UNREADABLE
from tests.broker.workers import dies, keep_alive, orders_for, worker
from tests.builders import extract_document
from tests.eventually import eventually

STEPS = [
    pytest.param("consumer.before_handler", id="before its handler"),
    pytest.param("unit.before_commit", id="before the commit"),
    pytest.param("unit.after_commit", id="after the commit"),
    pytest.param("consumer.after_handler", id="after its handler"),
    pytest.param("consumer.before_ack", id="before the acknowledgement"),
]


@pytest.fixture(params=[0, 20], ids=["one by one", "in batches"])
async def bench(
    request: pytest.FixtureRequest, amqp_url: str, database_url: str
) -> AsyncIterator[BusBench]:
    queue = work_queue(batch=request.param) if request.param else work_queue()
    async with bus_bench(amqp_url, database_url, queue) as bench:
        yield bench


@pytest.mark.parametrize("step", STEPS)
async def test_killed_at_any_step_every_job_is_done_exactly_once(
    bench: BusBench, step: str
) -> None:
    jobs = [await bench.submit() for _ in range(12)]

    async with worker(orders_for(bench, failpoint=f"{step}:kill:2")) as process:
        await dies(process)
    async with worker(orders_for(bench)):
        await eventually(lambda: _all_done(bench, len(jobs)), within_s=20)
        await eventually(bench.is_quiet)

    assert sorted(await bench.effects()) == sorted(jobs)
    assert await bench.pool.fetchval("SELECT count(*) FROM starts") == 0


async def test_killed_when_it_had_sent_a_job_to_wait_the_job_is_done_once(
    bench: BusBench,
) -> None:
    jobs = [await bench.submit() for _ in range(4)]
    jobs.append(await bench.submit(extract_document(filename=BUSY_AT_FIRST)))

    async with worker(
        orders_for(bench, failpoint="consumer.waiting_published:kill")
    ) as process:
        await dies(process)
    # Sent to wait and not acknowledged: the job is in two places now.
    async with worker(orders_for(bench)):
        await eventually(lambda: _all_done(bench, len(jobs)), within_s=20)
        await eventually(lambda: _rests_nowhere(bench), within_s=20)

    assert sorted(await bench.effects()) == sorted(jobs)
    assert await bench.pool.fetchval("SELECT count(*) FROM starts") == 0


async def test_killed_when_it_had_buried_a_job_there_is_one_letter_of_it(
    bench: BusBench,
) -> None:
    jobs = [await bench.submit() for _ in range(4)]
    unreadable = await bench.submit(extract_document(filename=UNREADABLE))

    # Not its relay too: killed between publishing and deleting, that would double the letter.
    dying = orders_for(bench, failpoint="consumer.buried:kill", relays=False)
    async with worker(dying) as process:
        await dies(process)
    async with worker(orders_for(bench)):
        await eventually(lambda: _all_done(bench, len(jobs)), within_s=20)
        await eventually(lambda: _holds(bench, dead_queue(bench.queue.name), 1))
        await eventually(lambda: _holds(bench, bench.queue.name, 0))
        # Nothing is owed any more, so nothing will follow.
        await eventually(lambda: _owes_nothing(bench))

    assert decode((await bench.letter()).body).header.job_id == unreadable
    assert await bench.take(dead_queue(bench.queue.name)) is None
    assert sorted(await bench.effects()) == sorted(jobs)


@pytest.mark.parametrize("step", ["relay.claimed", "relay.published", "relay.deleted"])
async def test_a_relay_killed_at_any_step_loses_nothing_and_doubles_no_effect(
    bench: BusBench, step: str
) -> None:
    documents = [extract_document() for _ in range(6)]
    await bench.owe(*documents)

    async with worker(orders_for(bench, failpoint=f"{step}:kill")) as process:
        await dies(process)
    async with worker(orders_for(bench)):
        await eventually(lambda: _all_done(bench, len(documents)), within_s=20)
        await eventually(bench.is_quiet)

    done = await bench.pool.fetch("SELECT document_id FROM effects")
    assert sorted(row["document_id"] for row in done) == sorted(
        document.document_id for document in documents
    )


async def test_a_message_that_kills_its_process_is_dead_after_three_starts_and_alone(
    bench: BusBench,
) -> None:
    neighbours = [await bench.submit() for _ in range(5)]
    poison = await bench.submit(extract_document(filename=POISON))
    neighbours += [await bench.submit() for _ in range(5)]

    finished = asyncio.Event()
    living = asyncio.ensure_future(keep_alive(orders_for(bench), finished))
    await eventually(lambda: _holds(bench, dead_queue(bench.queue.name), 1), within_s=90)
    await eventually(lambda: _all_done(bench, len(neighbours)), within_s=60)
    finished.set()
    deaths = await living

    letter = await bench.letter()
    assert headers_of(letter)[DEAD_REASON] == "poison"
    assert decode(letter.body).header.job_id == poison
    assert sorted(await bench.effects()) == sorted(neighbours)
    assert deaths == 3


async def _all_done(bench: BusBench, count: int) -> bool:
    return len(await bench.effects()) == count


async def _holds(bench: BusBench, queue: str, count: int) -> bool:
    return await bench.depth(queue) == count


async def _owes_nothing(bench: BusBench) -> bool:
    return bool(await bench.pool.fetchval("SELECT count(*) = 0 FROM outbox"))


async def _rests_nowhere(bench: BusBench) -> bool:
    """Neither in its queue nor on the rungs that a short wait takes."""
    queues = (bench.queue.name, *(rung_name(level) for level in range(3)))
    return not any([await bench.depth(queue) for queue in queues])

"""The relay's look whether anything is owed spares a claim, and hides nothing from the relay.

Whoever commits here belongs to another process: nobody wakes this relay, so that what it sends
it has seen by itself.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

import pytest
from pamqp.common import FieldValue

from shared.ledger.relay import CLAIM_OUTBOX, IS_OWED, Relay, Watermark
from shared.ledger.upkeep import RELEASE_LATER, Upkeep
from shared.topology.queues import JOBS
from tests.broker.bus_bench import BusBench, bus_bench, work_queue
from tests.builders import extract_document
from tests.eventually import eventually

PUT_OFF = """
WITH moved AS (DELETE FROM outbox RETURNING *)
INSERT INTO outbox_later
       (available_at, priority, exchange, routing_key, type, headers, body)
SELECT now() + $1, priority, exchange, routing_key, type, headers, body FROM moved
"""
ITS_TIME_HAS_COME = "UPDATE outbox_later SET available_at = now()"


@pytest.fixture
async def bench(amqp_url: str, database_url: str) -> AsyncIterator[BusBench]:
    async with bus_bench(amqp_url, database_url, work_queue()) as bench:
        yield bench


@pytest.fixture
def relay(bench: BusBench) -> Relay:
    return Relay(bench.pool, bench.publisher, poll_s=0.01)


@asynccontextmanager
async def running(relay: Relay) -> AsyncIterator[None]:
    task = asyncio.ensure_future(relay.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_what_another_process_committed_is_seen(bench: BusBench, relay: Relay) -> None:
    async with running(relay):
        for count in (1, 2, 3):
            await bench.owe(extract_document())

            await eventually(lambda count=count: _arrived(bench, count))


async def test_what_was_put_off_is_seen_once_its_time_has_come(
    bench: BusBench, relay: Relay
) -> None:
    await bench.owe(extract_document())
    await bench.pool.execute(PUT_OFF, timedelta(days=1))
    async with running(relay):
        await _release(bench)
        before = await _owed(bench)

        await bench.pool.execute(ITS_TIME_HAS_COME)
        await _release(bench)

        await eventually(lambda: _arrived(bench, 1))
    assert not before


async def test_what_the_broker_refused_before_is_seen_again(
    bench: BusBench, relay: Relay
) -> None:
    full = f"{bench.queue.name}.full"
    await _declare(bench, full, {"x-max-length": 0, "x-overflow": "reject-publish"})
    async with running(relay):
        await bench.owe(extract_document(), routing_key=full)
        await eventually(lambda: _is_put_off(bench))

        await _declare(bench, full, {})
        await bench.pool.execute(ITS_TIME_HAS_COME)
        await _release(bench)

        await eventually(lambda: _arrived(bench, 1, full))


async def test_what_another_relay_claimed_and_left_is_seen(
    bench: BusBench, relay: Relay
) -> None:
    await bench.owe(extract_document())
    async with AsyncExitStack() as meanwhile:
        with pytest.raises(Died):
            async with bench.pool.transaction() as other:
                claimed = await other.fetch(CLAIM_OUTBOX, 1, 0)
                await meanwhile.enter_async_context(running(relay))
                raise Died

        await eventually(lambda: _arrived(bench, 1))
    assert len(claimed) == 1


async def test_what_is_committed_late_under_a_lower_number_is_seen_within_a_minute(
    bench: BusBench, relay: Relay
) -> None:
    clock = Clock()
    relay._watermark = Watermark(monotonic=lambda: clock.now_s)
    await bench.owe(extract_document())
    await bench.pool.execute(PUT_OFF, timedelta(0))
    async with running(relay):
        async with bench.pool.transaction() as late:
            await late.fetch(RELEASE_LATER, 1)
            await bench.owe(extract_document())
            await eventually(lambda: _arrived(bench, 1))
            await eventually(lambda: clock.later() and relay._watermark.now() > 0)
        before = await bench.pool.fetchval(IS_OWED, relay._watermark.now())

        clock.now_s += Watermark.WHOLE_LOOK_EVERY_S

        await eventually(lambda: _arrived(bench, 2))
    assert not before


async def test_a_row_is_owed_above_the_watermark_only_and_whoever_is_at_it(
    bench: BusBench,
) -> None:
    nothing = await _owed(bench)
    await bench.owe(extract_document())
    [(row,)] = await bench.pool.fetch("SELECT id FROM outbox")

    async with bench.pool.transaction() as other:
        await other.fetch(CLAIM_OUTBOX, 1, 0)
        found = [await bench.pool.fetchval(IS_OWED, low) for low in (0, row - 1, row)]

    assert not nothing
    assert found == [True, True, False]


class Died(Exception):
    pass


@dataclass(slots=True)
class Clock:
    now_s: float = 1000.0

    def later(self) -> float:
        """A second for each who asks: what has to settle has its time, however slow we are."""
        self.now_s += 1
        return self.now_s


async def _owed(bench: BusBench) -> bool:
    return bool(await bench.pool.fetchval(IS_OWED, 0))


async def _is_put_off(bench: BusBench) -> bool:
    return bool(await bench.pool.fetchval("SELECT count(*) FROM outbox_later"))


async def _arrived(bench: BusBench, count: int, queue: str | None = None) -> bool:
    return await bench.depth(queue) == count


async def _release(bench: BusBench) -> None:
    """What the upkeep of another process does now and then."""
    await Upkeep(bench.pool, wake=lambda: None).release_later()


async def _declare(bench: BusBench, queue: str, arguments: dict[str, FieldValue]) -> None:
    """Anew, where it was."""
    async with bench.consuming.channel() as channel:
        await channel.queue_delete(queue)
        await channel.queue_declare(queue, durable=True, arguments=arguments)
        await channel.queue_bind(queue, JOBS, queue)

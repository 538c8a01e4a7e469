"""The relay: every committed row is confirmed once, or is kept where somebody sees it."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest

from deploy.local.moment import HOLD_SENDING
from shared.bus.pace import STEADY_PER_S
from shared.contracts.envelope import MESSAGE_BYTES_MAX
from shared.ledger.relay import CLAIM_OUTBOX, Relay
from shared.ledger.upkeep import Upkeep
from shared.topology.queues import JOBS
from tests.broker.bus_bench import BusBench, bus_bench, work_queue
from tests.broker.servers import Alarm, OwnServers, alarms
from tests.builders import extract_document
from tests.eventually import eventually


@pytest.fixture
async def bench(amqp_url: str, database_url: str) -> AsyncIterator[BusBench]:
    async with bus_bench(amqp_url, database_url, work_queue()) as bench:
        yield bench


async def test_everything_owed_is_sent_and_the_outbox_is_empty(bench: BusBench) -> None:
    await bench.owe(*(extract_document() for _ in range(1200)))

    await bench.relay.drain()

    assert await bench.depth() == 1200
    assert await bench.outbox() == []


async def test_several_relays_share_the_work_and_double_nothing(bench: BusBench) -> None:
    await bench.owe(*(extract_document() for _ in range(3000)))
    relays = [Relay(bench.pool, bench.publisher) for _ in range(3)]

    await asyncio.gather(*(relay.drain() for relay in relays))

    assert await bench.depth() == 3000


async def test_nothing_leaves_while_somebody_holds_it_back_and_all_of_it_afterwards(
    bench: BusBench, database_url: str
) -> None:
    holder = await asyncpg.connect(database_url)
    await holder.execute(HOLD_SENDING)
    await bench.owe(*(extract_document() for _ in range(10)))
    await bench.relay.drain()
    held_back = await bench.depth()

    # Not let go in order: whoever holds may die.
    holder.terminate()

    async def is_sent() -> bool:
        await bench.relay.drain()
        return await bench.depth() == 10

    await eventually(is_sent)
    assert held_back == 0


async def test_who_holds_back_waits_for_what_is_being_published(
    bench: BusBench, database_url: str
) -> None:
    await bench.owe(extract_document())
    holder = await asyncpg.connect(database_url)
    async with bench.pool.transaction() as publishing:
        await publishing.fetch(CLAIM_OUTBOX, 1, 0)
        with pytest.raises(TimeoutError):
            await holder.execute(HOLD_SENDING, timeout=0.5)
    await holder.execute(HOLD_SENDING, timeout=5)
    await holder.close()


async def test_a_commit_wakes_the_relay_of_its_process(bench: BusBench) -> None:
    # Only a wake-up can be meant: this relay would not look again for an hour.
    relay = Relay(bench.pool, bench.publisher, poll_s=3600)
    running = asyncio.ensure_future(relay.run())
    bench.relay = relay
    await eventually(lambda: _is_idle(bench))

    await bench.owe(extract_document())

    await eventually(lambda: _depth(bench, 1))
    running.cancel()


async def test_rounds_of_a_steady_stream_are_a_pace_apart_and_a_drain_waits_for_none(
    bench: BusBench,
) -> None:
    # Longer than any test waits: whoever keeps it is seen to.
    relay = Relay(bench.pool, bench.publisher, poll_s=0.01, pace_s=60)
    running = asyncio.ensure_future(relay.run())
    await bench.owe(*(extract_document() for _ in range(STEADY_PER_S)))
    await eventually(lambda: _depth(bench, STEADY_PER_S))

    await bench.owe(extract_document())
    relay.wake()

    for _ in range(20):
        assert await bench.depth() == STEADY_PER_S
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await relay.drain()
    assert await bench.depth() == STEADY_PER_S + 1


async def test_what_has_no_queue_is_parked_and_sent_after_the_binding_is_repaired(
    bench: BusBench,
) -> None:
    async with bench.consuming.channel() as channel:
        await channel.queue_unbind(bench.queue.name, JOBS, bench.queue.name)
    await bench.owe(extract_document(), extract_document())
    await bench.relay.drain()

    parked = await bench.pool.fetch("SELECT reason, routing_key FROM outbox_parked")
    assert [tuple(row) for row in parked] == [("returned", bench.queue.name)] * 2
    assert await bench.depth() == 0

    async with bench.consuming.channel() as channel:
        await channel.queue_bind(bench.queue.name, JOBS, bench.queue.name)
    await Upkeep(bench.pool, wake=bench.relay.wake, unpark_every_s=0).unpark()
    await bench.relay.drain()

    assert await bench.depth() == 2
    assert await bench.pool.fetchval("SELECT count(*) FROM outbox_parked") == 0


async def test_one_message_for_nobody_does_not_hold_up_its_neighbours(bench: BusBench) -> None:
    await bench.owe(extract_document(), routing_key="nobody.there")
    await bench.owe(*(extract_document() for _ in range(10)))

    await bench.relay.drain()

    assert await bench.depth() == 10


async def test_an_oversize_row_is_parked_and_its_neighbours_are_sent(bench: BusBench) -> None:
    await bench.owe(extract_document())
    await bench.pool.execute(
        "UPDATE outbox SET body = convert_to(repeat('x', $1), 'UTF8')", MESSAGE_BYTES_MAX * 2
    )
    await bench.owe(extract_document(), extract_document())

    await bench.relay.drain()

    assert await bench.depth() == 2
    assert await bench.pool.fetchval("SELECT reason FROM outbox_parked") == "oversize"


async def test_what_waits_longer_than_the_ladder_is_released_when_due(bench: BusBench) -> None:
    await bench.owe(extract_document(), extract_document())
    await bench.pool.execute(
        "WITH moved AS (DELETE FROM outbox RETURNING *) INSERT INTO outbox_later"
        " (available_at, priority, exchange, routing_key, type, headers, body)"
        " SELECT now() + CASE WHEN id % 2 = 0 THEN interval '1 day' ELSE interval '0' END,"
        " priority, exchange, routing_key, type, headers, body FROM moved"
    )

    await Upkeep(bench.pool, wake=bench.relay.wake).release_later()
    await bench.relay.drain()

    assert await bench.depth() == 1
    assert await bench.pool.fetchval("SELECT count(*) FROM outbox_later") == 1


@alarms
async def test_while_the_broker_holds_us_back_rows_stay_and_go_out_afterwards(
    alarm: Alarm, bench: BusBench, own_servers: OwnServers
) -> None:
    running = asyncio.ensure_future(bench.relay.run())
    async with alarm(own_servers):
        await bench.owe(*(extract_document() for _ in range(50)))
        await eventually(lambda: _is_waiting(bench))

    # What was sent into the alarm may arrive as well: the inbox is for that.
    await eventually(lambda: _is_idle(bench), within_s=30)
    running.cancel()
    assert await bench.depth() >= 50


async def test_a_connection_that_falls_silent_does_not_end_the_relay(
    bench: BusBench, own_servers: OwnServers
) -> None:
    running = asyncio.ensure_future(bench.relay.run())
    async with own_servers.memory_alarm():
        await bench.owe(*(extract_document() for _ in range(20)))
        # What the client does when no heartbeat comes: everything that waits is cancelled.
        connection = bench.publishing._connection
        assert connection is not None
        await eventually(lambda: any(one.confirmations for one in _channels(connection)))
        await connection.close()

    await eventually(lambda: _is_idle(bench), within_s=30)
    assert not running.done()
    running.cancel()
    assert await bench.depth() >= 20


def _channels(connection: Any) -> list[Any]:  # noqa: ANN401
    return [one for one in connection.channels.values() if one is not None]


async def _is_idle(bench: BusBench) -> bool:
    return not await bench.pool.fetchval("SELECT count(*) FROM outbox")


async def _is_waiting(bench: BusBench) -> bool:
    # The relay's own transaction hides nothing from us: the rows are still there.
    return bool(await bench.pool.fetchval("SELECT count(*) = 50 FROM outbox"))


async def _depth(bench: BusBench, count: int) -> bool:
    return await bench.depth() == count

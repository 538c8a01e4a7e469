"""The pool against a real PostgreSQL that refuses, hangs up and makes it wait."""

import asyncio
from collections.abc import AsyncIterator
from uuid import uuid4

import pytest

from shared.errors import Rejected, Retryable
from tests.broker.pools import Bench, pool_bench
from tests.eventually import eventually


@pytest.fixture
async def bench(database_url: str) -> AsyncIterator[Bench]:
    async with pool_bench(database_url) as bench:
        yield bench


async def test_an_exhausted_pool_gives_up_waiting(bench: Bench) -> None:
    pool = await bench.pool(acquire_timeout_s=0.2)

    async with pool.acquire():
        with pytest.raises(Retryable) as caught:
            await pool.fetchval("SELECT 1")

    assert caught.value.dependency == "postgres"
    assert await pool.fetchval("SELECT 1") == 1
    assert len(bench.waits) == 2


async def test_a_connection_lost_in_a_transaction_is_an_absent_database(bench: Bench) -> None:
    pool = await bench.pool()

    with pytest.raises(Retryable) as caught:
        async with pool.transaction() as connection:
            await connection.execute("DELETE FROM rows")
            await bench.hang_up()
            await connection.execute("DELETE FROM rows")

    assert caught.value.dependency == "postgres"
    assert len(await pool.fetch("SELECT FROM rows")) == 2


async def test_a_connection_lost_before_the_commit_commits_nothing(bench: Bench) -> None:
    pool = await bench.pool()

    with pytest.raises(Retryable):
        async with pool.transaction() as connection:
            await connection.execute("DELETE FROM rows")
            await bench.hang_up()

    assert len(await pool.fetch("SELECT FROM rows")) == 2


async def test_a_lost_connection_does_not_hide_what_the_caller_raised(bench: Bench) -> None:
    pool = await bench.pool()

    with pytest.raises(Rejected):
        async with pool.transaction():
            await bench.hang_up()
            raise Rejected("bad")

    assert await pool.fetchval("SELECT 1") == 1


async def test_a_cancelled_commit_is_waited_for(bench: Bench) -> None:
    pool = await bench.pool()

    async def insert() -> None:
        async with pool.transaction() as connection:
            await connection.execute("INSERT INTO slow_rows VALUES (1)")

    inserting = asyncio.create_task(insert())
    await eventually(bench.sleeping)
    inserting.cancel()

    with pytest.raises(asyncio.CancelledError):
        await inserting
    assert len(await pool.fetch("SELECT FROM slow_rows")) == 1


async def test_a_cancelled_statement_stops_and_leaves_the_connection_usable(
    bench: Bench,
) -> None:
    pool = await bench.pool()

    async def wait() -> None:
        async with pool.transaction() as connection:
            await connection.execute("DELETE FROM rows")
            await connection.execute("SELECT pg_sleep(60)")

    waiting = asyncio.create_task(wait())
    await eventually(bench.sleeping)
    backend = await bench.outside.fetchval(
        "SELECT pid FROM pg_stat_activity WHERE application_name = $1", bench.schema
    )
    waiting.cancel()

    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert len(await pool.fetch("SELECT FROM rows")) == 2
    assert await pool.fetchval("SELECT pg_backend_pid()") == backend


async def test_a_callers_own_deadline_stays_its_own(bench: Bench) -> None:
    pool = await bench.pool()

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05), pool.transaction() as connection:
            await connection.execute("SELECT pg_sleep(60)")

    assert await pool.fetchval("SELECT 1") == 1


@pytest.mark.parametrize("knob", ["statement_timeout_s", "command_timeout_s"])
async def test_a_statement_that_takes_too_long_is_given_up(bench: Bench, knob: str) -> None:
    # Long enough for what a connection asks when it is made, on a busy machine too.
    pool = await bench.pool(**{knob: 1.0})

    with pytest.raises(Retryable) as caught:
        await pool.fetchval("SELECT pg_sleep(60)")

    assert caught.value.dependency == "postgres"
    assert await pool.fetchval("SELECT 1") == 1


async def test_a_row_locked_for_too_long_is_given_up(bench: Bench) -> None:
    pool = await bench.pool(lock_timeout_s=0.05)

    async with bench.outside.transaction() as holder:
        await holder.execute("DELETE FROM rows WHERE id = 1")
        with pytest.raises(Retryable):
            await pool.execute("DELETE FROM rows WHERE id = 1")


async def test_a_deadlock_is_bad_luck_for_one_of_the_two(bench: Bench) -> None:
    pool = await bench.pool(pool_max=2)
    both_hold_one = asyncio.Barrier(2)

    async def delete(first: int, then: int) -> None:
        async with pool.transaction() as connection:
            await connection.execute("DELETE FROM rows WHERE id = $1", first)
            await both_hold_one.wait()
            await connection.execute("DELETE FROM rows WHERE id = $1", then)

    outcomes = await asyncio.gather(delete(1, 2), delete(2, 1), return_exceptions=True)

    [loser] = [outcome for outcome in outcomes if outcome is not None]
    assert isinstance(loser, Retryable)
    assert loser.dependency is None


async def test_hundreds_of_cancelled_tasks_leak_no_connection(bench: Bench) -> None:
    pool = await bench.pool(pool_max=4)

    async def work() -> None:
        async with pool.transaction() as connection:
            await connection.execute("SELECT pg_sleep(0.002)")

    tasks = [asyncio.create_task(work(), name=str(uuid4())) for _ in range(300)]
    for task in tasks[::2]:
        asyncio.get_running_loop().call_later(
            0.0005 * int(task.get_name()[:2], 16), task.cancel
        )
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)

    kinds = {type(outcome) for outcome in outcomes}
    assert kinds <= {type(None), asyncio.CancelledError}
    async with pool.acquire(), pool.acquire(), pool.acquire(), pool.acquire():
        pass

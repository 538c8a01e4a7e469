"""The pool against a real PostgreSQL: what it promises on a good day."""

import asyncio
import re
from collections.abc import AsyncIterator

import asyncpg
import pytest

from shared.database.clock import DatabaseClock
from shared.errors import Rejected, Retryable
from tests.broker.pools import Bench, pool_bench
from tests.broker.test_round_trips import asked_of
from tests.eventually import eventually
from tests.house.repository import files

_LIST = re.compile(r"::\s*([a-z0-9 ]+\[\])")


@pytest.fixture
async def bench(database_url: str) -> AsyncIterator[Bench]:
    async with pool_bench(database_url) as bench:
        yield bench


async def test_json_goes_in_and_comes_out_as_itself(bench: Bench) -> None:
    pool = await bench.pool()
    value = {"total": 1.5, "lines": [{"text": "Kühlschrank"}, None]}

    await pool.execute("INSERT INTO rows VALUES ($1, $2)", 3, value)

    assert await pool.fetchval("SELECT value FROM rows WHERE id = 3") == value


async def test_the_session_is_ours_and_has_limits(bench: Bench) -> None:
    pool = await bench.pool(statement_timeout_s=25.0, lock_timeout_s=10.0)

    async with pool.acquire() as connection:
        shown = {
            name: await connection.fetchval(f"SHOW {name}")
            for name in ("search_path", "application_name", "timezone", "statement_timeout")
        }

    assert shown == {
        "search_path": bench.schema,
        "application_name": bench.schema,
        "timezone": "UTC",
        "statement_timeout": "25s",
    }


async def test_no_kind_of_list_is_asked_about_on_a_connection(bench: Bench) -> None:
    """Of those that stand in our statements. The driver's question is dearer than they are."""
    found = (_LIST.findall(one.text()) for one in files("shared", "services", suffix=".sql"))
    kinds = sorted(set().union(*found))
    pool = await bench.pool(pool_min=1, pool_max=1)

    async with asked_of(pool) as asked:
        for kind in kinds:
            await pool.fetchval(f"SELECT NULL::{kind}")
        await eventually(lambda: len(asked) >= len(kinds))

    assert len(asked) == len(kinds), [one for one in asked if "typeinfo" in one][:1]


async def test_a_transaction_commits_when_its_block_ends_well(bench: Bench) -> None:
    pool = await bench.pool()

    async with pool.transaction() as connection:
        await connection.execute("INSERT INTO rows VALUES (3)")

    assert len(await bench.outside.fetch("SELECT FROM rows")) == 3


@pytest.mark.parametrize("error", [Rejected("bad"), OSError("disk"), TimeoutError()], ids=repr)
async def test_what_the_caller_raises_rolls_back_and_passes_unchanged(
    bench: Bench, error: Exception
) -> None:
    pool = await bench.pool()

    with pytest.raises(type(error)) as caught:
        async with pool.transaction() as connection:
            await connection.execute("DELETE FROM rows")
            raise error

    assert caught.value is error
    assert len(await pool.fetch("SELECT FROM rows")) == 2


async def test_a_broken_constraint_is_for_the_adapter_to_understand(bench: Bench) -> None:
    pool = await bench.pool()

    with pytest.raises(asyncpg.UniqueViolationError):
        await pool.execute("INSERT INTO rows VALUES (1)")

    assert (await pool.fetchrow("SELECT id FROM rows WHERE id = 1") or {})["id"] == 1


async def test_a_constraint_that_breaks_at_the_commit_leaves_the_pool_usable(
    bench: Bench,
) -> None:
    pool = await bench.pool()

    with pytest.raises(asyncpg.UniqueViolationError):
        async with pool.transaction() as connection:
            await connection.execute("INSERT INTO late_rows VALUES (1), (1)")

    assert await pool.fetch("SELECT FROM late_rows") == []


async def test_whoever_waits_gets_the_connection_and_not_the_next_who_comes(
    bench: Bench,
) -> None:
    pool = await bench.pool(acquire_timeout_s=10)
    order: list[str] = []

    async def ask(who: str) -> None:
        await pool.fetchval("SELECT 1")
        order.append(who)

    async with pool.acquire() as connection:
        waiting = asyncio.ensure_future(ask("waiting"))
        # Once around the server: he stands in the queue by then.
        await connection.fetchval("SELECT 1")
    await ask("next")
    await waiting

    assert order == ["waiting", "next"]


async def test_a_connection_left_inside_a_statement_is_not_handed_on(bench: Bench) -> None:
    pool = await bench.pool(acquire_timeout_s=10)
    asking = asyncio.ensure_future(pool.fetchval("SELECT pg_sleep(60)"))
    await eventually(bench.sleeping)

    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking

    assert await pool.fetchval("SELECT 1") == 1


async def test_a_connection_that_died_while_nobody_used_it_is_nobodys_failure(
    bench: Bench,
) -> None:
    pool = await bench.pool(acquire_timeout_s=10)
    ended = await pool.fetchval("SELECT pg_backend_pid()")

    await bench.outside.execute("SELECT pg_terminate_backend($1, 5000)", ended)
    # Once around the server, so that the driver has heard of it.
    await bench.outside.execute("SELECT 1")

    assert await pool.fetchval("SELECT pg_backend_pid()") != ended


async def test_a_connection_that_dies_behind_a_commit_takes_nothing_back(bench: Bench) -> None:
    pool = await bench.pool(acquire_timeout_s=10)

    async with pool.acquire() as connection:
        pid = await connection.fetchval("SELECT pg_backend_pid()")
        await bench.outside.execute("SELECT pg_terminate_backend($1, 5000)", pid)
        await bench.outside.execute("SELECT 1")

    assert await pool.fetchval("SELECT 1") == 1


async def test_all_connections_are_gone_when_the_pool_is_closed(bench: Bench) -> None:
    pool = await bench.pool(pool_max=4)
    await asyncio.gather(*(pool.fetchval("SELECT 1") for _ in range(4)))

    await pool.close()

    async def nobody_is_connected() -> bool:
        count = "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1"
        return bool(await bench.outside.fetchval(count, bench.schema) == 0)

    await eventually(nobody_is_connected)


async def test_a_closed_pool_is_an_absent_database(bench: Bench) -> None:
    pool = await bench.pool()
    await pool.close()

    with pytest.raises(Retryable):
        await pool.fetchval("SELECT 1")


async def test_closing_does_not_wait_for_a_connection_that_is_never_given_back(
    bench: Bench,
) -> None:
    pool = await bench.pool()

    with pytest.raises(Retryable):
        async with pool.acquire() as connection:
            await pool.close(within_s=0.05)
            await connection.fetchval("SELECT 1")


async def test_the_database_clock_goes_on_between_two_looks(bench: Bench) -> None:
    clock = DatabaseClock()
    with pytest.raises(RuntimeError):
        clock.now()

    await clock.refresh(bench.outside)
    before = await bench.outside.fetchval("SELECT clock_timestamp()")
    now = clock.now()
    after = await bench.outside.fetchval("SELECT clock_timestamp()")

    assert abs((now - before).total_seconds()) < 0.2
    assert clock.now() >= now
    assert abs((after - now).total_seconds()) < 0.2

"""One rate for many replicas, against a real PostgreSQL."""

import asyncio
import time
from collections.abc import AsyncIterator
from secrets import token_hex

import pytest

import shared.limits
from shared.database.migrations import migrate
from shared.database.pool import DatabaseSettings, Pool, open_pool
from shared.limits.bucket import Budget, TokenBucket
from tests.eventually import eventually

RATE_PER_S = 40.0
CAPACITY = 20


@pytest.fixture(scope="module")
async def pool(database_url: str) -> AsyncIterator[Pool]:
    schema = f"limits_{token_hex(4)}"
    await migrate(database_url, schema=schema, locations=[shared.limits.MIGRATIONS], role=None)
    pool = await open_pool(DatabaseSettings(database_url), schema=schema, application="test")
    yield pool
    await pool.close()


@pytest.fixture
def budget() -> Budget:
    """A bucket of its own for each test."""
    return Budget(f"model-{token_hex(4)}", RATE_PER_S, CAPACITY, chunk_max=4, lease_s=0.5)


async def _use(bucket: TokenBucket, until: float) -> int:
    """What one replica gets that asks until then, waiting as it is told."""
    taken = 0
    while time.monotonic() < until:
        wait_s = await bucket.take()
        if wait_s == 0:
            taken += 1
            continue
        opens_at = time.monotonic() + wait_s
        await eventually(lambda at=opens_at: time.monotonic() >= at, every_s=0.005)
    return taken


async def test_replicas_together_stay_within_the_rate_and_use_it(
    pool: Pool, budget: Budget
) -> None:
    replicas = [TokenBucket(pool, budget) for _ in range(4)]
    began_at = time.monotonic()

    taken = await asyncio.gather(*(_use(one, began_at + 2.0) for one in replicas))

    seconds = time.monotonic() - began_at
    assert sum(taken) <= CAPACITY + RATE_PER_S * seconds
    assert sum(taken) >= 0.4 * (CAPACITY + RATE_PER_S * 2.0)
    assert min(taken) > 0


async def test_a_full_bucket_allows_one_burst_and_no_more(pool: Pool, budget: Budget) -> None:
    replicas = [TokenBucket(pool, budget) for _ in range(3)]
    began_at = time.monotonic()

    waits = await asyncio.gather(*(one.take() for one in replicas * CAPACITY))

    given = sum(wait == 0 for wait in waits)
    # What a replica leased and did not get to use counts against nobody but itself.
    assert CAPACITY - 3 * budget.chunk_max <= given
    assert given <= CAPACITY + RATE_PER_S * (time.monotonic() - began_at)


async def test_a_hold_closes_the_bucket_for_every_replica(pool: Pool, budget: Budget) -> None:
    one, other = TokenBucket(pool, budget), TokenBucket(pool, budget)
    await one.take()

    await one.hold(30.0)

    assert 29 < await one.take() <= 30
    assert 29 < await other.take() <= 30


async def test_what_goes_back_during_a_hold_is_not_given_out(
    pool: Pool, budget: Budget
) -> None:
    now_s = 100.0
    one, other = TokenBucket(pool, budget, monotonic=lambda: now_s), TokenBucket(pool, budget)
    for _ in range(4):
        await one.take()
    await other.hold(30.0)

    # Its lease has ended with three tokens unused, and it gives them back with this question.
    now_s += budget.lease_s
    assert await one.take() > 29


async def test_a_shorter_hold_does_not_open_the_bucket(pool: Pool, budget: Budget) -> None:
    one, other = TokenBucket(pool, budget), TokenBucket(pool, budget)
    await one.hold(30.0)

    await other.hold(1.0)

    assert 29 < await TokenBucket(pool, budget).take() <= 30


async def test_after_a_hold_no_burst_was_saved_up(pool: Pool, budget: Budget) -> None:
    bucket = TokenBucket(pool, budget)
    began_at = time.monotonic()
    await bucket.hold(0.5)

    taken = await _use(bucket, began_at + 1.0)

    assert taken <= RATE_PER_S * (time.monotonic() - began_at - 0.5) + 1


async def test_a_restart_with_another_rate_does_not_refill(pool: Pool, budget: Budget) -> None:
    # So slow that what comes in meanwhile does not count, however long it takes.
    first = TokenBucket(pool, Budget(budget.name, rate_per_s=0.2, capacity=CAPACITY))
    while await first.take() == 0:
        pass

    slower = Budget(budget.name, rate_per_s=0.1, capacity=CAPACITY)
    wait_s = await TokenBucket(pool, slower).take()

    assert 5 < wait_s <= 10


async def test_a_cleared_table_is_declared_again(pool: Pool, budget: Budget) -> None:
    bucket = TokenBucket(pool, budget)
    await bucket.take()
    await pool.execute("DELETE FROM token_buckets WHERE name = $1", budget.name)

    assert [await bucket.take() for _ in range(3)] == [0.0, 0.0, 0.0]

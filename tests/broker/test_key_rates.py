"""What one key may ask for holds across replicas, and is each key's own."""

from collections.abc import AsyncIterator
from secrets import token_hex

import pytest

import shared.limits
from shared.database.migrations import migrate
from shared.database.pool import DatabaseSettings, Pool, open_pool
from shared.limits.keyed import KeyedBuckets

BURST = 40


@pytest.fixture(scope="module")
async def pool(database_url: str) -> AsyncIterator[Pool]:
    schema = f"limits_{token_hex(4)}"
    await migrate(database_url, schema=schema, locations=[shared.limits.MIGRATIONS], role=None)
    pool = await open_pool(DatabaseSettings(database_url), schema=schema, application="test")
    yield pool
    await pool.close()


async def test_two_replicas_give_out_one_burst(pool: Pool) -> None:
    replicas = [KeyedBuckets(pool, rate_per_s=0.01, burst=BURST) for _ in range(2)]

    waits = [(await replicas[nth % 2].take("anna"))[0] for nth in range(3 * BURST)]

    assert waits.count(0.0) == BURST
    assert all(wait_s > 0 for wait_s in waits[-BURST:])
    assert [(await one.take("otto"))[0] for one in replicas] == [0.0, 0.0]


async def test_what_is_left_is_told(pool: Pool) -> None:
    rates = KeyedBuckets(pool, rate_per_s=0.01, burst=BURST)

    left = [(await rates.take("karl"))[1] for _ in range(BURST + 1)]

    assert left == [*range(BURST - 1, -1, -1), 0]

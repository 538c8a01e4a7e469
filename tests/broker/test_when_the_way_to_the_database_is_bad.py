"""A database that is well behind a network that is not: an error may have been a commit.

Whoever was not told waits for no longer than its limit, calls it an absent database, and says
the same again: what is there already is recognised and not done twice.
"""

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

import asyncpg
import pytest

from shared.bus.jobs import Job
from shared.contracts.orders import ExtractDocumentV1
from shared.errors import Retryable
from shared.observability.metrics import REGISTRY
from tests.broker.bus_bench import bus_bench, work_queue
from tests.broker.pools import Bench, pool_bench
from tests.eventually import eventually
from tests.fault_proxy import Cut, FaultProxy, Forward, Silence, fault_proxy

PATIENCE_S = 1.0
LONG = "SELECT repeat('x', 1000000)"


@pytest.fixture
async def proxy(database_url: str) -> AsyncIterator[FaultProxy]:
    parts = urlsplit(database_url)
    async with fault_proxy(str(parts.hostname), parts.port or 0) as proxy:
        yield proxy
        proxy.do(Forward())


@pytest.fixture
def far_url(database_url: str, proxy: FaultProxy) -> str:
    parts = urlsplit(database_url)
    login = parts.netloc.rpartition("@")[0]
    return parts._replace(netloc=f"{login}@127.0.0.1:{proxy.port}").geturl()


@pytest.fixture
async def bench(database_url: str, far_url: str) -> AsyncIterator[Bench]:
    """Its pools go through the bad network, its look from outside does not."""
    async with pool_bench(database_url) as bench:
        bench.settings = replace(bench.settings, dsn=far_url)
        yield bench


async def test_a_commit_whose_answer_is_lost_is_an_error_and_has_happened(
    bench: Bench, proxy: FaultProxy
) -> None:
    pool = await bench.pool(command_timeout_s=PATIENCE_S)
    began = time.monotonic()

    with pytest.raises(Retryable) as raised:
        async with pool.transaction() as connection:
            await connection.execute("DELETE FROM rows")
            proxy.do(Silence("client"))
    took_s = time.monotonic() - began
    left = await bench.outside.fetchval("SELECT count(*) FROM rows")
    proxy.do(Forward())

    assert raised.value.dependency == "postgres"
    assert left == 0
    assert PATIENCE_S <= took_s < 10 * PATIENCE_S
    assert await pool.fetchval("SELECT count(*) FROM rows") == 0


async def test_a_commit_that_never_arrives_is_an_error_and_has_not_happened(
    bench: Bench, proxy: FaultProxy
) -> None:
    pool = await bench.pool(command_timeout_s=PATIENCE_S)

    with pytest.raises(Retryable) as raised:
        async with pool.transaction() as connection:
            await connection.execute("DELETE FROM rows")
            proxy.do(Cut("server", after_bytes=3))
    proxy.do(Forward())

    assert raised.value.dependency == "postgres"
    assert await bench.outside.fetchval("SELECT count(*) FROM rows") == 2
    assert await pool.fetchval("SELECT count(*) FROM rows") == 2


async def test_a_query_that_is_reset_in_its_middle_is_an_absent_database_and_the_next_is_well(
    bench: Bench, proxy: FaultProxy
) -> None:
    pool = await bench.pool()
    proxy.do(Cut("client", after_bytes=100_000, times=1))

    with pytest.raises(Retryable) as raised:
        await pool.fetchval(LONG)

    assert (raised.value.dependency, proxy.struck) == ("postgres", 1)
    assert len(await pool.fetchval(LONG)) == 1_000_000


async def test_a_slow_network_is_borne_up_to_the_limit_and_given_up_past_it(
    bench: Bench, proxy: FaultProxy
) -> None:
    pool = await bench.pool(command_timeout_s=PATIENCE_S)
    proxy.do(Forward(latency_s=PATIENCE_S / 5))
    assert await pool.fetchval("SELECT 1") == 1

    proxy.do(Forward(latency_s=3 * PATIENCE_S))
    began = time.monotonic()
    with pytest.raises(Retryable) as raised:
        await pool.fetchval("SELECT 1")
    took_s = time.monotonic() - began
    proxy.do(Forward())

    assert raised.value.dependency == "postgres"
    assert took_s < 3 * PATIENCE_S
    assert await pool.fetchval("SELECT 1") == 1


@dataclass(slots=True)
class Looking:
    """Past the bad network, into one schema."""

    url: str
    schema: str

    async def effects(self) -> int:
        connection = await asyncpg.connect(self.url)
        try:
            return int(await connection.fetchval(f"SELECT count(*) FROM {self.schema}.effects"))
        finally:
            await connection.close()


async def test_a_job_whose_commit_was_not_told_comes_again_and_is_not_done_again(
    amqp_url: str, database_url: str, far_url: str, proxy: FaultProxy
) -> None:
    async with bus_bench(amqp_url, far_url, work_queue()) as bench:
        outside = Looking(database_url, bench.schema)

        async def do(job: Job[ExtractDocumentV1]) -> None:
            async with bench.ledger.handling(job) as unit:
                await bench.effects_of(unit)
                # What is asked from now on arrives, and no answer comes back.
                proxy.do(Cut("client", after_bytes=0))

        async with bench.consuming_with(one=do):
            await bench.submit()
            await eventually(lambda: proxy.struck)
            await eventually(outside.effects)
            proxy.do(Forward())
            await eventually(lambda: _recognised(bench.queue.name), within_s=30)
            await eventually(bench.is_quiet, within_s=30)

        assert await outside.effects() == 1


def _recognised(queue: str) -> float:
    labels = {"queue": queue}
    return REGISTRY.get_sample_value("paperline_inbox_duplicates_total", labels) or 0

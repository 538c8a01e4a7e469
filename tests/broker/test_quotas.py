"""A day's quota of one key, counted in the commit that accepts: exact, whoever serves it."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from secrets import token_hex

import httpx
import pytest

from services.ingest.adapters.quotas import PostgresQuotas
from services.ingest.api import Front, build
from services.ingest.handlers.follow import Feed
from shared.access.keys import Quota
from shared.database.pool import DatabaseSettings, Pool, open_pool
from shared.limits.days import KEPT_DAYS, Amount
from shared.web.cursors import Cursors
from tests import builders
from tests.broker.ingest_world import World, ingest_world
from tests.fakes.batches import InMemoryBatches, InMemoryStandings
from tests.fakes.documents import InMemoryDocuments
from tests.fakes.keys import SpeakingKeys, key_of
from tests.fakes.releases import InMemoryReleases

N = 12
SIZE = len(builders.PDF)


@dataclass(frozen=True, slots=True)
class Replicas:
    """Two processes of ingest, each with connections of its own, and one client of both."""

    keys: SpeakingKeys
    pool: Pool
    clients: Sequence[httpx.AsyncClient]
    owner_id: str

    async def upload(self, nth: int, **headers: str) -> httpx.Response:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.clients[nth % len(self.clients)].post(
            "/v1/documents",
            content=builders.PDF,
            headers={**key_of(self.owner_id, "submitter"), **names},
        )

    async def upload_at_once(self, count: int, **headers: str) -> list[httpx.Response]:
        return await asyncio.gather(*(self.upload(nth, **headers) for nth in range(count)))

    async def used(self) -> tuple[int, int]:
        row = await self.pool.fetchrow(
            "SELECT coalesce(sum(documents), 0) AS documents, coalesce(sum(bytes), 0) AS bytes"
            "  FROM day_usage WHERE name = $1",
            f"key:key-{self.owner_id}",
        )
        assert row is not None
        return int(row["documents"]), int(row["bytes"])

    async def documents(self) -> int:
        count = "SELECT count(*) FROM documents WHERE owner_id = $1"
        return int(await self.pool.fetchval(count, self.owner_id))

    def agree(self, documents: int | None = None, size: int | None = None) -> None:
        self.keys.quotas[self.owner_id] = Quota(documents, size)


@asynccontextmanager
async def replica(world: World, keys: SpeakingKeys) -> AsyncIterator[httpx.AsyncClient]:
    documents = InMemoryDocuments()
    batches = InMemoryBatches(documents, InMemoryReleases(documents))
    front = Front(
        Cursors("a secret of the test"),
        Feed(documents, streams_max=1),
        Feed(InMemoryStandings(batches), streams_max=1),
        quotas=PostgresQuotas(world.pool),
    )
    app = build(world.use, keys, front, upload_s=30, requests_max=100)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://ingest") as client:
        yield client


@pytest.fixture(scope="module")
async def worlds(database_url: str) -> AsyncIterator[tuple[World, World]]:
    async with ingest_world(database_url) as first:
        schema = await first.pool.fetchval("SELECT current_schema()")
        pool = await open_pool(
            DatabaseSettings(database_url, pool_max=8), schema=schema, application="second"
        )
        yield first, World(pool, first.clock)
        await pool.close()


@pytest.fixture
async def replicas(worlds: tuple[World, World]) -> AsyncIterator[Replicas]:
    keys = SpeakingKeys()
    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(replica(one, keys)) for one in worlds]
        yield Replicas(keys, worlds[0].pool, clients, f"acme-{token_hex(4)}")


def outcomes(answers: Sequence[httpx.Response]) -> Counter[int]:
    return Counter(answer.status_code for answer in answers)


async def test_of_twice_as_many_uploads_exactly_the_quota_is_accepted(
    replicas: Replicas,
) -> None:
    replicas.agree(documents=N)

    answers = await replicas.upload_at_once(2 * N)

    assert outcomes(answers) == {202: N, 429: N}
    assert await replicas.used() == (N, N * SIZE)
    assert await replicas.documents() == N
    refused = [answer for answer in answers if answer.status_code == 429]
    assert {answer.json()["type"] for answer in refused} == {"/problems/quota-exceeded"}
    assert all(0 < int(answer.headers["retry-after"]) <= 86_400 for answer in refused)


async def test_bytes_are_counted_as_exactly(replicas: Replicas) -> None:
    replicas.agree(size=N * SIZE + SIZE - 1)

    answers = await replicas.upload_at_once(2 * N)

    assert outcomes(answers) == {202: N, 429: N}
    assert await replicas.used() == (N, N * SIZE)


async def test_one_request_sent_many_times_is_counted_once(replicas: Replicas) -> None:
    replicas.agree(documents=2)

    answers = await replicas.upload_at_once(N, idempotency_key="invoice-17")

    assert outcomes(answers) == {202: N}
    assert len({answer.json()["document_id"] for answer in answers}) == 1
    assert await replicas.used() == (1, SIZE)


async def test_what_was_not_accepted_is_not_counted(
    replicas: Replicas, worlds: tuple[World, World]
) -> None:
    replicas.agree(documents=N)
    refused = await replicas.upload(0, x_priority="asap")
    quotas = PostgresQuotas(worlds[0].pool)

    with pytest.raises(ConnectionError):
        async with worlds[0].use.ledger.unit() as unit:
            name, spent = f"key-{replicas.owner_id}", Amount(1, SIZE)
            assert (await quotas.count_use(unit, name, spent, Quota(N)))[0]
            raise ConnectionError

    assert refused.status_code == 422
    assert await replicas.used() == (0, 0)


async def test_each_key_has_a_day_of_its_own_and_a_new_one_tomorrow(
    replicas: Replicas,
) -> None:
    replicas.agree(documents=1)
    await replicas.pool.execute(
        "INSERT INTO day_usage SELECT $1, (now() AT TIME ZONE 'UTC')::date - ago, 1, 1"
        "  FROM generate_series(1, $2) AS ago",
        f"key:key-{replicas.owner_id}",
        KEPT_DAYS + 3,
    )

    first, second = await replicas.upload(0), await replicas.upload(1)

    assert (first.status_code, second.status_code) == (202, 429)
    assert first.headers["ratelimit"].startswith('"day";r=0;t=')
    assert await PostgresQuotas(replicas.pool).purge() == 3


async def test_a_quota_that_was_raised_counts_at_once(replicas: Replicas) -> None:
    replicas.agree(documents=1)
    assert outcomes(await replicas.upload_at_once(2)) == {202: 1, 429: 1}

    replicas.agree(documents=2)

    assert outcomes(await replicas.upload_at_once(2)) == {202: 1, 429: 1}
    replicas.agree()
    assert outcomes(await replicas.upload_at_once(2)) == {202: 2}

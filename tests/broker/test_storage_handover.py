"""The hand-over on a real PostgreSQL: whatever order commits land in, however often somebody
dies, each version reaches each consumer once and nothing is skipped."""

import asyncio
import json
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import count
from random import Random
from uuid import UUID, uuid4

import asyncpg
import pytest

import shared.audit
from services.storage.adapters.stored_results import PostgresStoredResults
from services.storage.domain.handover import Approval, Given, digest
from services.storage.domain.results import StoredResult
from services.storage.handlers.handing_over import (
    acknowledge,
    next_batch,
    open_consumer,
)
from services.storage.ports.outlets import Outlets
from shared.audit.log import Filter, page, verify
from shared.ledger.port import Unit
from tests import builders
from tests.broker.service_schema import ServiceSchema, service_schema
from tests.broker.taker import NAME, OWNER, outlets_on
from tests.conformance.leaving import entry_of
from tests.house.repository import ROOT

WRITERS = 40


@dataclass(frozen=True, slots=True)
class Bench:
    url: str
    schema: ServiceSchema
    use: Outlets

    async def approve(self, unit: Unit, document_id: UUID | None = None) -> UUID:
        """What a finalising replica writes, as far as the hand-over sees it."""
        document_id = document_id or uuid4()
        row = StoredResult(
            document_id=document_id,
            version=2,
            owner_id=OWNER,
            accepted_at=builders.ACCEPTED_AT,
            extraction_key="sha256/ab/ab",
            result_key="v2.json",
            has_files=True,
            verdict="approved",
            review_revision=1,
        )
        await PostgresStoredResults().keep_stored(unit, [row])
        await self.use.handovers.note_approved(unit, [entry_of(row)])
        return document_id

    async def approved(self) -> UUID:
        async with self.use.ledger.unit() as unit:
            return await self.approve(unit)

    async def drained(self, name: str = NAME, limit: int = 7) -> list[UUID]:
        """Everything that waits, acknowledged."""
        taken: list[UUID] = []
        while given := await next_batch(OWNER, name, limit, self.use):
            taken += [one.document_id for one in given.items]
            await self.acknowledge(given, name)
        return taken

    async def acknowledge(self, given: Given, name: str = NAME) -> None:
        await acknowledge(OWNER, name, given.batch.batch_id, None, self.use)

    async def taker(self, failpoint: str = "") -> tuple[int, list[tuple[UUID, int]]]:
        """How it ended, and what it had put away by then."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.broker.taker"),
            *(self.url, self.schema.name, failpoint),
            cwd=ROOT,
            stdout=asyncio.subprocess.PIPE,
        )
        said, _ = await process.communicate()
        batches = [json.loads(line)[1] for line in said.splitlines()]
        return process.returncode or 0, [(UUID(d), v) for one in batches for d, v in one]


@pytest.fixture
async def bench(database_url: str) -> AsyncIterator[Bench]:
    locations = [shared.audit.MIGRATIONS]
    async with service_schema(database_url, "storage", locations) as schema:
        use = outlets_on(schema.pool)
        await open_consumer(OWNER, NAME, OWNER, use)
        yield Bench(database_url, schema, use)


async def test_what_commits_late_comes_later_and_is_not_skipped(bench: Bench) -> None:
    async with bench.use.ledger.unit() as unit:
        late = await bench.approve(unit)
        # Written after the first, and committed before it.
        early = await bench.approved()
        assert await bench.drained() == [early]

    assert await bench.drained() == [late]
    assert await bench.drained() == []


async def test_however_commits_overtake_each_other_every_consumer_gets_all_once(
    bench: Bench,
) -> None:
    await open_consumer(OWNER, "bi", OWNER, bench.use)
    await open_consumer(OWNER, "every", None, bench.use)
    random, done, known = Random(7), asyncio.Event(), set[UUID]()
    turns = asyncio.Semaphore(4)

    async def write() -> None:
        async with turns, bench.use.ledger.unit() as unit:
            known.add(await bench.approve(unit))
            for _ in range(random.randrange(8)):
                # As many rounds as it takes others to commit meanwhile.
                await unit.connection.fetchval("SELECT pg_sleep(0.002)")

    async def read(name: str) -> list[UUID]:
        taken: list[UUID] = []
        while not done.is_set():
            taken += await bench.drained(name, limit=3)
        return taken + await bench.drained(name)

    async with asyncio.TaskGroup() as group:
        readers = {name: group.create_task(read(name)) for name in (NAME, "bi", "every")}
        await asyncio.gather(*(write() for _ in range(WRITERS)))
        done.set()

    for name, reader in readers.items():
        taken = reader.result()
        assert Counter(taken) == Counter(known), name
    assert await verify(bench.schema.pool) is None


async def test_two_processes_of_one_consumer_are_given_the_same_batch(bench: Bench) -> None:
    for _ in range(5):
        await bench.approved()

    given = await asyncio.gather(*(next_batch(OWNER, NAME, 2, bench.use) for _ in range(6)))

    assert {one.batch.batch_id for one in given if one} == {given[0].batch.batch_id}  # type: ignore[union-attr]
    assert {one.items for one in given if one} == {given[0].items}  # type: ignore[union-attr]
    assert sorted(one.batch.times_given for one in given if one) == [1, 2, 3, 4, 5, 6]


async def test_many_receipts_of_one_batch_are_one(bench: Bench) -> None:
    await bench.approved()
    given = await next_batch(OWNER, NAME, 10, bench.use)
    assert given is not None

    receipts = await asyncio.gather(
        *(acknowledge(OWNER, NAME, given.batch.batch_id, None, bench.use) for _ in range(6))
    )

    assert {one.acknowledged_at for one in receipts} == {receipts[0].acknowledged_at}
    lines = await page(bench.schema.pool, Filter(action="batch_acknowledged"))
    assert len(lines) == 1


async def test_the_database_itself_gives_no_version_twice(bench: Bench) -> None:
    document_id = await bench.approved()
    await bench.drained()
    consumer = await bench.use.handovers.find_consumer(OWNER, NAME)
    assert consumer is not None
    again = [Approval(document_id, 2, OWNER, "approved", consumer.created_at, 99)]

    with pytest.raises(asyncpg.UniqueViolationError, match="a_version_is_handed_over_once"):
        async with bench.use.ledger.unit() as unit:
            await bench.use.handovers.open_batch(unit, consumer, again, digest(again))


async def test_positions_are_given_without_gaps_whoever_asks(bench: Bench) -> None:
    for _ in range(30):
        await bench.approved()

    async def number() -> None:
        async with bench.use.ledger.unit() as unit:
            await bench.use.handovers.number_approvals(unit, 4)

    await asyncio.gather(*(number() for _ in range(10)))

    rows = await bench.schema.owner.fetch("SELECT position FROM approvals ORDER BY 1")
    assert [row["position"] for row in rows] == [*range(1, 31)]


@pytest.mark.parametrize(
    ("failpoint", "puts_away_again"),
    [
        ("storage.batch_before_commit:kill:2", 0),
        ("storage.batch_committed:kill:2", 0),
        # It had put the batch away and was killed before its receipt was kept: given again.
        ("storage.ack_before_commit:kill:2", 3),
    ],
)
async def test_a_killed_consumer_goes_on_where_it_was(
    bench: Bench, failpoint: str, puts_away_again: int
) -> None:
    known = [(await bench.approved(), 2) for _ in range(10)]

    killed, first = await bench.taker(failpoint)
    ended, second = await bench.taker()

    assert (killed, ended) == (-9, 0)
    assert set(first) | set(second) == set(known)
    assert len(first) + len(second) - len(known) == puts_away_again
    rows = await bench.schema.owner.fetch(
        "SELECT count, acknowledged_at IS NOT NULL AS is_done FROM handover_batches"
    )
    assert sum(row["count"] for row in rows) == len(known)
    assert all(row["is_done"] for row in rows)
    assert await verify(bench.schema.pool) is None


async def test_killed_again_and_again_it_still_ends_with_all_of_them_once(bench: Bench) -> None:
    known = [(await bench.approved(), 2) for _ in range(9)]
    points = ("batch_before_commit", "ack_before_commit", "batch_committed")

    away: dict[tuple[UUID, int], None] = {}
    for nth in count():
        # Each time it comes one step further before it dies.
        ended, put_away = await bench.taker(f"storage.{points[nth % 3]}:kill:{1 + nth // 3}")
        away |= dict.fromkeys(put_away)
        if ended == 0:
            break

    assert [*away] == known


async def test_a_consumer_of_one_owner_waits_for_no_commit_of_another(bench: Bench) -> None:
    async with AsyncExitStack() as stack:
        unit = await stack.enter_async_context(bench.use.ledger.unit())
        await bench.approve(unit)
        mine = await bench.approved()

        async with asyncio.timeout(5):
            assert await bench.drained() == [mine]

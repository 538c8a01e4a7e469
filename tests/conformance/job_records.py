"""The records of jobs under test, with what only a test asks of them."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from shared.bus.headers import RUN
from shared.bus.jobs import AlreadyHandled, Job
from shared.bus.ports import JobRecord
from shared.contracts.body import Body
from shared.contracts.envelope import decode, open_body
from shared.database.pool import DatabaseSettings, Pool, open_pool
from shared.ledger.postgres import PostgresLedger
from shared.ledger.record import PostgresJobRecord
from shared.ledger.rows import OutboxRow
from shared.topology.queues import EXTRACT
from tests.fakes.bus import InMemoryJobRecord
from tests.fakes.clock import FakeClock


@dataclass(frozen=True, slots=True)
class Written:
    exchange: str
    routing_key: str
    priority: int
    run: str | None
    body: bytes

    @property
    def said(self) -> Body:
        return open_body(decode(self.body))


class Bench(Protocol):
    """A record, and what only a test asks of it."""

    @property
    def record(self) -> JobRecord: ...

    async def finish(self, job: Job[Body]) -> bool:
        """Do the job as a handler does. False when it had been done before."""

    async def outbox(self) -> Sequence[Written]: ...

    async def later(self) -> Sequence[tuple[float, Written]]:
        """What is owed after how many seconds."""


class MemoryBench:
    def __init__(self) -> None:
        self._record = InMemoryJobRecord(FakeClock())

    @property
    def record(self) -> JobRecord:
        return self._record

    async def finish(self, job: Job[Body]) -> bool:
        return self._record.mark_done(EXTRACT, job)

    async def outbox(self) -> Sequence[Written]:
        return [_written(row) for row in self._record.outbox]

    async def later(self) -> Sequence[tuple[float, Written]]:
        return [(after_s, _written(row)) for after_s, row in self._record.later]


class PostgresBench:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self.record: JobRecord = PostgresJobRecord(pool, FakeClock(), wake=_nobody)

    async def finish(self, job: Job[Body]) -> bool:
        ledger = PostgresLedger(self._pool, FakeClock(), wake=_nobody)
        try:
            async with ledger.handling(job):
                return True
        except AlreadyHandled:
            return False

    async def outbox(self) -> Sequence[Written]:
        rows = await self._pool.fetch(
            "SELECT *, headers::json ->> 'paperline-run' AS run FROM outbox ORDER BY id"
        )
        return [_found(row) for row in rows]

    async def later(self) -> Sequence[tuple[float, Written]]:
        rows = await self._pool.fetch(
            "SELECT *, headers::json ->> 'paperline-run' AS run,"
            " extract(epoch FROM available_at - now()) AS after_s FROM outbox_later ORDER BY id"
        )
        return [(float(row["after_s"]), _found(row)) for row in rows]


def _written(row: OutboxRow) -> Written:
    return Written(row.exchange, row.routing_key, row.priority, row.headers.get(RUN), row.body)


def _found(row: Any) -> Written:  # noqa: ANN401 -- asyncpg's record has no types
    return Written(
        row["exchange"], row["routing_key"], row["priority"], row["run"], row["body"]
    )


def _nobody() -> None:
    """No relay runs beside this test."""


@asynccontextmanager
async def postgres_bench(url: str) -> AsyncIterator[PostgresBench]:
    pool = await open_pool(DatabaseSettings(url), schema="ledger", application="test")
    try:
        await pool.execute("TRUNCATE outbox, outbox_later, inbox, starts")
        yield PostgresBench(pool)
    finally:
        await pool.close()

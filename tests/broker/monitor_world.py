"""The monitor on a real PostgreSQL, without a broker behind it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import shared.audit
from services.monitor.adapters.conservation import PostgresConserved
from services.monitor.adapters.duties import PostgresDuties, PostgresNumbers
from services.monitor.adapters.facts import PostgresFacts
from services.monitor.adapters.groups import PostgresGroups
from services.monitor.adapters.job_logs import JobLogs
from services.monitor.adapters.letters import PostgresLetters
from services.monitor.adapters.operations import PostgresOperations
from services.monitor.adapters.processes import PostgresProcesses
from services.monitor.adapters.replays import PostgresReplays
from services.monitor.adapters.sightings import PostgresDocuments, PostgresPauses
from services.monitor.adapters.snapshots import SnapshotFiles
from services.monitor.adapters.trail import AuditTrail
from services.monitor.domain.letters import DeadLetter
from services.monitor.handlers.keeping import keep_letters
from services.monitor.handlers.operating import step_operation
from services.monitor.ports import Filter, Limits, Ports
from shared.bus.letters import Letter
from shared.clock import WallClock
from shared.database.pool import Pool
from shared.ledger.postgres import PostgresLedger
from tests.broker.service_schema import ServiceSchema, service_schema
from tests.eventually import eventually
from tests.fakes.blobs import InMemoryBlobs
from tests.fakes.monitor import FakeBroker

DEFAULTS = Limits()


@dataclass(frozen=True, slots=True)
class Monitor:
    schema: ServiceSchema
    letters: PostgresLetters
    use: Ports

    async def kept(self, letter: Letter) -> DeadLetter:
        await keep_letters([letter], self.use)
        [latest] = await self.letters.list_letters(Filter(), after=None, limit=1)
        return latest

    async def count(self, table: str) -> int:
        return int(await self.schema.owner.fetchval(f"SELECT count(*) FROM {table}"))


def ports_over(pool: Pool, ledger: PostgresLedger, limits: Limits = DEFAULTS) -> Ports:
    blobs = InMemoryBlobs()
    return Ports(
        letters=PostgresLetters(pool),
        replays=PostgresReplays(pool),
        operations=PostgresOperations(pool),
        groups=PostgresGroups(pool),
        documents=PostgresDocuments(pool),
        pauses=PostgresPauses(pool),
        processes=PostgresProcesses(pool),
        facts=PostgresFacts(pool),
        logs=JobLogs(blobs),
        duties=PostgresDuties(pool),
        numbers=PostgresNumbers(pool),
        conserved=PostgresConserved(pool),
        snapshots=SnapshotFiles(blobs),
        broker=FakeBroker(),
        trail=AuditTrail(),
        ledger=ledger,
        clock=WallClock(),
        limits=limits,
    )


@asynccontextmanager
async def stepping(use: Ports, *, within_s: float = 3_600.0) -> AsyncIterator[None]:
    """Operations move, as long as the block lasts."""

    async def stepped_enough() -> bool:
        while await step_operation(use):
            if leaving.is_set():
                return True
        return leaving.is_set()

    leaving = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(eventually(stepped_enough, within_s=within_s))
        try:
            yield
        finally:
            leaving.set()


@asynccontextmanager
async def monitor_service(database_url: str) -> AsyncIterator[Monitor]:
    async with service_schema(database_url, "monitor", [shared.audit.MIGRATIONS]) as schema:
        use = ports_over(schema.pool, schema.ledger)
        yield Monitor(schema, PostgresLetters(schema.pool), use)

"""The monitor on a real PostgreSQL, without a broker behind it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import shared.audit
from services.monitor.adapters.letters import PostgresLetters
from services.monitor.adapters.replays import PostgresReplays
from services.monitor.adapters.sightings import PostgresDocuments, PostgresPauses
from services.monitor.adapters.trail import AuditTrail
from services.monitor.domain.letters import DeadLetter
from services.monitor.handlers.keeping import keep_letters
from services.monitor.ports import Filter, Ports
from shared.bus.letters import Letter
from tests.broker.service_schema import ServiceSchema, service_schema
from tests.fakes.clock import FakeClock
from tests.fakes.monitor import FakeBroker


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


@asynccontextmanager
async def monitor_service(database_url: str) -> AsyncIterator[Monitor]:
    async with service_schema(database_url, "monitor", [shared.audit.MIGRATIONS]) as schema:
        letters = PostgresLetters(schema.pool)
        use = Ports(
            letters=letters,
            replays=PostgresReplays(schema.pool),
            documents=PostgresDocuments(schema.pool),
            pauses=PostgresPauses(schema.pool),
            broker=FakeBroker(),
            trail=AuditTrail(),
            ledger=schema.ledger,
            clock=FakeClock(),
        )
        yield Monitor(schema, letters, use)

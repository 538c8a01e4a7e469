"""A service's schema as its own process sees it: migrated, and entered with its own role."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import token_hex

import asyncpg

import shared.ledger
from shared.clock import WallClock
from shared.database.pool import DatabaseSettings, Pool, open_pool
from shared.ledger.postgres import PostgresLedger
from tests.broker.tables import make_tables

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class ServiceSchema:
    name: str
    pool: Pool
    # The owner's: to look from outside, and to do what a service may not.
    owner: Pool

    @property
    def ledger(self) -> PostgresLedger:
        return PostgresLedger(self.pool, WallClock(), wake=lambda: None)

    async def outbox(self) -> list[tuple[str, str]]:
        """Destination and type of what waits to be sent, in the order of sending."""
        rows = await self.owner.fetch(
            "SELECT routing_key, type FROM outbox ORDER BY priority DESC, id"
        )
        return [(row["routing_key"], row["type"]) for row in rows]


@asynccontextmanager
async def service_schema(
    database_url: str, service: str, locations: Sequence[Path]
) -> AsyncIterator[ServiceSchema]:
    name = f"{service}_{token_hex(4)}"
    role = f"paperline_{name}"
    ledger = Path(shared.ledger.__file__).parent / "migrations"
    own = ROOT / "services" / service / "migrations"
    connection = await asyncpg.connect(database_url)
    await connection.execute(f"CREATE ROLE {role}")
    await make_tables(connection, schema=name, locations=[ledger, own, *locations], role=role)
    # Connections are made when they are wanted: most tests want one of the first.
    settings = DatabaseSettings(database_url, pool_min=0)
    service_settings = replace(settings, dsn=f"{database_url}?role={role}")
    pool = await open_pool(service_settings, schema=name, application="test")
    owner = await open_pool(settings, schema=name, application="test")
    try:
        yield ServiceSchema(name, pool, owner)
    finally:
        await pool.close()
        await owner.close()
        # One by one: with rights taken in the same transaction, whoever analyses a table that
        # was just filled waits for us, and we for it.
        await connection.execute(f"DROP SCHEMA {name} CASCADE")
        await connection.execute(f"DROP OWNED BY {role}; DROP ROLE {role}")
        await connection.close()

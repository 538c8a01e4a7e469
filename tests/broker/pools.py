"""A pool under test, and a second one to look at it from outside and to disturb it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from secrets import token_hex

from shared.database.pool import DatabaseSettings, Pool, open_pool

SLOW_COMMIT = """
CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN PERFORM pg_sleep(0.3); RETURN NULL; END';
CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON slow_rows DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION slow();
"""
TABLES = """
CREATE TABLE rows (id int PRIMARY KEY, value jsonb);
CREATE TABLE slow_rows (id int PRIMARY KEY);
CREATE TABLE late_rows (id int UNIQUE DEFERRABLE INITIALLY DEFERRED);
INSERT INTO rows VALUES (1), (2);
"""


class Bench:
    """One schema with rows, a pool of one connection, and a way to look from outside."""

    def __init__(self, settings: DatabaseSettings, schema: str, outside: Pool) -> None:
        self.settings = replace(settings, pool_min=1, pool_max=1, acquire_timeout_s=5.0)
        self.schema = schema
        self.outside = outside
        self.waits: list[float] = []
        self._pools: list[Pool] = []

    async def pool(self, **knobs: float) -> Pool:
        pool = await open_pool(
            replace(self.settings, **knobs),  # type: ignore[arg-type] # pool sizes are int
            schema=self.schema,
            application=self.schema,
            on_wait=self.waits.append,
        )
        self._pools.append(pool)
        return pool

    async def close(self) -> None:
        for pool in self._pools:
            await pool.close(within_s=1)

    async def sleeping(self) -> bool:
        """Does the server sleep on behalf of the pool under test?"""
        return (
            await self.outside.fetchval(
                "SELECT EXISTS (SELECT FROM pg_stat_activity"
                " WHERE application_name = $1 AND wait_event = 'PgSleep')",
                self.schema,
            )
            is True
        )

    async def hang_up(self) -> None:
        await self.outside.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name = $1",
            self.schema,
        )


@asynccontextmanager
async def pool_bench(database_url: str) -> AsyncIterator[Bench]:
    schema = f"pool_{token_hex(4)}"
    settings = DatabaseSettings(database_url)
    outside = await open_pool(settings, schema=schema, application="outside")
    await outside.execute(f"CREATE SCHEMA {schema}")
    await outside.execute(TABLES)
    await outside.execute(SLOW_COMMIT)
    bench = Bench(settings, schema, outside)
    try:
        yield bench
    finally:
        await bench.close()
        await outside.close()

"""A service's tables, brought to the version that its code expects. Forward only.

Each schema has its own version table, and its revisions come from several folders (what all
services share, and the service's own). Only the `migrate` and `check` doors import this
module: nothing else should pay for Alembic and SQLAlchemy.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import asyncpg
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext, RevisionStep
from alembic.script import Script, ScriptDirectory
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from shared.database.statements import statement
from shared.database.translation import Translated

CREATE_SCHEMA = statement(__file__, "create_schema")
LOCK_SCHEMA = statement(__file__, "lock_schema")
GRANTS = statement(__file__, "grants")
VERSION_TABLE = statement(__file__, "version_table")
VERSION_QUERY = statement(__file__, "version_query")

CONNECT_TIMEOUT_S = 10
TURN_TIMEOUT_S = 600
# DDL that queues behind a long transaction makes everybody else queue behind itself.
DDL_LOCK_TIMEOUT = "10s"


async def migrate(
    dsn: str, *, schema: str, locations: Sequence[Path], role: str | None
) -> list[str]:
    """The revisions applied now, oldest first; empty when there was nothing to do."""
    scripts = _scripts(locations)
    with Translated():
        keeper = await asyncpg.connect(dsn, timeout=CONNECT_TIMEOUT_S)
        try:
            await keeper.execute(LOCK_SCHEMA, schema, timeout=TURN_TIMEOUT_S)
            for command in await keeper.fetch(CREATE_SCHEMA, schema):
                await keeper.execute(command[0])
            waiting = _missing(scripts, await _applied_heads(keeper, schema))
            if waiting:
                await _upgrade(dsn, schema, scripts)
            if role is not None:
                await _grant(keeper, schema, role)
        finally:
            await keeper.close()
    return waiting


async def pending(dsn: str, schema: str, locations: Sequence[Path]) -> list[str]:
    """What `migrate` would apply. The service's own role may ask."""
    with Translated():
        connection = await asyncpg.connect(dsn, timeout=CONNECT_TIMEOUT_S)
        try:
            return _missing(_scripts(locations), await _applied_heads(connection, schema))
        finally:
            await connection.close()


def _scripts(locations: Sequence[Path]) -> ScriptDirectory:
    for location in locations:
        if not location.is_dir():
            raise FileNotFoundError(f"no migrations folder {location}")
    folders = [str(location) for location in locations]
    return ScriptDirectory(folders[0], version_locations=folders)


async def _applied_heads(connection: asyncpg.Connection, schema: str) -> list[str]:
    if await connection.fetchval(VERSION_TABLE, schema) is None:
        return []
    question = await connection.fetchval(VERSION_QUERY, schema)
    return [row["version_num"] for row in await connection.fetch(question)]


def _missing(scripts: ScriptDirectory, applied_heads: Iterable[str]) -> list[str]:
    known = {script.revision: script for script in scripts.walk_revisions()}
    heads = set(applied_heads)
    if heads - known.keys():
        # The code was rolled back and the schema was not: expand/contract lets the older
        # code run on it, so there is nothing to do rather than an error.
        return []
    done = _with_ancestors(known, heads)
    # Revisions are walked from the heads down.
    return [revision for revision in reversed(known) if revision not in done]


def _with_ancestors(known: dict[str, Script], heads: set[str]) -> set[str]:
    done: set[str] = set()
    waiting = list(heads)
    while waiting:
        revision = waiting.pop()
        if revision not in done:
            done.add(revision)
            waiting.extend(known[revision]._all_down_revisions)
    return done


async def _upgrade(dsn: str, schema: str, scripts: ScriptDirectory) -> None:
    async def connect() -> asyncpg.Connection:
        return await asyncpg.connect(
            dsn,
            timeout=CONNECT_TIMEOUT_S,
            server_settings={"search_path": schema, "lock_timeout": DDL_LOCK_TIMEOUT},
        )

    # The driver reads the address: it knows sockets and several hosts, SQLAlchemy's URL less.
    engine = create_async_engine(
        "postgresql+asyncpg://", async_creator=connect, poolclass=NullPool
    )
    try:
        async with engine.connect() as connection:
            await connection.run_sync(_run_revisions, scripts, schema)
    finally:
        await engine.dispose()


def _run_revisions(connection: Connection, scripts: ScriptDirectory, schema: str) -> None:
    def steps(heads: str, _context: MigrationContext) -> list[RevisionStep]:
        # Alembic declares a string here and hands over the tuple that it wants back.
        return scripts._upgrade_revs("heads", heads)

    with EnvironmentContext(Config(), scripts, fn=steps) as environment:
        environment.configure(
            connection=connection,
            version_table_schema=schema,
            # Each revision stands on its own: a later failure keeps the earlier ones.
            transaction_per_migration=True,
        )
        environment.run_migrations()


async def _grant(keeper: asyncpg.Connection, schema: str, role: str) -> None:
    async with keeper.transaction():
        for command in await keeper.fetch(GRANTS, schema, role):
            await keeper.execute(command["command"])

"""One look at the database: a single snapshot, read only, in which nothing waits for a lock.

A statement that takes too long is given up by itself, inside a savepoint, and the look goes
on without it: a checker must never be what a busy system suffers from.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import cache
from pathlib import Path
from typing import TypeAlias
from urllib.parse import urlsplit

import asyncpg

from deploy.verify.promises import CannotJudge

SQL = Path(__file__).parent / "sql"
CONNECT_WITHIN_S = 10.0
# What a cursor brings at once.
ROWS_AT_ONCE = 2_000
MAY_NOT = "migrations let paperline_reader read every schema"

Row: TypeAlias = asyncpg.Record


@cache
def statement(name: str) -> str:
    return (SQL / f"{name}.sql").read_text()


class Snapshot:
    """Statements by name, all of the same instant."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self._connection = connection

    async def fetch(self, name: str, *given: object) -> list[Row]:
        with _judgeable(name):
            async with self._connection.transaction():
                return list(await self._connection.fetch(statement(name), *given))

    async def stream(self, name: str, *given: object) -> AsyncGenerator[Row, None]:
        """However many rows there are, few of them in memory."""
        with _judgeable(name):
            async with self._connection.transaction():
                cursor = self._connection.cursor(statement(name), *given, prefetch=ROWS_AT_ONCE)
                async for row in cursor:
                    yield row


@contextmanager
def _judgeable(name: str) -> Iterator[None]:
    """What the database refuses is not broken: it cannot be told."""
    try:
        yield
    except asyncpg.QueryCanceledError as error:
        raise CannotJudge(f"{name} took longer than it may") from error
    except (asyncpg.UndefinedTableError, asyncpg.UndefinedColumnError) as error:
        raise CannotJudge(f"{name}: {error}; is the database migrated?") from error
    except asyncpg.InsufficientPrivilegeError as error:
        raise CannotJudge(f"{name}: {error}; {MAY_NOT}") from error


@asynccontextmanager
async def snapshot_of(url: str, *, statement_s: float = 300.0) -> AsyncIterator[Snapshot]:
    connection = await _connected(url, statement_s)
    try:
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            yield Snapshot(connection)
    finally:
        await connection.close()


async def _connected(url: str, statement_s: float) -> asyncpg.Connection:
    settings = {
        "application_name": "paperline-verify",
        "statement_timeout": str(int(statement_s * 1000)),
        # Somebody who alters a table is not waited for.
        "lock_timeout": "5000",
        # If we are stopped in the middle, the snapshot must not hold back vacuuming.
        "idle_in_transaction_session_timeout": "600000",
        "default_transaction_read_only": "on",
        "jit": "off",
    }
    try:
        return await asyncpg.connect(url, timeout=CONNECT_WITHIN_S, server_settings=settings)
    except (OSError, asyncpg.PostgresError, TimeoutError) as error:
        where = urlsplit(url)
        address = f"{where.hostname}:{where.port or 5432}{where.path}"
        raise CannotJudge(f"no connection to PostgreSQL at {address}: {error}") from error

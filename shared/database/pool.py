"""The connections of one process to its own schema.

Three traps are closed here for everybody: an exhausted pool would make `acquire` wait for
ever, a driver's error would be taken for a bug, and a task cancelled while it commits would
not know, nor leave a usable connection. Pooled connections carry no session state: no SET,
no LISTEN, no session lock outlives its transaction, because nothing resets them.
"""

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import asyncpg
from asyncpg.pool import PoolConnectionProxy
from asyncpg.transaction import Transaction

from shared.database.statements import statement
from shared.database.translation import Translated
from shared.ending import to_its_end

Connection: TypeAlias = PoolConnectionProxy
Row: TypeAlias = asyncpg.Record

KNOW_LISTS = statement(__file__, "know_lists")

AT_HAND_MAX = 2


@dataclass(frozen=True, slots=True)
class DatabaseSettings:
    """Every wait has an end; the server's come before the client's, so errors stay precise."""

    dsn: str = field(repr=False)
    pool_min: int = 2
    pool_max: int = 10
    connect_timeout_s: float = 5.0
    acquire_timeout_s: float = 10.0
    lock_timeout_s: float = 10.0
    statement_timeout_s: float = 25.0
    command_timeout_s: float = 30.0
    idle_in_transaction_timeout_s: float = 30.0


class Pool:
    """Programming errors pass as asyncpg raised them; adapters decide what they mean."""

    def __init__(
        self,
        pool: asyncpg.Pool,
        settings: DatabaseSettings,
        on_wait: Callable[[float], object],
    ) -> None:
        self._pool = pool
        self._settings = settings
        self._on_wait = on_wait
        # Not given back: the driver's way there and back costs as much as a statement.
        self._at_hand: list[Connection] = []
        self._waiting = 0
        self._closing = False

    @asynccontextmanager
    async def acquire(self) -> AsyncIterator[Connection]:
        with Translated():
            asked_at = time.monotonic()
            connection = await self._taken()
            is_clean = False
            try:
                self._on_wait(time.monotonic() - asked_at)
                yield connection
                is_clean = True
            finally:
                if not (is_clean and self._keeps(connection)):
                    await self._pool.release(connection)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Connection]:
        """Commits when the block ends well; cancelled in the commit, it waits for its end."""
        async with self.acquire() as connection:
            transaction = connection.transaction()
            begun = committed = False
            try:
                await transaction.start()
                begun = True
                yield connection
                # One that is cancelled half-way may have happened or not.
                await to_its_end(
                    transaction.commit(), within_s=self._settings.command_timeout_s
                )
                committed = True
            finally:
                if not committed:
                    await _abandon(connection, transaction if begun else None)

    async def _taken(self) -> Connection:
        while self._at_hand:
            connection = self._at_hand.pop()
            if not _is_gone(connection):
                return connection
            await self._pool.release(connection)
        self._waiting += 1
        try:
            return await self._pool.acquire(timeout=self._settings.acquire_timeout_s)
        finally:
            self._waiting -= 1

    def _keeps(self, connection: Connection) -> bool:
        """A few, for the next who comes; never one that somebody waits for."""
        is_wanted = self._waiting > 0 or len(self._at_hand) >= AT_HAND_MAX
        if is_wanted or self._closing or _is_gone(connection):
            return False
        self._at_hand.append(connection)
        return True

    async def fetch(self, sql: str, *args: object) -> list[Row]:
        async with self.acquire() as connection:
            rows: list[Row] = await connection.fetch(sql, *args)
            return rows

    async def fetchrow(self, sql: str, *args: object) -> Row | None:
        async with self.acquire() as connection:
            return await connection.fetchrow(sql, *args)

    async def fetchval(self, sql: str, *args: object) -> Any:  # noqa: ANN401 -- only the caller knows
        async with self.acquire() as connection:
            return await connection.fetchval(sql, *args)

    async def execute(self, sql: str, *args: object) -> str:
        async with self.acquire() as connection:
            return str(await connection.execute(sql, *args))

    async def close(self, within_s: float = 5.0) -> None:
        """Waits for borrowed connections, but not for one that is never given back."""
        self._closing = True
        try:
            async with asyncio.timeout(within_s):
                while self._at_hand:
                    await self._pool.release(self._at_hand.pop())
                await self._pool.close()
        except TimeoutError:
            self._pool.terminate()


def _is_gone(connection: Connection) -> bool:
    try:
        return bool(connection.is_closed())
    except asyncpg.InterfaceError:
        # The driver took it back when it died, and then answers no question about it.
        return True


async def open_pool(
    settings: DatabaseSettings,
    *,
    schema: str,
    application: str,
    on_wait: Callable[[float], object] = lambda waited_s: None,
) -> Pool:
    """`on_wait` is told how long each caller waited for a connection."""
    with Translated():
        pool = await asyncpg.create_pool(
            settings.dsn,
            min_size=settings.pool_min,
            max_size=settings.pool_max,
            timeout=settings.connect_timeout_s,
            command_timeout=settings.command_timeout_s,
            init=_prepare_connection,
            reset=_keep,
            server_settings=_server_settings(settings, schema, application),
        )
    return Pool(pool, settings, on_wait)


def _server_settings(
    settings: DatabaseSettings, schema: str, application: str
) -> dict[str, str]:
    return {
        "search_path": schema,
        "application_name": application,
        "timezone": "UTC",
        # Our statements are short; compiling one costs more than running it.
        "jit": "off",
        "lock_timeout": _ms(settings.lock_timeout_s),
        "statement_timeout": _ms(settings.statement_timeout_s),
        "idle_in_transaction_session_timeout": _ms(settings.idle_in_transaction_timeout_s),
    }


def _ms(seconds: float) -> str:
    return str(int(seconds * 1000))


async def _prepare_connection(connection: asyncpg.Connection) -> None:
    for kind in ("json", "jsonb"):
        await connection.set_type_codec(
            kind, schema="pg_catalog", encoder=as_json, decoder=json.loads
        )
    await connection.fetchrow(KNOW_LISTS)


def as_json(value: object) -> str:
    # PostgreSQL cannot store NaN in jsonb, so it is refused where the stack trace helps.
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


async def _keep(_connection: asyncpg.Connection) -> None:
    """Instead of the driver's RESET ALL: a round trip per use that would undo nothing."""


async def _abandon(connection: Connection, transaction: Transaction | None) -> None:
    # The caller's exception is the one that counts, so a rollback that fails says nothing:
    # the connection is thrown away, and the server rolls back when it notices. The same when
    # BEGIN was interrupted, because nobody knows whether it happened.
    with contextlib.suppress(asyncpg.InterfaceError):  # the driver has dropped it already
        if transaction is None:
            connection.terminate()
        elif connection.is_in_transaction():
            try:
                await transaction.rollback()
            except (
                asyncpg.PostgresError,
                asyncpg.InterfaceError,
                asyncpg.InternalClientError,
                OSError,
            ):
                connection.terminate()

"""PostgreSQL servers of one test alone: what is done to them must not be felt by the others."""

import asyncio
import os
import shutil
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

import asyncpg
import pytest

from deploy.local import ports, postgres, servers
from deploy.local.account import node_account, node_folder
from deploy.local.credentials import credentials
from deploy.local.state import State, changing
from tests.broker.database import Servers
from tests.eventually import eventually

REPLICA = "replica"


@dataclass(frozen=True, slots=True)
class OwnPostgres:
    state: State
    port: int
    # The server that made it, or was copied, knows the passwords.
    passwords: State

    @property
    def url(self) -> str:
        return postgres.admin_url(self.passwords, self.port, database="postgres")

    @property
    def folder(self) -> Path:
        return node_folder(self.state, postgres.COMPONENT, node_account())

    async def start(self) -> None:
        await asyncio.to_thread(self._start)

    def _start(self) -> None:
        with changing(self.state):
            postgres.start(self.state, self.port)

    async def stop(self) -> None:
        await asyncio.to_thread(postgres.stop, self.state)

    async def kill(self) -> None:
        """All of its processes at once, as when its machine goes."""
        for pid in postgres.family(self.state):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        await eventually(lambda: not postgres.family(self.state))

    async def says(self, sql: str) -> object:
        connection = await asyncpg.connect(self.url, timeout=5)
        try:
            return await connection.fetchval(sql)
        finally:
            await connection.close()

    async def copied(self, name: str) -> "OwnPostgres":
        """A replica of it, as it is now, that is not started yet."""
        copy = _prepared(f"{self.state.root.name}-{name}", self.state)
        programs = servers.require(servers.postgres_programs(), "postgresql")
        way = f"--dbname={self.url}?application_name={REPLICA}"
        words = ("--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast", way)
        await asyncio.to_thread(
            postgres.make, programs / "pg_basebackup", copy.folder / "data", *words
        )
        return copy


def _prepared(name: str, passwords: State | None = None) -> OwnPostgres:
    given = Servers().state
    if given is None:
        pytest.skip("PAPERLINE_TEST_STATE is not set")
    state = State(Path(given).resolve() / name)
    state.create()
    credentials(state)
    port = ports.ensure(state, [postgres.COMPONENT])[postgres.COMPONENT]
    return OwnPostgres(state, port, passwords or state)


@asynccontextmanager
async def own_postgres() -> AsyncIterator[OwnPostgres]:
    """Prepared and not started; gone with the test, and its copies with it."""
    name = f"postgres-{token_hex(3)}"
    own = _prepared(name)
    try:
        yield own
    finally:
        for root in own.state.root.parent.glob(f"{name}*"):
            one = State(root)
            await asyncio.to_thread(postgres.stop, one)
            shutil.rmtree(root)

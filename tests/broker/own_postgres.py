"""PostgreSQL servers of one test alone: what is done to them must not be felt by the others."""

import asyncio
import os
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

import asyncpg
import pytest

from deploy.local import ports, postgres, processes, servers
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
        for pid in processes.family(self.state, postgres.COMPONENT):
            os.kill(pid, signal.SIGKILL)
        await eventually(lambda: not processes.family(self.state, postgres.COMPONENT))

    async def says(self, sql: str) -> object:
        connection = await asyncpg.connect(self.url, timeout=5)
        try:
            return await connection.fetchval(sql)
        finally:
            await connection.close()

    async def copied(self, name: str) -> "OwnPostgres":
        """A replica of it, as it is now, that is not started yet."""
        state = _state(f"{self.state.root.name}-{name}")
        credentials(state)
        copy = OwnPostgres(
            state, ports.ensure(state, [postgres.COMPONENT])["postgres"], self.state
        )
        programs = servers.require(servers.postgres_programs(), "postgresql")
        account = node_account()
        way = f"{self.url}?application_name={REPLICA}"
        done = await asyncio.to_thread(
            subprocess.run,
            [
                *(
                    str(programs / "pg_basebackup"),
                    "--write-recovery-conf",
                    "--wal-method=stream",
                ),
                *("--checkpoint=fast", "--no-sync", f"--dbname={way}"),
                f"--pgdata={copy.folder / 'data'}",
            ],
            env={"HOME": str(copy.folder), "LC_ALL": "C.UTF-8"},
            cwd=copy.folder,
            capture_output=True,
            text=True,
            check=False,
            user=account.uid if account else None,
            group=account.gid if account else None,
            extra_groups=[] if account else None,
        )
        assert done.returncode == 0, done.stderr
        return copy


def _state(name: str) -> State:
    given = Servers().state
    if given is None:
        pytest.skip("PAPERLINE_TEST_STATE is not set")
    state = State(Path(given).resolve() / name)
    state.create()
    return state


@asynccontextmanager
async def own_postgres() -> AsyncIterator[OwnPostgres]:
    """Prepared and not started; gone with the test, and its copies with it."""
    name = f"postgres-{token_hex(3)}"
    state = _state(name)
    credentials(state)
    port = ports.ensure(state, [postgres.COMPONENT])["postgres"]
    try:
        yield OwnPostgres(state, port, state)
    finally:
        for root in state.root.parent.glob(f"{name}*"):
            one = State(root)
            await asyncio.to_thread(postgres.stop, one)
            shutil.rmtree(root)

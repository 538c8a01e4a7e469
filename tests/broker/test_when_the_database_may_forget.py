"""On a server that may lose what it has committed, no door of ours opens."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import pytest

from shared.database.durability import lost_on_a_crash_at
from tests.broker.database import own_database
from tests.eventually import eventually
from tests.house.repository import ROOT


@pytest.fixture
async def forgetful() -> AsyncIterator[str]:
    """A database whose commits are answered before they are safe; its neighbours' are not."""
    async with own_database() as url:
        name = urlsplit(url).path.removeprefix("/")
        connection = await asyncpg.connect(url)
        await connection.execute(f"ALTER DATABASE {name} SET synchronous_commit = off")
        await connection.close()
        yield url


@asynccontextmanager
async def _server_without(url: str, setting: str) -> AsyncIterator[None]:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(f"ALTER SYSTEM SET {setting} = off")
        await connection.execute("SELECT pg_reload_conf()")
        yield
    finally:
        await connection.execute(f"ALTER SYSTEM RESET {setting}")
        await connection.execute("SELECT pg_reload_conf()")
        await connection.close()


async def test_a_server_that_keeps_its_word_is_good(database_url: str) -> None:
    assert await lost_on_a_crash_at(database_url) == []


async def test_what_the_server_does_for_all_is_named(database_url: str) -> None:
    async def is_named() -> bool:
        found = await lost_on_a_crash_at(database_url)
        return len(found) == 1 and "runs with full_page_writes=off" in found[0]

    async with _server_without(database_url, "full_page_writes"):
        await eventually(is_named)


async def test_what_it_does_for_one_database_is_named(forgetful: str) -> None:
    [found] = await lost_on_a_crash_at(forgetful)

    assert "runs with synchronous_commit=off" in found


@pytest.mark.parametrize("door", ["work", "migrate", "check"])
async def test_no_door_opens_on_it(forgetful: str, door: str, tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "services.extractor", door),
        cwd=ROOT,
        env={
            "PAPERLINE_DATABASE_URL": forgetful,
            "PAPERLINE_AMQP_URL": "amqp://somebody:x@127.0.0.1:9/",
            "PAPERLINE_BLOBS_URL": tmp_path.as_uri(),
            "PAPERLINE_OPS_PORT": "0",
        },
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    _, said = await asyncio.wait_for(process.communicate(), 60)

    assert process.returncode == 78
    assert "PostgreSQL runs with synchronous_commit=off" in said.decode().splitlines()[-1]

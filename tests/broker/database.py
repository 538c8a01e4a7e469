"""A database of its own for a test session, made with the address that CI hands over."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from secrets import token_hex
from types import ModuleType
from urllib.parse import urlsplit

import asyncpg
import pytest
from pydantic_settings import BaseSettings, SettingsConfigDict


class Servers(BaseSettings):
    """The real servers of this tier. Absent means: skip what needs them."""

    model_config = SettingsConfigDict(env_prefix="PAPERLINE_TEST_", frozen=True)

    database_url: str | None = None
    amqp_url: str | None = None
    amqp_api_url: str | None = None
    # Where `./paperline node` finds these servers, for tests that stop them.
    state: str | None = None
    # Whether the system suite is to run on a broker whose nodes are killed one by one.
    nodes_die: bool = False


@asynccontextmanager
async def own_database() -> AsyncIterator[str]:
    """An empty database, dropped afterwards; its owner may create roles and databases."""
    server = Servers().database_url
    if server is None:
        pytest.skip("PAPERLINE_TEST_DATABASE_URL is not set")
    name = f"paperline_test_{token_hex(4)}"
    await _say(server, f"CREATE DATABASE {name}")
    try:
        yield urlsplit(server)._replace(path=f"/{name}").geturl()
    finally:
        await _say(server, f"DROP DATABASE {name} WITH (FORCE)")


async def _say(server: str, command: str) -> None:
    # A connection of its own: tests restart this server meanwhile.
    connection = await asyncpg.connect(server)
    try:
        await connection.execute(command)
    finally:
        await connection.close()


def migrations_of(package: ModuleType) -> Path:
    """The revisions that a shared package brings along."""
    [folder] = package.__path__
    return Path(folder) / "migrations"

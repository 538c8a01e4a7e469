"""A stack of a benchmark's own, with all services or with none, so that it starts its own."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import pytest

from tests.bench._shared.report import folder, say
from tests.system.stack import SERVICES, Stack

# Would lead it to servers of somebody else, or to a provider that is paid.
ELSEWHERE = ("DATABASE_URL", "AMQP_URL", "S3_ENDPOINT", "GEMINI_API_KEY", "GEMINI_API_KEY_FILE")
# One key sends all of it, and more at once than anybody should.
UNLIMITED = {"PAPERLINE_KEY_RATE_PER_S": "100000", "PAPERLINE_KEY_BURST": "1000000"}
# Of the database, as the other job systems have it where we are measured beside them. The
# private cluster of a user keeps PostgreSQL's own, small ones.
ROOM = {"shared_buffers": "512MB", "max_wal_size": "4GB"}


@asynccontextmanager
async def quiet_stack(name: str) -> AsyncIterator[Stack]:
    async with own_stack(name) as stack:
        for service in SERVICES:
            await stack.stop(service)
        yield stack


@asynccontextmanager
async def own_stack(name: str, **settings: str) -> AsyncIterator[Stack]:
    """In which all of them run, with such settings; nobody outside is asked anything."""
    stack = Stack.below(folder() / name)
    with pytest.MonkeyPatch.context() as surroundings:
        for variable in ELSEWHERE:
            surroundings.delenv(variable, raising=False)
        for variable, text in settings.items():
            surroundings.setenv(variable, text)
        say("starting a stack of its own")
        try:
            await stack.begin_anew()
            yield stack
        finally:
            await stack.down()


async def give_room(stack: Stack) -> None:
    """What its database may take of the memory is decided when it starts, so all start anew."""
    database = await asyncpg.connect(stack.database_url)
    try:
        for name, size in ROOM.items():
            await database.execute(f"ALTER SYSTEM SET {name} = '{size}'")
    finally:
        await database.close()
    await stack.down()
    await stack.up()

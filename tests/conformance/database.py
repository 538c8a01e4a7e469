"""One database for all suites of a session: every test has a schema of its own in it.

Making a database and taking it down again costs more than what most of them do in it.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.broker.database import Servers, own_database

_opened: list[str] = []


@asynccontextmanager
async def database_for_all() -> AsyncIterator[None]:
    """Without a server there is none, and the suites run on what is in memory."""
    if Servers().database_url is None:
        yield
        return
    async with own_database() as url:
        _opened.append(url)
        yield
        _opened.clear()


def database() -> str:
    if not _opened:
        pytest.skip("PAPERLINE_TEST_DATABASE_URL is not set")
    return _opened[0]

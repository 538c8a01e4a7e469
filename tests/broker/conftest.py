"""Real servers, one piece of each per session: a leftover must not fail somebody else."""

from collections.abc import AsyncIterator

import pytest

from tests.broker.database import own_database


@pytest.fixture(scope="session")
async def database_url() -> AsyncIterator[str]:
    async with own_database() as url:
        yield url

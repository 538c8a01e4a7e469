"""Real servers, one piece of each per session: a leftover must not fail somebody else."""

from collections.abc import AsyncIterator

import pytest

from tests.broker.database import Servers, own_database
from tests.broker.servers import OwnServers
from tests.broker.vhosts import own_vhost

# Who asks for one of these, or calls one of those, speaks to a broker.
FIXTURES, CALLED = {"amqp_url", "own_servers"}, {"installed_broker", "outside", "own_vhost"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marked, so that these can be run on another version of the broker without the rest."""
    for item in items:
        if not isinstance(item, pytest.Function):
            continue
        if FIXTURES & set(item.fixturenames) or CALLED & set(vars(item.module)):
            item.add_marker("amqp")


@pytest.fixture(scope="session")
async def database_url() -> AsyncIterator[str]:
    async with own_database() as url:
        yield url


@pytest.fixture(scope="session")
async def amqp_url() -> AsyncIterator[str]:
    async with own_vhost() as url:
        yield url


@pytest.fixture(scope="session")
def own_servers() -> OwnServers:
    state = Servers().state
    if state is None:
        pytest.skip("PAPERLINE_TEST_STATE is not set")
    return OwnServers(state)

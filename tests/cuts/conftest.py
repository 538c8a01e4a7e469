"""One cluster in a network of its own, one stack on it, and the table of cuts."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.brokers.cluster import Cluster
from tests.brokers.conftest import client, folder, records, stack
from tests.cuts.hosts import Hosts, hosts_below
from tests.cuts.network import NotPermitted

__all__ = ["client", "folder", "records", "stack"]

ROWS = pytest.StashKey[list[str]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[ROWS] = []


@pytest.fixture
def rows(request: pytest.FixtureRequest) -> list[str]:
    return request.config.stash[ROWS]


@pytest.fixture(scope="session")
async def hosts(folder: Path) -> AsyncIterator[Hosts]:
    try:
        async with hosts_below(folder / "hosts") as running:
            yield running
    except NotPermitted as why:
        pytest.skip(f"network namespaces are not to be had here: {why}")


@pytest.fixture(scope="session")
def cluster(hosts: Hosts) -> Cluster:
    return hosts.cluster


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if config.stash[ROWS]:
        terminalreporter.section("cuts")
        for row in config.stash[ROWS]:
            terminalreporter.write_line(row)

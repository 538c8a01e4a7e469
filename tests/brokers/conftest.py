"""One cluster for the session, and one stack that works on it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.broker.database import Servers
from tests.brokers.cluster import Cluster, StackOnCluster, cluster_below, given_to_stacks
from tests.system.client import Client, client_of
from tests.system.records import Records
from tests.system.surroundings import SOONER


@pytest.fixture(scope="session")
def folder() -> Path:
    state = Servers().state
    if state is None:
        pytest.skip("PAPERLINE_TEST_STATE is not set: ./paperline test brokers sets it")
    return Path(state)


@pytest.fixture(scope="session")
async def cluster(folder: Path) -> AsyncIterator[Cluster]:
    async with cluster_below(folder / "cluster") as running:
        yield running


@pytest.fixture(scope="session")
async def stack(folder: Path, cluster: Cluster) -> AsyncIterator[StackOnCluster]:
    async with given_to_stacks(cluster) as given:
        with pytest.MonkeyPatch.context() as surroundings:
            for name in ("DATABASE_URL", "S3_ENDPOINT"):
                surroundings.delenv(name, raising=False)
            for name, text in {**SOONER, **given}.items():
                surroundings.setenv(name, text)
            running = StackOnCluster.on(cluster, folder / "on-cluster")
            await running.begin_anew()
            try:
                yield running
            finally:
                await running.down()


@pytest.fixture(scope="session")
async def client(stack: StackOnCluster) -> AsyncIterator[Client]:
    async with client_of(stack) as opened:
        yield opened


@pytest.fixture(scope="session")
def records(stack: StackOnCluster) -> Records:
    return Records(stack)

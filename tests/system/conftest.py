"""One stack for the session: five services, a broker and a database of their own."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.broker.database import Servers
from tests.system.client import Client, client_of
from tests.system.collector import Collector, running_collector
from tests.system.records import Records
from tests.system.stack import Stack

# Spans leave a service twice a second, so that a test need not wait for them.
EXPORT_EVERY_MS = "500"


@pytest.fixture(scope="session")
def collector() -> Iterator[Collector]:
    with running_collector() as running:
        yield running


@pytest.fixture(scope="session")
def folder() -> Path:
    state = Servers().state
    if state is None:
        pytest.skip("PAPERLINE_TEST_STATE is not set")
    return Path(state)


@pytest.fixture(scope="session")
async def stack(folder: Path, collector: Collector) -> AsyncIterator[Stack]:
    with pytest.MonkeyPatch.context() as surroundings:
        # Somebody's own servers must not be restarted by a test.
        for name in ("DATABASE_URL", "AMQP_URL", "S3_ENDPOINT"):
            surroundings.delenv(name, raising=False)
        surroundings.setenv("PAPERLINE_OTLP_ENDPOINT", collector.address)
        surroundings.setenv("OTEL_BSP_SCHEDULE_DELAY", EXPORT_EVERY_MS)
        running = Stack.below(folder / "system")
        await running.begin_anew()
        try:
            yield running
        finally:
            await running.down()


@pytest.fixture(scope="session")
async def client(stack: Stack) -> AsyncIterator[Client]:
    async with client_of(stack) as opened:
        yield opened


@pytest.fixture(scope="session")
def records(stack: Stack) -> Records:
    return Records(stack)

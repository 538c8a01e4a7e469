"""A stack with a bad network to all it speaks to, and the table of all ordeals."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from deploy.local.ports import remembered
from shared.blobs.open import BlobOptions
from tests.broker.database import Servers
from tests.conformance.seaweed import BUCKET, WEED, seaweed
from tests.faketime import faketime
from tests.fault_proxy import FaultProxy, fault_proxy
from tests.gemini_double.server import GeminiDouble
from tests.nemesis.surroundings import quick_rules, surrounded
from tests.nemesis.troubles import Struck
from tests.system.stack import Stack

# So that what waits after a trouble waits seconds, and an ordeal of minutes holds many.
SOONER = {
    "PAPERLINE_LEASE_S": "5",
    "PAPERLINE_REPAIR_EVERY_S": "2",
    "PAPERLINE_REPAIR_OLDER_THAN_S": "5",
}
# A call that hangs is given up by its own deadline alone, also when the provider is well again:
# as it is shipped, two minutes after the call was made.
IMPATIENT = (
    "gemini: {timeout_seconds: 120,",
    "gemini: {timeout_seconds: 15,",
)
ROWS = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("nemesis")
    group.addoption("--seeds", default="1", help="as 7, or from 1-20")
    group.addoption("--minutes", type=float, default=10.0, help="of troubles, for each seed")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[ROWS] = []


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "seed" in metafunc.fixturenames:
        first, _, last = str(metafunc.config.getoption("--seeds")).partition("-")
        metafunc.parametrize("seed", range(int(first), int(last or first) + 1))


@pytest.fixture
def length_s(request: pytest.FixtureRequest) -> float:
    return float(request.config.getoption("--minutes")) * 60


@pytest.fixture
def rows(request: pytest.FixtureRequest) -> list[str]:
    return request.config.stash[ROWS]


@pytest.fixture(scope="session")
async def struck(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Struck]:
    state = Servers().state
    if state is None:
        pytest.skip("PAPERLINE_TEST_STATE is not set")
    folder = tmp_path_factory.mktemp("configuration")
    rules = quick_rules(folder / "extraction.yaml", IMPATIENT)
    stack = Stack.below(Path(state) / "nemesis")
    library = faketime(tmp_path_factory.mktemp("faketime"))
    async with AsyncExitStack() as opened:
        provider = await opened.enter_async_context(GeminiDouble())
        ways = {"provider": await _between(opened, provider.url)}
        told = SOONER
        if WEED.exists():
            store = await opened.enter_async_context(seaweed(tmp_path_factory.mktemp("store")))
            ways["store"] = await _between(opened, str(store.s3_endpoint))
            told = SOONER | _account(store, ways["store"].port)
        provider_url = f"http://127.0.0.1:{ways['provider'].port}"
        surroundings = opened.enter_context(
            surrounded(told, provider_url=provider_url, rules=rules)
        )
        await stack.begin_anew()
        opened.push_async_callback(stack.down)
        # Where its servers listen is known by now: the services are told the way there.
        known = remembered(stack.state)
        for name in ("amqp", "postgres"):
            ways[name] = await _between(opened, f"tcp://127.0.0.1:{known[name]}")
            surroundings.setenv(f"PAPERLINE_STACK_{name.upper()}_PORT", str(ways[name].port))
        await stack.up()
        yield Struck(stack, provider, ways, library)


async def _between(opened: AsyncExitStack, url: str) -> FaultProxy:
    where = urlsplit(url)
    assert where.hostname and where.port
    return await opened.enter_async_context(fault_proxy(where.hostname, where.port))


def _account(store: BlobOptions, port: int) -> dict[str, str]:
    assert store.s3_access_key and store.s3_secret_key
    return {
        "S3_ENDPOINT": f"http://127.0.0.1:{port}",
        "S3_ACCESS_KEY": store.s3_access_key,
        "S3_SECRET_KEY": store.s3_secret_key,
        "S3_BUCKET": BUCKET,
    }


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if config.stash[ROWS]:
        terminalreporter.section("ordeals")
        for row in config.stash[ROWS]:
            terminalreporter.write_line(row)

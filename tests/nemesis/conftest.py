"""A stack with a provider, which nothing else is done to; and the table of all ordeals."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from deploy.local.state import REPOSITORY
from tests.broker.database import Servers
from tests.gemini_double.server import GeminiDouble
from tests.nemesis.troubles import Struck
from tests.system.stack import Stack

CONFIG = REPOSITORY / "deploy" / "configs" / "extraction_module_schema.yaml"
# So that what waits after a trouble waits seconds, and an ordeal of minutes holds many.
SOONER = {
    "PAPERLINE_LEASE_S": "5",
    "PAPERLINE_REPAIR_EVERY_S": "2",
    "PAPERLINE_REPAIR_OLDER_THAN_S": "5",
}
QUICKER = (
    ("backoff_base_seconds: 10", "backoff_base_seconds: 1"),
    ("recovery_timeout_seconds: 60", "recovery_timeout_seconds: 2"),
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
    quick = tmp_path_factory.mktemp("configuration") / "extraction.yaml"
    text = CONFIG.read_text()
    for slow, fast in QUICKER:
        assert slow in text
        text = text.replace(slow, fast)
    quick.write_text(text)
    stack = Stack.below(Path(state) / "nemesis")
    async with GeminiDouble() as provider:
        with pytest.MonkeyPatch.context() as surroundings:
            for name in ("DATABASE_URL", "AMQP_URL", "S3_ENDPOINT"):
                surroundings.delenv(name, raising=False)
            for name, told in {
                **SOONER,
                "ENGINES": "einvoice,offline,gemini",
                "GEMINI_API_KEY": "a key",
                "GEMINI_BASE_URL": provider.url,
                "PAPERLINE_EXTRACTION_CONFIG": str(quick),
            }.items():
                surroundings.setenv(name, told)
            await stack.begin_anew()
            try:
                yield Struck(stack, provider)
            finally:
                await stack.down()


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if config.stash[ROWS]:
        terminalreporter.section("ordeals")
        for row in config.stash[ROWS]:
            terminalreporter.write_line(row)

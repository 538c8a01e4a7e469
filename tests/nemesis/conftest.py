"""The ground on which seeds are played, and the table of all ordeals."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.broker.database import Servers
from tests.nemesis.ground import Ground

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
async def ground(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Ground]:
    state = Servers().state
    if state is None:
        pytest.skip("PAPERLINE_TEST_STATE is not set")
    found = Ground(Path(state) / "nemesis", tmp_path_factory.mktemp)
    yield found
    await found.leave()


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if config.stash[ROWS]:
        terminalreporter.section("ordeals")
        for row in config.stash[ROWS]:
            terminalreporter.write_line(row)

"""One stack with a provider whose answers are counted, and how long it is worked with."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.broker.database import Servers
from tests.gemini_double.server import GeminiDouble
from tests.nemesis.surroundings import CONFIG, surrounded
from tests.soak.soak import Length, Soak
from tests.system.stack import Stack

RESTART_MINUTES, PARTS = 5.0, 4
LINES = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("soak")
    group.addoption("--minutes", type=float, default=10.0, help="of traffic (default 10)")
    group.addoption("--rate", type=float, default=2.0, help="documents a second (default 2)")
    group.addoption(
        "--restart-minutes",
        type=float,
        help="between rolling restarts (default 5, or a quarter of a shorter length)",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.stash[LINES] = []


@pytest.fixture
def length(request: pytest.FixtureRequest) -> Length:
    given = request.config.getoption
    minutes = float(given("--minutes"))
    restarts = given("--restart-minutes") or min(RESTART_MINUTES, minutes / PARTS)
    return Length(minutes, float(given("--rate")), float(restarts))


@pytest.fixture
def lines(request: pytest.FixtureRequest) -> list[str]:
    return request.config.stash[LINES]


@pytest.fixture
async def soak(length: Length) -> AsyncIterator[Soak]:
    state = Servers().state
    if state is None:
        pytest.skip("PAPERLINE_TEST_STATE is not set")
    stack = Stack.below(Path(state) / "soak")
    async with GeminiDouble() as provider:
        # All waits are those of a real stack.
        with surrounded({}, provider_url=provider.url, rules=CONFIG):
            await stack.begin_anew()
            try:
                yield Soak(stack, provider, length)
            finally:
                await stack.down()


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if config.stash[LINES]:
        terminalreporter.section("soak")
        for one in config.stash[LINES]:
            terminalreporter.write_line(one)

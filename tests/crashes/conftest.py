"""One stack for all deaths, with a provider whose answers are counted, and their table."""

from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.broker.database import Servers
from tests.crashes.arming import VARIABLE, listening
from tests.crashes.case import Case
from tests.crashes.judging import Judge
from tests.crashes.points import ROWS, sampled, shared_out
from tests.crashes.sweep import Ground
from tests.gemini_double.server import GeminiDouble
from tests.nemesis.surroundings import quick_rules, surrounded
from tests.system.stack import Stack

# What waits after a death waits seconds.
SOONER = {
    "PAPERLINE_LEASE_S": "3",
    "PAPERLINE_REPAIR_EVERY_S": "1",
    "PAPERLINE_REPAIR_OLDER_THAN_S": "2",
}
TEN_DAYS = ("default: {days: forever}", "default: {days: 10}")
SURVIVED = pytest.StashKey[Counter[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("crashes")
    group.addoption("--sample", type=int, help="so many of all cases, by the seed")
    group.addoption("--seed", type=int, default=1, help="of the sample")
    group.addoption("--share", default="1/1", help="as 2/3: the second of three shares")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[SURVIVED] = Counter()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        given = metafunc.config.getoption
        chosen: list[Case] = sampled(given("--sample"), given("--seed"))
        metafunc.parametrize("case", shared_out(chosen, given("--share")), ids=str)


@pytest.fixture
def survived(request: pytest.FixtureRequest) -> Counter[str]:
    return request.config.stash[SURVIVED]


@pytest.fixture(scope="session")
async def ground(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Ground]:
    state = Servers().state
    if state is None:
        pytest.skip("PAPERLINE_TEST_STATE is not set")
    folder = tmp_path_factory.mktemp("configuration")
    rules = quick_rules(folder / "quick.yaml")
    ten_days = quick_rules(folder / "ten-days.yaml", TEN_DAYS)
    stack = Stack.below(Path(state) / "crashes")
    async with GeminiDouble() as provider:
        told = {**SOONER, VARIABLE: listening(stack)}
        with surrounded(told, provider_url=provider.url, rules=rules):
            await stack.begin_anew()
            try:
                yield Ground(stack, ten_days, Judge(stack, provider), provider)
            finally:
                await stack.down()


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    counts = config.stash[SURVIVED]
    if counts:
        terminalreporter.section("deaths that were survived")
        for name, count in sorted(counts.items()):
            terminalreporter.write_line(f"{count:4} {name}")
        terminalreporter.section("what is left out of every instant, action and situation")
        for why, count in Counter(why for row in ROWS for why in row.left_out.values()).items():
            terminalreporter.write_line(f"{count:4} {why}")

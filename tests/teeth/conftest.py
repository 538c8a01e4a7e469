"""The table of what was taken away and who missed it, at the end of the run."""

from collections.abc import Iterator

import pytest

from tests.teeth.copied import Checkout, copied

CAUGHT = pytest.StashKey[list[tuple[str, str]]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[CAUGHT] = []


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checkout]:
    yield copied(tmp_path_factory.mktemp("checkout"))


@pytest.fixture
def caught(request: pytest.FixtureRequest) -> list[tuple[str, str]]:
    return request.config.stash[CAUGHT]


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    table = config.stash[CAUGHT]
    if not table:
        return
    terminalreporter.section("what was taken away, and who missed it")
    width = max(len(name) for name, _ in table)
    for name, test in table:
        terminalreporter.write_line(f"{name:<{width}}  {test}")

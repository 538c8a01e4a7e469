"""One stack for the session: five services, a broker and a database of their own."""

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from secrets import token_hex

import pytest
from playwright.async_api import Browser

from deploy.local.browser import ADVICE, browser_program
from deploy.verify.history import History
from tests.broker.database import Servers
from tests.brokers.rolling import Rolling, StackOnRolling, rolling_below
from tests.crashes.arming import VARIABLE, listening
from tests.gemini_double.server import GeminiDouble
from tests.system.browser import browser_of
from tests.system.client import Client, client_of
from tests.system.collector import Collector, running_collector
from tests.system.keys import issued_key
from tests.system.operating import Operator, operator_of
from tests.system.records import Records
from tests.system.reviewing import Reviewer, reviewer_of
from tests.system.stack import Stack
from tests.system.surroundings import COLLECTOR, SOONER
from tests.system.verdict import secrets_of

# Wherever its name would put it.
LAST = "test_when_all_is_over.py"
DEATHS = pytest.StashKey[int]()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda one: one.path.name == LAST)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if DEATHS in config.stash:
        terminalreporter.write_line(f"nodes killed meanwhile: {config.stash[DEATHS]}")


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
async def rolling(folder: Path, pytestconfig: pytest.Config) -> AsyncIterator[Rolling | None]:
    """The broker's nodes, where this suite is about their deaths."""
    if not Servers().nodes_die:
        yield None
        return
    async with rolling_below(folder / "nodes") as nodes:
        yield nodes
        pytestconfig.stash[DEATHS] = nodes.deaths
        assert nodes.deaths


@pytest.fixture(scope="session")
async def stack(
    folder: Path, collector: Collector, rolling: Rolling | None
) -> AsyncIterator[Stack]:
    with pytest.MonkeyPatch.context() as surroundings:
        # Somebody's own servers must not be restarted by a test.
        for name in ("DATABASE_URL", "AMQP_URL", "S3_ENDPOINT"):
            surroundings.delenv(name, raising=False)
        surroundings.setenv(COLLECTOR, collector.address)
        for name, text in {**SOONER, **(rolling.given if rolling else {})}.items():
            surroundings.setenv(name, text)
        home = folder / "system"
        running = StackOnRolling.over(rolling, home) if rolling else Stack.below(home)
        surroundings.setenv(VARIABLE, listening(running))
        async with running.undisturbed():
            await running.begin_anew()
        canaries = History(running.history.path).canaries()
        collector.forbidden |= {text.encode() for text in (*canaries, *secrets_of(running))}
        try:
            yield running
        finally:
            await running.down()


@pytest.fixture(scope="session")
async def client(stack: Stack, collector: Collector) -> AsyncIterator[Client]:
    async with client_of(stack, told=collector.hear) as opened:
        yield opened


@pytest.fixture(scope="session")
def records(stack: Stack) -> Records:
    return Records(stack)


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    program = browser_program()
    if program is None:
        pytest.skip(f"no Chromium: {ADVICE}")
    async with browser_of(program, as_root=os.geteuid() == 0) as running:
        yield running


@pytest.fixture
async def anna(browser: Browser, stack: Stack) -> AsyncIterator[Reviewer]:
    """At the desk, before the queue."""
    async with reviewer_of(browser, stack, f"anna-{token_hex(3)}") as visit:
        yield visit


@pytest.fixture(scope="session")
async def key_of_olga(stack: Stack) -> str:
    return await issued_key(stack, "olga", "editor")


@pytest.fixture
async def olga(browser: Browser, stack: Stack, key_of_olga: str) -> AsyncIterator[Operator]:
    """An operator who may also look into messages, before the overview of the console."""
    async with operator_of(browser, stack, key=key_of_olga) as visit:
        yield visit


@pytest.fixture
async def gemini(stack: Stack) -> AsyncIterator[GeminiDouble]:
    """The running extractor has a key, and its provider is a double."""
    async with GeminiDouble() as double:
        with pytest.MonkeyPatch.context() as surroundings:
            surroundings.setenv("GEMINI_API_KEY", "double")
            surroundings.setenv("GEMINI_BASE_URL", double.url)
            try:
                await stack.start("extractor")
                yield double
            finally:
                surroundings.undo()
                await stack.start("extractor")


@pytest.fixture
async def nothing_waits(client: Client) -> None:
    """What others left behind would be the next document of a test."""
    while waiting := (await client.get("review", "/v1/items?status=open&limit=200"))["items"]:
        for one in waiting:
            await client.reject(one["document_id"])

"""The tier of other brokers: what it counts, and that what was left out does not look run."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deploy.local import brokers
from deploy.local.arguments import parser
from deploy.local.brokers import Counts, LeftOut, Ran, Wishes, counted, table
from deploy.local.commands import COMMANDS
from deploy.local.errors import StackError
from deploy.local.state import State

REPORT = """<?xml version="1.0"?><testsuites><testsuite name="pytest" tests="9" failures="1"
errors="2" skipped="3"><testcase name="one"/></testsuite></testsuites>"""


def test_what_neither_failed_nor_was_skipped_has_passed(tmp_path: Path) -> None:
    report = tmp_path / "tests.xml"
    report.write_text(REPORT)

    assert counted(report) == Counts(passed=3, skipped=3, failed=3)


def test_tests_that_never_came_to_write_have_not_passed(tmp_path: Path) -> None:
    assert counted(tmp_path / "tests.xml") == Counts()


def test_the_table_tells_what_failed_and_what_was_left_out_and_why() -> None:
    told: list[Ran | LeftOut] = [
        Ran("machine", "3.10.8", "system", 0, Counts(210, 3, 0), 402.25),
        Ran("trixie", "4.0.5", "cluster", 1, Counts(3, 0, 1), 61.0),
        LeftOut("sid", "no tree of Debian sid could be fetched:\nE: no route"),
    ]

    _, good, bad, out = table(told)

    assert good.split() == ["✓", "machine", "3.10.8", "system", "210", "3", "0", "402.2"]
    assert bad.split() == ["✗", "trixie", "4.0.5", "cluster", "3", "0", "1", "61.0"]
    assert out == "  – sid      left out: no tree of Debian sid could be fetched:"


@pytest.mark.parametrize(("on", "parts"), [(["buster"], []), ([], ["unit"])], ids=str)
def test_a_broker_or_part_that_is_none_is_refused(on: list[str], parts: list[str]) -> None:
    with pytest.raises(StackError, match="there are: "):
        Wishes(on, parts)


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, bool]]:
    """Broker, part, and whether slow tests ran too, of each; no broker is started for it."""
    told: list[tuple[str, str, bool]] = []

    @contextmanager
    def running(_: State, broker: str) -> Iterator[str]:
        yield brokers.LINES[broker]

    def run(_: State, broker: str, version: str, part: str, wishes: Wishes, __: object) -> Ran:
        told.append((broker, part, wishes.slow_too))
        return Ran(broker, version, part, 0, Counts(1), 0.1)

    monkeypatch.setattr(brokers, "_running", running)
    monkeypatch.setattr(brokers, "_run", run)
    monkeypatch.setattr(brokers, "install_for", lambda _: None)
    return told


def _type(words: str, folder: Path) -> int:
    told, rest = parser().parse_known_args(words.split())
    return COMMANDS["test"](State(folder), told, rest)


def test_a_piece_of_it_is_all_that_is_run(
    ran: list[tuple[str, str, bool]], tmp_path: Path
) -> None:
    told, rest = parser().parse_known_args(
        ["test", "brokers", "--on", "sid", "--part", "cluster"]
    )

    code = COMMANDS["test"](State(tmp_path), told, rest)

    assert (code, ran) == (0, [("sid", "cluster", False)])


def test_without_more_words_it_is_all_of_it_but_what_is_slow(
    ran: list[tuple[str, str, bool]], tmp_path: Path
) -> None:
    assert _type("test brokers", tmp_path) == 0
    fast = ran.copy()
    ran.clear()

    assert _type("test brokers --all", tmp_path) == 0

    every = [(broker, part) for broker in brokers.LINES for part in brokers.PARTS]
    assert fast == [(*one, False) for one in every]
    assert ran == [(*one, True) for one in every]

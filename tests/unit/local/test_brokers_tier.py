"""The tier of other brokers: what it counts, and that what was left out does not look run."""

from pathlib import Path

import pytest

from deploy.local.brokers import Counts, LeftOut, Ran, Wishes, counted, table
from deploy.local.errors import StackError

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

"""The page of threats tells of every threat, and names only tests that there are."""

from tests.house.repository import ROOT
from tests.house.test_faults import absent_tests
from tests.threats.__main__ import THREATS, page

THREATS_COUNT = 36


def test_every_threat_has_its_place() -> None:
    assert {one.name for one in THREATS} == {f"S{n}" for n in range(1, THREATS_COUNT + 1)}
    assert len(THREATS) == THREATS_COUNT


def test_a_threat_names_only_tests_that_there_are() -> None:
    assert absent_tests(THREATS) == []


def test_the_page_is_written_from_the_table() -> None:
    assert (ROOT / "tests" / "THREATS.md").read_text() == page().rstrip() + "\n"

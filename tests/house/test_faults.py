"""The page of faults tells of every fault, and names only tests that there are."""

from collections.abc import Sequence
from functools import cache

from tests.faults.__main__ import FAULTS, page
from tests.faults.fault import Fault
from tests.house.repository import ROOT, Source, functions

FAULTS_COUNT = 60


@cache
def _tests_of(path: str) -> frozenset[str]:
    source = Source(ROOT / path)
    found = functions(source) if source.path.exists() else []
    return frozenset(one.name for one in found)


def test_every_fault_has_its_place() -> None:
    assert [one.name for one in FAULTS] == [f"F{n}" for n in range(1, FAULTS_COUNT + 1)]


def test_a_fault_names_only_tests_that_there_are() -> None:
    assert absent_tests(FAULTS) == []


def absent_tests(faults: Sequence[Fault]) -> list[str]:
    named = [node_id for one in faults for some in one.by for node_id in some.node_ids]
    return [one for one in named if one.split("::")[1] not in _tests_of(one.split("::")[0])]


def test_the_page_is_written_from_the_table() -> None:
    assert (ROOT / "tests" / "FAULTS.md").read_text() == page().rstrip() + "\n"

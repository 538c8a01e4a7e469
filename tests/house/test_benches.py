"""A benchmark that is named can be run, and what its figures rest on is tried.

A reader who types a command from a table of figures should get the figure, and not the list of
those that there are.
"""

import re

import pytest

from tests.house.guides import guides
from tests.house.repository import ROOT, Source, require

RESULTS = Source(ROOT / "tests" / "RESULTS.md")
BENCHES = {one.stem for one in (ROOT / "tests" / "bench").glob("[a-z]*.py")}
NAMED = re.compile(r"\./paperline bench (?P<name>[a-z_]+)")
TRIED = (ROOT / "tests" / "system" / "test_when_figures_are_taken.py").read_text()


def _named_in(text: str) -> set[str]:
    return set(NAMED.findall(text))


def test_a_benchmark_is_found_by_its_command() -> None:
    text = "Say `./paperline bench bus --rounds 1`,\n`./paperline bench nothing`."

    assert _named_in(text) == {"bus", "nothing"}


def test_a_benchmark_that_is_named_exists() -> None:
    assert _named_in(RESULTS.text())
    require(lambda one: _named_in(one.text()) - BENCHES, [*guides(), RESULTS])


@pytest.mark.parametrize("name", sorted(_named_in(RESULTS.text())))
def test_a_benchmark_with_figures_is_run_with_few_documents(name: str) -> None:
    assert f'"{name}": (' in TRIED, "it may have been broken since its figures were taken"

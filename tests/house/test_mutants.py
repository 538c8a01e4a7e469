"""Each mutant still finds the safeguard it takes away, so that its tier can run any day."""

import pytest

from tests.house.repository import ROOT
from tests.teeth.mutant import Mutant
from tests.teeth.mutants import MUTANTS


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda one: one.name)
def test_what_it_takes_away_is_there_once(mutant: Mutant) -> None:
    text = (ROOT / mutant.file).read_text()

    assert mutant.changed(text) != text
    file, _, test = mutant.missed_by.partition("::")
    assert f"def {test}(" in (ROOT / file).read_text()

"""Without any of our safeguards some test fails, and with all of them every one passes."""

import pytest

from tests.teeth.copied import Checkout
from tests.teeth.mutant import Mutant
from tests.teeth.mutants import MUTANTS

# What pytest ends with when tests ran and some failed; a test that cannot be collected or a
# fixture that breaks has missed nothing.
SOME_FAILED = 1


def test_there_are_at_least_fifteen_of_different_names() -> None:
    assert len({one.name for one in MUTANTS}) == len(MUTANTS) >= 15


def test_whole_every_test_that_is_named_passes(checkout: Checkout) -> None:
    ran = checkout.run(sorted({one.missed_by for one in MUTANTS}))

    assert ran.code == 0, ran.output


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda one: one.name)
def test_it_is_missed(
    mutant: Mutant, checkout: Checkout, caught: list[tuple[str, str]]
) -> None:
    with checkout.without(mutant):
        ran = checkout.run([mutant.missed_by])

    assert ran.code == SOME_FAILED and ran.failed, ran.output
    caught.append((mutant.name, ran.failed[0]))

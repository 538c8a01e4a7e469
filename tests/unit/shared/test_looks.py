"""Who finds the commits of others by looking looks often, and who hears of its own seldom."""

import pytest

from shared.process.doors import Door
from shared.process.runtime import LEFT_BEHIND_S, looks_every_s


def test_who_only_works_looks_as_often_as_it_is_told() -> None:
    assert looks_every_s("work", 0.25) == 0.25


@pytest.mark.parametrize(("told_s", "every_s"), [(0.25, LEFT_BEHIND_S), (5.0, 5.0)])
def test_with_all_doors_open_it_is_at_most_once_a_second(told_s: float, every_s: float) -> None:
    door: Door = "all"

    assert looks_every_s(door, told_s) == every_s

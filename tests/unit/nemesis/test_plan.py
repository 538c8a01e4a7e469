"""The plan: the same for the same seed, with everything in it that was promised."""

import pytest

from tests.nemesis.kinds import MODES, NETWORK, REFUSES, SKEWS
from tests.nemesis.plan import LANES, LONG_S, SILENT, THEN_S, Trouble, plan

LENGTH_S = 600.0


def troubles(*, length_s: float = LENGTH_S) -> list[Trouble]:
    return [
        trouble
        for seed in range(1, 21)
        for lane in plan(seed, length_s, tuple(LANES)).values()
        for trouble in lane
    ]


def test_twenty_seeds_strike_everybody_with_everything() -> None:
    pairs = {
        f"{kind} {target}".strip()
        for lane in LANES.values()
        for kind in lane.kinds
        for target in lane.targets
    }

    assert {one.pair for one in troubles()} == pairs


@pytest.mark.parametrize("table", [MODES, NETWORK, SKEWS, [REFUSES]])
def test_no_trouble_that_there_is_is_left_undrawn(table: object) -> None:
    drawn = {kind for lane in LANES.values() for kind in lane.kinds}

    assert set(table) <= drawn  # type: ignore[call-overload]


def test_some_silences_outlast_every_timeout_and_end_within_the_run() -> None:
    long = [one for one in troubles() if one.lasts_s >= LONG_S[0]]

    assert {one.kind for one in long} == SILENT
    assert all(one.at_s + one.lasts_s + THEN_S <= LENGTH_S for one in long)
    assert max(one.lasts_s for one in long) > 40


def test_the_same_seed_is_the_same_plan() -> None:
    assert plan(7, LENGTH_S, tuple(LANES)) == plan(7, LENGTH_S, tuple(LANES))

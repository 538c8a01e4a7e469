"""Tiers that run beside each other: both whole, told one after the other, red if one is."""

import sys
from dataclasses import dataclass

import pytest

from deploy.local.quality import Lane, run_beside

HERE: dict[str, str] = {}


@dataclass(frozen=True, slots=True)
class Tier:
    says: str
    code: int = 0

    @property
    def command(self) -> list[str]:
        return [sys.executable, "-c", f"print({self.says!r}); raise SystemExit({self.code})"]


@pytest.mark.parametrize(("first", "beside"), [(0, 0), (1, 0), (0, 1)])
def test_both_are_run_and_a_red_one_is_the_outcome(
    first: int, beside: int, capfd: pytest.CaptureFixture[str]
) -> None:
    here, there = Tier("said here", first), Tier("said beside", beside)

    code = run_beside(Lane({"unit": here.command}, HERE), Lane({"broker": there.command}, HERE))

    told = capfd.readouterr().out
    assert code == max(first, beside)
    assert "said here" in told
    assert told.index("── broker\n") < told.index("said beside") < told.index("── summary")
    assert f"{'✗' if beside else '✓'} broker" in told


def test_those_beside_are_told_lane_by_lane_in_their_order(
    capfd: pytest.CaptureFixture[str],
) -> None:
    lanes = [("unit",), ("broker",), ("conformance", "contract")]

    code = run_beside(
        *(Lane({one: Tier(f"said by {one}").command for one in lane}, HERE) for lane in lanes)
    )

    told = capfd.readouterr().out
    names = [one for lane in lanes for one in lane]
    lines = [line for one in names for line in (f"── {one}", f"said by {one}")]
    places = [told.index(f"\n{line}\n") for line in lines]
    assert code == 0
    assert places == sorted(places)

"""Tiers that run beside each other: both whole, told one after the other, red if one is."""

import sys
from dataclasses import dataclass

import pytest

from deploy.local.quality import run_beside

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

    code = run_beside({"unit": here.command}, HERE, {"broker": there.command}, HERE)

    told = capfd.readouterr().out
    assert code == max(first, beside)
    assert "said here" in told
    assert told.index("── broker\n") < told.index("said beside") < told.index("── summary")
    assert f"{'✗' if beside else '✓'} broker" in told


def test_those_beside_run_one_after_the_other_and_are_told_in_their_order(
    capfd: pytest.CaptureFixture[str],
) -> None:
    beside = {name: Tier(f"said by {name}").command for name in ("broker", "conformance")}

    code = run_beside({"unit": Tier("said here").command}, HERE, beside, HERE)

    told = capfd.readouterr().out
    lines = ["── broker", "said by broker", "── conformance", "said by conformance"]
    places = [told.index(f"\n{line}\n") for line in lines]
    assert code == 0
    assert places == sorted(places)

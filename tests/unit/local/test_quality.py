"""Tiers that run beside each other: both whole, told one after the other, red if one is."""

import sys
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

import pytest

from deploy.local import quality
from deploy.local.arguments import LONG_TIERS, parser
from deploy.local.commands import COMMANDS
from deploy.local.quality import (
    DEATHS,
    LONGEST,
    OTHER_DEATHS,
    SITUATIONS,
    Lane,
    divided,
    halved,
    pytest_of,
    run_beside,
)
from deploy.local.state import REPOSITORY, State
from tests.crashes.points import cases, shared_out

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


def test_each_file_of_the_longest_tier_is_in_one_of_its_two_steps() -> None:
    steps = divided([*pytest_of(LONGEST), "-m", "not slow"])

    rest, situations = steps[LONGEST], steps[SITUATIONS]
    [left_out] = (one.partition("=")[2] for one in rest if one.startswith("--ignore-glob="))
    for path in (REPOSITORY / "tests" / LONGEST).glob("test_*.py"):
        assert (str(path) in situations) == fnmatch(str(path), left_out), path
    assert rest[:4] == pytest_of(LONGEST)
    assert situations[-2:] == rest[4:6] == ["-m", "not slow"]


def test_each_death_is_in_one_of_the_two_halves() -> None:
    steps, every = halved(pytest_of(DEATHS)), list(cases())

    halves = [shared_out(every, steps[name][-1]) for name in (DEATHS, OTHER_DEATHS)]

    assert all("--share" in command for command in steps.values())
    assert sorted(map(str, (one for half in halves for one in half))) == sorted(map(str, every))


def test_what_everything_leaves_out_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran: dict[str, list[str]] = {}

    def run(steps: dict[str, list[str]], _: object) -> int:
        ran.update(steps)
        return 0

    monkeypatch.setattr(quality, "_run_all", run)
    monkeypatch.setattr(quality, "install_for", lambda _: None)
    monkeypatch.setenv(quality.GIVEN, "a server of somebody")

    quality.test(State(tmp_path), None, [], slow_too=True)

    told = capsys.readouterr().out
    left_out = {*LONG_TIERS} - ran.keys()
    assert left_out == {"containers", "fresh"}
    assert all(f"left out: {one}: " in told for one in left_out)
    assert ran["soak"] == [*pytest_of("soak"), "--minutes", "10", "--rate", "1"]


def test_a_tier_is_run_alone_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: dict[str, list[str]] = {}

    def run(steps: dict[str, list[str]], _: object) -> int:
        ran.update(steps)
        return 0

    monkeypatch.setattr(quality, "_run_all", run)
    monkeypatch.setenv(quality.GIVEN, "a server of somebody")
    told, rest = parser().parse_known_args(["test", "broker", "-k", "relay"])

    COMMANDS["test"](State(tmp_path), told, rest)

    assert ran == {"broker": [*pytest_of("broker"), "-m", "not slow", "-k", "relay"]}

"""Troubles that strike: one at a time of each thing, and none that nobody noticed."""

import asyncio
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from deploy.verify.history import History
from tests.fault_proxy import Fault, FaultProxy, Forward, fault_proxy
from tests.gemini_double.ledger import Call
from tests.gemini_double.server import GeminiDouble
from tests.nemesis import troubles
from tests.nemesis.blow import listens, wrote_with
from tests.nemesis.kinds import NETWORK
from tests.nemesis.plan import Trouble
from tests.nemesis.troubles import Struck
from tests.system.stack import Stack

NOW = 1_772_323_200.0  # 2026-03-01T00:00:00Z


@dataclass(slots=True)
class Way(FaultProxy):
    """Nobody is behind it; it remembers what it was told."""

    comes_by: int = 1
    told: list[Fault] = field(default_factory=list)

    def do(self, fault: Fault) -> None:
        self.told.append(fault)
        self.struck = self.comes_by


def struck_by(way: FaultProxy, folder: Path) -> Struck:
    return Struck(Stack.below(folder), ways={"store": way})


def on_the_way_to_the_store(kind: str) -> Trouble:
    return Trouble(0, kind, "store", lasts_s=0.01)


async def test_two_troubles_on_one_way_do_not_end_each_other(tmp_path: Path) -> None:
    way = Way(("127.0.0.1", 1))
    struck = struck_by(way, tmp_path)

    await asyncio.gather(
        *(struck.by(on_the_way_to_the_store(one)) for one in ("network_slow", "bytes_flipped"))
    )

    slow, flip = NETWORK["network_slow"], NETWORK["bytes_flipped"]
    assert way.told == [slow, Forward(), flip, Forward()]


@pytest.mark.parametrize(("comes_by", "expected"), [(1, ""), (0, "nobody came by")])
async def test_a_trouble_says_whether_it_met_anybody(
    comes_by: int, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(troubles, "LONGER_S", 0.05)
    struck = struck_by(Way(("127.0.0.1", 1), comes_by=comes_by), tmp_path)

    assert await struck.by(on_the_way_to_the_store("network_silent")) == expected


async def test_only_an_answer_given_in_a_trouble_may_be_paid_for_once_more(
    tmp_path: Path,
) -> None:
    double = GeminiDouble()
    for at in (time.time() - 60, time.time()):
        double.ledger.calls.append(
            Call(at, "m", "digest", (), "ok", (), "", {}, status=200, seconds=0.1)
        )
    way = {"store": Way(("127.0.0.1", 1))}
    struck = Struck(Stack.below(tmp_path), double, way)

    await struck.by(on_the_way_to_the_store("network_silent"))
    struck.note_answers_at_risk()

    [death] = History(struck.stack.history.path).deaths("extractor")
    assert time.time() - death.before < 30
    assert death.sha256 == "digest"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('{"time":"2026-03-01T02:00:01.000Z","event":"process_started"}', True),
        ('{"time":"2026-03-01T00:00:01.000Z","event":"process_started"}', False),
        ("ERROR: ld.so: object 'libfaketime.so.1' cannot be preloaded", False),
    ],
    ids=["two hours ahead", "the right time", "no time at all"],
)
def test_a_clock_has_moved_when_somebody_wrote_with_it(line: str, expected: bool) -> None:
    assert wrote_with([line], "+2h", NOW) is expected


async def test_who_was_refused_is_let_in_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(troubles, "LONGER_S", 0.05)
    async with fault_proxy("127.0.0.1", 1) as way:
        struck, port = struck_by(way, tmp_path), way.port

        missed = await struck.by(on_the_way_to_the_store("network_refuses"))

        assert missed == "nobody was connected"
        assert listens(port)

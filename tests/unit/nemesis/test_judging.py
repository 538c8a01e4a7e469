"""How often the deaths of a sweep are judged by all promises, and what a look says of them."""

from itertools import pairwise
from pathlib import Path

import pytest

from deploy.verify.promises import Offender, State, Verdict
from tests.crashes import judging
from tests.crashes.judging import Judge
from tests.system.stack import Stack

BROKEN = Verdict("I5", State.BROKEN, (Offender("effects", "a document", "twice"),), total=1)


class World:
    """A judge who is told what `found` says."""

    def __init__(self, folder: Path) -> None:
        self.judge = Judge(Stack.below(folder))
        self.found: list[Verdict] = []
        self.looks = 0

    async def verify(self, *_: object, **__: object) -> list[Verdict]:
        self.looks += 1
        return self.found


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    made = World(tmp_path)
    monkeypatch.setattr(judging, "verify", made.verify)
    monkeypatch.setattr(judging, "sources_of", lambda *_, **__: None)
    return made


async def test_each_of_the_first_is_looked_at_and_then_ever_a_tenth_at_a_time(
    world: World,
) -> None:
    looked_at = []
    for number in range(1, 1_001):
        before = world.looks
        await world.judge.note(f"death {number}")
        looked_at += [number] if world.looks > before else []

    assert looked_at[:10] == [*range(1, 11)]
    assert all(later - one <= one // 10 + 1 for one, later in pairwise(looked_at))
    assert len(looked_at) < 100


async def test_what_is_found_names_those_since_the_last_look_and_is_told_once(
    world: World,
) -> None:
    for number in range(1, 11):
        await world.judge.note(f"death {number}")
    world.found = [BROKEN]

    await world.judge.note("death 11")
    with pytest.raises(AssertionError, match=r"I5(.|\n)*death 11\ndeath 12"):
        await world.judge.note("death 12")

    await world.judge.require_kept()


async def test_what_was_broken_before_is_no_fault_of_theirs(world: World) -> None:
    world.found = [BROKEN]
    await world.judge.excuse_what_is_broken()

    await world.judge.note("death 1")

    world.found = [Verdict("I1", State.BROKEN, (Offender("sums", "all", "one less"),), total=1)]
    with pytest.raises(AssertionError, match="I1"):
        await world.judge.note("death 2")
    with pytest.raises(AssertionError, match="I1"):
        await world.judge.require_all_of_it()

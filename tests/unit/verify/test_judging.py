"""How looks become a verdict: what moves on is no offender, what cannot be read is told."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from deploy.verify.database import Snapshot
from deploy.verify.looking import Check, Look, Notes, Orders, Sources, judge
from deploy.verify.promises import (
    CannotJudge,
    Excuse,
    Finding,
    NotGiven,
    State,
    Suspect,
    verdicts,
)
from deploy.verify.report import as_json, as_text, exit_code


@asynccontextmanager
async def nothing() -> AsyncIterator[Snapshot]:
    yield cast(Snapshot, None)


SOURCES = Sources(nothing)
TWICE = Orders(pauses=(0.0,))


@dataclass
class Told:
    """A check that says something else at each look."""

    looks: list[list[Suspect] | Exception]
    asked: int = field(default=0)

    async def __call__(self, look: Look, notes: Notes) -> None:
        said = self.looks[self.asked]
        self.asked += 1
        if isinstance(said, Exception):
            raise said
        for one in said:
            notes.add(one.subject, one.detail, one.mark)


async def judged(told: Told, orders: Orders = TWICE) -> Finding:
    [finding] = await judge([Check("I1", "told", told)], SOURCES, orders)
    return finding


async def test_what_is_found_again_unmoved_is_an_offender() -> None:
    lost, moving, new = Suspect("a", "x", "1"), Suspect("b", "x", "1"), Suspect("c", "x")

    found = await judged(Told([[lost, moving], [lost, Suspect("b", "x", "2"), new]]))

    assert found.suspects == (lost,)


async def test_what_holds_is_not_looked_at_again() -> None:
    told = Told([[]])

    found = await judged(told)

    assert (found.suspects, told.asked) == ((), 1)


async def test_what_cannot_be_read_at_the_second_look_is_no_offence() -> None:
    found = await judged(Told([[Suspect("a", "x")], CannotJudge("gone")]))

    assert (found.suspects, found.unknown) == ((), "gone")


@pytest.mark.parametrize(
    ("said", "state", "code"),
    [
        ([], State.HOLDS, 0),
        ([Suspect("a", "x")], State.BROKEN, 1),
        (CannotJudge("away"), State.UNKNOWN, 2),
        (NotGiven("a history"), State.NOT_ASKED, 0),
    ],
    ids=["holds", "broken", "cannot be judged", "not asked"],
)
async def test_a_verdict_has_its_exit_code(said: Any, state: State, code: int) -> None:  # noqa: ANN401
    finding = await judged(Told([said]), Orders())

    found = verdicts([finding], [], 10)

    assert (found[0].state, exit_code(found)) == (state, code)
    assert found[1].state is State.NOT_ASKED


async def test_what_is_excused_is_told_of_no_one_else() -> None:
    finding = await judged(Told([[Suspect("a", "x"), Suspect("b", "x")]]), Orders())

    [found, *_] = verdicts([finding], [Excuse("a", frozenset({"I1"}))], 10)
    [other, *_] = verdicts([finding], [Excuse("a", frozenset({"I2"}))], 10)

    assert [one.subject for one in found.offenders] == ["b"]
    assert [one.subject for one in other.offenders] == ["a", "b"]


async def test_a_report_is_bounded_and_says_how_many_there_are() -> None:
    finding = await judged(Told([[Suspect(f"{n:03}", "x") for n in range(50)]]), Orders())

    found = verdicts([finding], [], 3)

    assert "I1  BROKEN: 50" in as_text(found)
    assert "and 47 more" in as_text(found)
    assert '"total": 50' in as_json(found)

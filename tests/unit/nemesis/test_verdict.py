"""The judge of an ordeal: what it calls lost, and what doubled."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from tests.nemesis.verdict import judged
from tests.system.records import ONCE

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def told_in(*runs: int) -> str:
    """Each fact once in each of these runs, or as often as the run is named; accepted is a
    document in its first only."""
    later = [kind for kind in ONCE if kind != "document.accepted"]
    facts = [(kind, run, runs.count(run)) for run in {*runs} for kind in later]
    return json.dumps([("document.accepted", 0, 1), *facts])


@dataclass(slots=True)
class World:
    """One client, and the books in which all went well unless the test says otherwise."""

    name: str = "somebody"
    promised: set[UUID] = field(default_factory=set)
    read_anew: set[UUID] = field(default_factory=set)
    cancelled: set[UUID] = field(default_factory=set)
    written: list[dict[str, Any]] = field(default_factory=list)

    async def rows(self, _sql: str, *_given: object) -> Sequence[Any]:
        return self.written

    def document(self, **differs: Any) -> UUID:  # noqa: ANN401
        document_id = uuid4()
        row = {"status": "completed", "attempts": 1, "run": 0, "readings": 1, "items": 1}
        row |= {"told": told_in(0), "completed_at": NOW, "letters": []} | differs
        row |= {"document_id": document_id, "seen": row["status"]}
        self.promised.add(document_id)
        self.written.append(row)
        return document_id


async def test_what_ended_well_and_once_is_neither_lost_nor_doubled() -> None:
    world = World()
    world.document()
    world.document(status="duplicate", completed_at=NOW + timedelta(seconds=3), attempts=2)

    verdict = await judged(world, world)

    assert verdict.holds
    assert (verdict.documents, verdict.recovered) == (2, 1)
    assert verdict.longest_gap == timedelta(seconds=3)


async def test_what_was_promised_and_is_in_no_book_is_lost() -> None:
    world = World(promised={uuid4()})

    verdict = await judged(world, world)

    assert set(verdict.lost) == world.promised


async def test_what_is_cancelled_without_anybodys_wish_is_lost() -> None:
    world = World()
    wished, lost = (world.document(status="cancelled") for _ in range(2))
    world.cancelled.add(wished)

    verdict = await judged(world, world)

    assert set(verdict.lost) == {lost}


async def test_what_nobody_can_review_or_read_is_lost() -> None:
    world = World()
    expected = {world.document(items=0), world.document(readings=0)}

    verdict = await judged(world, world)

    assert set(verdict.lost) == expected


async def test_what_is_there_twice_is_doubled_unless_a_later_run_did_it() -> None:
    world = World()
    twice = {world.document(items=2), world.document(readings=2)}
    world.document(readings=2, told=told_in(0, 1), run=1)

    verdict = await judged(world, world)

    assert set(verdict.doubled) == twice


async def test_what_a_replayed_document_does_twice_in_one_run_is_doubled() -> None:
    world = World()
    world.document(run=1, letters=["bug"], told=told_in(0, 1))
    twice = world.document(run=1, letters=["bug"], told=told_in(0, 1, 1))

    verdict = await judged(world, world)

    assert set(verdict.doubled) == {twice}


async def test_what_was_given_up_for_a_reason_that_no_trouble_causes_is_wronged() -> None:
    world = World()
    world.document(letters=["poison"])
    wronged = world.document(letters=["poison", "attempts_exhausted"])

    verdict = await judged(world, world, may_die_of={"poison"})

    assert set(verdict.wronged) == {wronged}
    assert not verdict.holds

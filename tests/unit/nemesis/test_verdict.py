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
        row |= {"told": json.dumps(dict.fromkeys(ONCE, 1)), "completed_at": NOW} | differs
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


async def test_what_is_there_twice_is_doubled_unless_it_was_read_anew() -> None:
    world = World()
    twice = {world.document(items=2), world.document(readings=2)}
    world.read_anew.add(world.document(readings=2))

    verdict = await judged(world, world)

    assert set(verdict.doubled) == twice

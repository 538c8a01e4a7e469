"""Places in the queue, by a real PostgreSQL: those in which documents really go."""

import random
from collections.abc import AsyncIterator
from datetime import timedelta
from uuid import UUID

import pytest

from services.ingest.domain.turns import PRIORITIES, Newcomer, Served
from services.ingest.domain.waiting import TOLD_MAX
from shared.contracts.body import Priority
from shared.contracts.identity import new_id
from tests.broker.ingest_world import World, ingest_world


@pytest.fixture
async def world(database_url: str) -> AsyncIterator[World]:
    async with ingest_world(database_url, window=0) as world:
        yield world


async def wait_for_turns(world: World, newcomers: list[Newcomer]) -> None:
    async with world.use.ledger.unit() as unit:
        taken = await world.use.releases.take_in(unit, [], newcomers)
    assert not taken.let_in


def newcomers(world: World, count: int, chance: random.Random) -> list[Newcomer]:
    now = world.use.clock.now()
    return [
        Newcomer(
            new_id(),
            chance.choice(["acme", "globex", "initech", "umbrella", "a", "z"]),
            chance.choice([Priority.BULK, Priority.NORMAL, Priority.HIGH]),
            now + timedelta(seconds=chance.randint(0, 100)),
            ready=chance.random() < 0.9,
        )
        for _ in range(count)
    ]


async def in_turn(world: World) -> list[UUID]:
    async with world.use.ledger.unit() as unit:
        found = [
            document_id
            for priority in PRIORITIES
            for document_id, _ in await world.use.releases.find_next(
                unit, priority, TOLD_MAX, but_not=None
            )
        ]
    return found


@pytest.mark.parametrize("served", ["", "globex", "zzz"])
async def test_a_place_is_when_the_turn_comes(world: World, served: str) -> None:
    waiting = newcomers(world, 200, random.Random(3))
    await wait_for_turns(world, waiting)
    async with world.use.ledger.unit() as unit:
        last = {int(priority): served for priority in PRIORITIES}
        await world.use.releases.release(unit, [], Served(last=last))
    order = await in_turn(world)
    places = {
        one.document_id: await world.use.releases.find_place(one.document_id) for one in waiting
    }

    for number, document_id in enumerate(order, start=1):
        place = places[document_id]
        assert place is not None
        assert (place.place, place.length, place.ready) == (number, len(order), True)
    held = [one.document_id for one in waiting if not one.ready]
    assert len(held) + len(order) == len(waiting)
    for document_id in held:
        place = places[document_id]
        assert place is not None
        assert not place.ready


async def test_far_back_only_that_is_told(world: World) -> None:
    chance = random.Random(4)
    crowd = [
        Newcomer(new_id(), f"owner-{at % 700}", Priority.NORMAL, world.use.clock.now())
        for at in range(3 * TOLD_MAX)
    ]
    await wait_for_turns(world, crowd)
    alone = Newcomer(new_id(), "a", Priority.BULK, world.use.clock.now())
    second = Newcomer(new_id(), "owner-1", Priority.NORMAL, world.use.clock.now())
    await wait_for_turns(world, [alone, second])
    chance.shuffle(crowd)

    order = await in_turn(world)
    for one in [*crowd[:20], alone]:
        found = await world.use.releases.find_place(one.document_id)
        number = order.index(one.document_id) + 1 if one.document_id in order else TOLD_MAX + 1
        assert found is not None
        assert found.place == (number if number <= TOLD_MAX else None)
        assert found.length is None


async def test_one_that_does_not_wait_has_no_place(world: World) -> None:
    assert await world.use.releases.find_place(new_id()) is None

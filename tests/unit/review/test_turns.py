"""One at a time for each thing, a few at once of all, and the latest wish first."""

import asyncio
from uuid import UUID

import pytest

from services.review.domain.turns import REMEMBERED_MAX, Turns
from services.review.domain.wishes import WISHES_MAX, Wish, Wishes
from shared.errors import Rejected, Retryable


async def test_two_at_the_same_thing_take_turns_and_two_at_others_do_not() -> None:
    turns, order = Turns(4), list[str]()
    go_on = asyncio.Event()

    async def work(key: str, name: str) -> None:
        async with turns.one_of(key):
            order.append(f"{name} in")
            await go_on.wait()
            order.append(f"{name} out")

    async with asyncio.TaskGroup() as group:
        for key, name in (("a", "first"), ("a", "second"), ("b", "third")):
            group.create_task(work(key, name))
        for _ in range(3):
            await asyncio.sleep(0)
        begun = list(order)
        go_on.set()

    assert begun == ["first in", "third in"]
    assert order.index("second in") > order.index("first out")
    assert turns._locks == {}


async def test_whoever_gets_no_room_is_asked_to_come_back() -> None:
    turns = Turns(1, patience_s=0.01)

    async with turns.room():
        with pytest.raises(Retryable):
            async with turns.room():
                pass
    async with turns.room():
        pass


async def test_one_who_gives_up_waiting_leaves_the_turn_to_the_next() -> None:
    turns = Turns(4)

    async def take() -> None:
        async with turns.one_of("a"):
            pass

    async with turns.one_of("a"):
        waiting = [asyncio.create_task(take()) for _ in range(2)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        await asyncio.sleep(0)
    await waiting[1]

    assert turns._locks == {}


def test_a_refusal_is_remembered_for_a_while_and_no_longer() -> None:
    now = 0.0
    turns = Turns(1, refusal_s=60, monotonic=lambda: now)
    turns.remember("a", Rejected("encrypted", "locked"))

    with pytest.raises(Rejected, match="encrypted: locked"):
        turns.check("a")
    turns.check("b")
    now = 61.0
    turns.check("a")


def test_refusals_are_bounded() -> None:
    turns = Turns(1)

    for number in range(REMEMBERED_MAX + 1):
        turns.remember(str(number), Rejected("unreadable"))

    turns.check("0")
    with pytest.raises(Rejected):
        turns.check("1")


async def test_the_latest_wish_goes_first_and_the_oldest_is_forgotten() -> None:
    wishes = Wishes()
    waiting = asyncio.create_task(wishes.next())
    await asyncio.sleep(0)

    for number in range(WISHES_MAX + 2):
        wishes.make(Wish(UUID(int=number)))
    wishes.make(Wish(UUID(int=5)))

    assert await waiting == Wish(UUID(int=5))
    rest = [(await wishes.next()).document_id.int for _ in range(WISHES_MAX - 1)]
    assert rest == [number for number in range(WISHES_MAX + 1, 1, -1) if number != 5]

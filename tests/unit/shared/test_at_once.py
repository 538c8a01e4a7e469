"""Several pieces of work at once: whoever hears of an error hears it when all have ended."""

import asyncio

import pytest

from shared.at_once import at_once
from shared.errors import Retryable


async def test_outcomes_come_in_the_order_of_the_work() -> None:
    first_may_end = asyncio.Event()

    async def first() -> str:
        await first_may_end.wait()
        return "first"

    async def second() -> str:
        first_may_end.set()
        return "second"

    assert await at_once([first(), second()]) == ["first", "second"]


async def test_an_error_is_raised_when_nothing_runs_behind_it() -> None:
    failed, may_end = asyncio.Event(), asyncio.Event()
    ended = []

    async def failing() -> None:
        failed.set()
        raise Retryable("away")

    async def slow() -> None:
        await may_end.wait()
        ended.append("slow")

    work = asyncio.create_task(at_once([failing(), slow()]))
    await failed.wait()
    done, _ = await asyncio.wait({work}, timeout=0.05)
    assert not done

    may_end.set()
    with pytest.raises(Retryable):
        await work
    assert ended == ["slow"]

"""What is held up until it is over, what is ended, and that neither is for ever."""

import asyncio
import contextlib

import pytest

from shared import ending as subject
from shared.ending import end_within, to_its_end
from tests.eventually import eventually


class Work:
    """Ends when it is let; told to stop, it does so at once, or not at all."""

    def __init__(self, *, stubborn: bool = False) -> None:
        self.may_end = asyncio.Event()
        self.has_begun = asyncio.Event()
        self.has_ended = False
        self._stubborn = stubborn

    async def run(self) -> str:
        self.has_begun.set()
        while not self.may_end.is_set():
            try:
                await self.may_end.wait()
            except asyncio.CancelledError:
                if not self._stubborn:
                    raise
        self.has_ended = True
        return "done"


async def test_what_it_returns_is_returned() -> None:
    work = Work()
    work.may_end.set()

    assert await to_its_end(work.run(), within_s=1) == "done"


async def test_what_it_raises_is_raised() -> None:
    async def fail() -> None:
        raise KeyError

    with pytest.raises(KeyError):
        await to_its_end(fail(), within_s=1)


async def test_whoever_is_cancelled_again_and_again_is_so_when_it_has_ended() -> None:
    work = Work()
    caller = asyncio.ensure_future(to_its_end(work.run(), within_s=30))
    await work.has_begun.wait()

    for _ in range(3):
        caller.cancel()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    assert not caller.done()
    work.may_end.set()

    with pytest.raises(asyncio.CancelledError):
        await caller
    assert work.has_ended


async def test_work_that_is_cancelled_before_its_first_step_holds_nobody_up() -> None:
    work = Work()
    caller = asyncio.ensure_future(to_its_end(work.run(), within_s=30))
    await asyncio.sleep(0)
    [inner] = asyncio.all_tasks() - {caller, asyncio.current_task()}

    inner.cancel()
    caller.cancel()

    async with asyncio.timeout(5):
        with pytest.raises(asyncio.CancelledError):
            await caller
    assert not work.has_begun.is_set()


async def test_work_that_hangs_is_cancelled_in_the_end() -> None:
    work = Work()
    caller = asyncio.ensure_future(to_its_end(work.run(), within_s=0.05))
    await work.has_begun.wait()

    caller.cancel()

    async with asyncio.timeout(5):
        with pytest.raises(asyncio.CancelledError):
            await caller
    assert not work.has_ended


async def test_what_does_not_stop_when_told_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(subject, "TIDY_UP_S", 0.05)
    work = Work(stubborn=True)
    task = asyncio.ensure_future(work.run())

    async with asyncio.timeout(5):
        await end_within({task}, 0.05)

    assert not task.done()
    work.may_end.set()
    await task


async def test_whoever_ends_them_and_is_cut_short_ends_them_first() -> None:
    work = Work()
    task = asyncio.ensure_future(work.run())
    ender = asyncio.ensure_future(end_within({task}, 30))
    await work.has_begun.wait()
    await asyncio.sleep(0)

    ender.cancel()

    with contextlib.suppress(asyncio.CancelledError):
        await ender
    assert (ender.cancelled(), task.cancelled()) == (True, True)


async def test_what_ends_in_time_is_not_cancelled() -> None:
    work = Work()
    task = asyncio.ensure_future(work.run())
    ender = asyncio.ensure_future(end_within({task}, 30))

    work.may_end.set()
    await eventually(ender.done)

    assert task.result() == "done"

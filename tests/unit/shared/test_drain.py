"""A process ends in order: nothing new, what is in hand, then the background work."""

import asyncio
import logging
import os
import signal

import pytest

from shared.process.drain import Lifetime


class Process:
    """A life whose body drains until told, and one background task like the relay."""

    def __init__(self, drain_s: float = 60) -> None:
        self.story: list[str] = []
        self.drained = asyncio.Event()
        self.stops = 0
        self.life = Lifetime(drain_s=drain_s, on_stop=self._on_stop)

    def _on_stop(self) -> None:
        self.stops += 1

    async def serve(self) -> None:
        self.life.spawn("relay", self._relay())
        try:
            await self.life.stopping.wait()
            self.story.append("draining")
            await self.drained.wait()
            self.story.append("drained")
        except asyncio.CancelledError:
            self.story.append("cut short")
            raise

    async def _relay(self) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            self.story.append("relay ended")


async def crash() -> None:
    raise KeyError("a bug")


async def nothing() -> None:
    return None


async def test_a_signal_drains_before_the_background_work_ends() -> None:
    process = Process()
    process.drained.set()
    asyncio.get_running_loop().call_soon(os.kill, os.getpid(), signal.SIGTERM)

    code = await process.life.live(process.serve())

    assert code == 0
    assert process.story == ["draining", "drained", "relay ended"]
    assert process.stops == 1


async def test_a_second_signal_cuts_the_drain_short() -> None:
    process = Process()
    loop = asyncio.get_running_loop()
    loop.call_soon(os.kill, os.getpid(), signal.SIGINT)
    loop.call_later(0.05, os.kill, os.getpid(), signal.SIGINT)

    code = await process.life.live(process.serve())

    assert code == 0
    assert process.story == ["draining", "cut short", "relay ended"]


async def test_a_drain_has_an_end() -> None:
    process = Process(drain_s=0.05)
    process.life.stop("test")

    assert await process.life.live(process.serve()) == 0
    assert process.story == ["draining", "cut short", "relay ended"]


async def test_a_crashed_background_task_drains_the_others_and_fails_the_process(
    caplog: pytest.LogCaptureFixture,
) -> None:
    process = Process()
    process.drained.set()

    async def serve() -> None:
        process.life.spawn("sweeper", crash())
        await process.serve()

    code = await process.life.live(serve())

    assert code == 1
    assert process.story == ["draining", "drained", "relay ended"]
    [record] = [one for one in caplog.records if one.message == "task_crashed"]
    assert record.__dict__["task"] == "sweeper"
    assert record.exc_info is not None
    assert isinstance(record.exc_info[1], KeyError)


async def test_a_body_that_crashes_fails_the_process() -> None:
    life = Lifetime(drain_s=1)

    assert await life.live(crash()) == 1


async def test_a_body_that_returns_ends_the_process_well() -> None:
    process = Process()

    async def serve() -> None:
        process.life.spawn("relay", process._relay())
        await process.life.spawn("once", nothing())

    assert await process.life.live(serve()) == 0
    assert process.story == ["relay ended"]


async def test_work_that_never_came_to_start_leaves_no_trace() -> None:
    process = Process()

    async def serve() -> None:
        process.life.spawn("relay", process._relay())

    assert await process.life.live(serve()) == 0
    assert process.story in ([], ["relay ended"])


async def test_a_fatal_finding_drains_and_fails() -> None:
    process = Process()
    process.drained.set()
    process.life.fatal("the broker refuses our password")

    assert await process.life.live(process.serve()) == 1
    assert "drained" in process.story


async def test_a_crash_during_the_drain_does_not_hurry_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    process = Process()
    caplog.set_level(logging.INFO)

    async def serve() -> None:
        process.life.spawn("late", late())
        await process.serve()

    async def late() -> None:
        await process.life.stopping.wait()
        asyncio.get_running_loop().call_later(0.02, process.drained.set)
        raise ValueError("too late")

    process.life.stop("test")

    assert await process.life.live(serve()) == 1
    assert "drained" in process.story
    assert "drain_cut_short" not in [one.message for one in caplog.records]


async def test_a_background_task_may_end_before_the_process() -> None:
    life = Lifetime(drain_s=1)

    async def serve() -> None:
        await life.spawn("once", nothing())
        assert not life.stopping.is_set()

    assert await life.live(serve()) == 0


async def test_the_signals_are_given_back() -> None:
    life = Lifetime(drain_s=1)

    await life.live(nothing())

    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL

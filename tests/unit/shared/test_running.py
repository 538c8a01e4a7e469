"""A handler has its time and not more, and a suspect runs alone."""

import asyncio
import random
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from shared.bus import running
from shared.bus.running import Solo, Stuck, run_limited
from shared.errors import Rejected, Retryable
from tests.eventually import eventually

LONG_S = 60.0
SHORT_S = 0.05


class World:
    """One handler under a time limit; a test says how it behaves."""

    def __init__(self) -> None:
        self.hurry = asyncio.Event()
        self.stuck = 0
        self.seen: list[str] = []

    async def run(self, work: Coroutine[Any, Any, None], *, timeout_s: float = LONG_S) -> None:
        await run_limited(
            work, timeout_s=timeout_s, hurry=[self.hurry], on_stuck=self._note_stuck
        )

    async def for_ever(self) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            self.seen.append("cleaned up")

    async def ignoring_cancellation(self, until: asyncio.Event) -> None:
        while not until.is_set():
            try:
                await until.wait()
            except asyncio.CancelledError:
                self.seen.append("ignored")

    def _note_stuck(self) -> None:
        self.stuck += 1


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "STUCK_AFTER_S", SHORT_S)


async def _nothing() -> None:
    return


async def test_a_handler_that_ends_in_time_is_not_hurried(world: World) -> None:
    await world.run(_nothing())

    assert not world.hurry.is_set()
    assert world.stuck == 0


async def test_what_a_handler_raises_is_passed_on_as_it_is(world: World) -> None:
    async def rejects() -> None:
        raise Rejected("encrypted")

    with pytest.raises(Rejected, match="encrypted"):
        await world.run(rejects())


async def test_at_its_limit_a_handler_is_cancelled_and_may_be_tried_again(world: World) -> None:
    with pytest.raises(Retryable, match=r"timed out after 0\.05 s") as caught:
        await world.run(world.for_ever(), timeout_s=SHORT_S)

    assert world.seen == ["cleaned up"]
    assert caught.value.dependency is None
    assert world.stuck == 0


async def test_a_handler_is_told_before_its_time_is_over(world: World) -> None:
    async def tidies_up() -> None:
        await world.hurry.wait()
        world.seen.append("tidied up")

    await world.run(tidies_up(), timeout_s=1.0)

    assert world.seen == ["tidied up"]


async def test_work_that_was_finished_during_its_cancellation_counts(world: World) -> None:
    async def commits_all_the_same() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            world.seen.append("committed")

    await world.run(commits_all_the_same(), timeout_s=SHORT_S)

    assert world.seen == ["committed"]


async def test_what_is_raised_during_the_cancellation_is_still_a_timeout(world: World) -> None:
    async def fails_to_clean_up() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            raise KeyError("in the clean-up")

    with pytest.raises(Retryable, match="timed out"):
        await world.run(fails_to_clean_up(), timeout_s=SHORT_S)


@pytest.mark.usefixtures("impatient")
async def test_a_handler_that_ignores_its_cancellation_ends_the_process(world: World) -> None:
    over = asyncio.Event()

    try:
        with pytest.raises(Stuck, match="still running"):
            await world.run(world.ignoring_cancellation(over), timeout_s=SHORT_S)
        assert (world.seen, world.stuck) == (["ignored"], 1)
    finally:
        over.set()


async def test_a_shutdown_reaches_the_handler_and_is_no_timeout(world: World) -> None:
    outer = asyncio.ensure_future(world.run(world.for_ever()))
    await asyncio.sleep(0)
    await asyncio.sleep(0)

    outer.cancel()

    with pytest.raises(asyncio.CancelledError):
        await outer
    assert world.seen == ["cleaned up"]


async def test_a_handler_cancelled_from_within_is_no_shutdown(world: World) -> None:
    # Passed on, it would leave the delivery unsettled and its slot lost for ever.
    async def awaits_what_somebody_cancelled() -> None:
        lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        lost.cancel()
        await lost

    with pytest.raises(Retryable, match="cancelled from within"):
        await world.run(awaits_what_somebody_cancelled())


class Runners:
    """Who is running in a Solo, and who ever was at the same time as whom."""

    def __init__(self) -> None:
        self.solo = Solo()
        self.running: set[str] = set()
        self.order: list[str] = []
        self.leave: dict[str, asyncio.Event] = {}
        self.broken: list[str] = []

    def start(self, name: str, *, alone: bool = False) -> "asyncio.Task[None]":
        self.leave[name] = asyncio.Event()
        turn = self.solo.alone if alone else self.solo.together
        return asyncio.ensure_future(self._run(name, turn, alone))

    async def _run(
        self, name: str, turn: Callable[[], AbstractAsyncContextManager[None]], alone: bool
    ) -> None:
        async with turn():
            self.running.add(name)
            self.order.append(name)
            if alone and len(self.running) > 1:
                self.broken.append(f"{name} was not alone: {self.running}")
            if any(one.startswith("alone") for one in self.running - {name}):
                self.broken.append(f"{name} joined {self.running}")
            try:
                await self.leave[name].wait()
            finally:
                self.running.discard(name)


@pytest.fixture
def runners() -> Runners:
    return Runners()


async def test_many_run_together(runners: Runners) -> None:
    tasks = [runners.start(name) for name in "abc"]

    await eventually(lambda: runners.running == {"a", "b", "c"})

    await _end(runners, tasks)


async def test_a_suspect_waits_for_the_others_and_then_runs_alone(runners: Runners) -> None:
    tasks = [runners.start("a"), runners.start("alone", alone=True)]
    await eventually(lambda: runners.running == {"a"})

    runners.leave["a"].set()
    await eventually(lambda: runners.running == {"alone"})
    tasks.append(runners.start("b"))
    await _turns()

    assert runners.running == {"alone"}
    await _end(runners, tasks)
    assert runners.order == ["a", "alone", "b"]


async def test_a_suspect_that_waits_is_not_overtaken(runners: Runners) -> None:
    tasks = [runners.start("a"), runners.start("alone", alone=True)]
    await _turns()
    tasks += [runners.start(name) for name in ("b", "c")]
    await _turns()

    assert runners.running == {"a"}
    await _end(runners, tasks)
    assert runners.order[:2] == ["a", "alone"]


async def test_two_suspects_run_one_after_the_other(runners: Runners) -> None:
    tasks = [runners.start("alone-1", alone=True), runners.start("alone-2", alone=True)]
    await _turns()

    assert runners.running == {"alone-1"}
    runners.leave["alone-1"].set()
    await eventually(lambda: runners.running == {"alone-2"})
    await _end(runners, tasks)


async def test_a_suspect_that_gives_up_waiting_holds_nobody_up(runners: Runners) -> None:
    tasks = [runners.start("a"), runners.start("alone", alone=True), runners.start("b")]
    await _turns()

    tasks[1].cancel()
    await eventually(lambda: runners.running == {"a", "b"})

    await _end(runners, tasks)


@pytest.mark.parametrize("turns", range(12))
async def test_a_suspect_cancelled_on_its_way_in_leaves_the_door_open(
    runners: Runners, turns: int
) -> None:
    tasks = [runners.start("a")]
    tasks += [runners.start(f"alone-{number}", alone=True) for number in range(3)]
    await _turns()
    runners.leave["a"].set()
    for _ in range(turns):
        await asyncio.sleep(0)
    tasks[1].cancel()

    await _end(runners, tasks)
    await _end(runners, [runners.start("last")])
    assert not runners.broken


@pytest.mark.parametrize("seed", range(40))
async def test_cancellations_at_any_moment_leave_nobody_behind(
    runners: Runners, seed: int
) -> None:
    dice = random.Random(seed)
    tasks: list[asyncio.Task[None]] = []
    for number in range(60):
        alone = dice.random() < 0.3
        name = f"{'alone' if alone else 'many'}-{number}"
        tasks.append(runners.start(name, alone=alone))
        for _ in range(dice.randrange(3)):
            await asyncio.sleep(0)
        victim = dice.choice(tasks)
        for _ in range(dice.randrange(3)):
            victim.cancel()
            await asyncio.sleep(0)
        if runners.running and dice.random() < 0.5:
            runners.leave[dice.choice(sorted(runners.running))].set()

    await _end(runners, tasks)

    assert not runners.broken
    await _end(runners, [runners.start("alone-last", alone=True), runners.start("last")])
    assert {"alone-last", "last"} <= set(runners.order)


async def _turns() -> None:
    """Let everybody who can move do so."""
    for _ in range(20):
        await asyncio.sleep(0)


async def _end(runners: Runners, tasks: list["asyncio.Task[None]"]) -> None:
    for leave in runners.leave.values():
        leave.set()
    _, hanging = await asyncio.wait(tasks, timeout=5)
    for task in hanging:
        task.cancel()
    assert not hanging, "somebody waits for ever"

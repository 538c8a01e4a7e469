"""Plays a state machine over handlers: rules drawn by hypothesis, the trace made minimal.

A machine drives the real handlers over one setting, keeps a small model beside it that knows
nothing of their code, and compares after each step. The setting is opened once, since a
database is dear, and is made anew for each play.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from itertools import count
from typing import Any, Generic, TypeVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    run_state_machine_as_test,
)

from shared.contracts import identity

S = TypeVar("S")
T = TypeVar("T")

STEPS_IN_A_PLAY = 50
DAILY, ALL, ON_A_DATABASE = 1_000, 10_000, 600
# Of all: on a busy machine the whole would take longer than a test that hangs.
PARTS = 4
# Makes the setting as if nothing had ever happened in it.
Anew = Callable[[], Awaitable[S]]
Opened = Callable[[], AbstractAsyncContextManager[Anew[S]]]


class Stage(Generic[S]):
    """Where all plays of a machine take place, one after the other."""

    def __init__(self, runner: asyncio.Runner, anew: Anew[S]) -> None:
        self.runner = runner
        self.anew = anew
        self.steps = 0


class Machine(RuleBasedStateMachine, Generic[S]):
    """Its rules are plain functions, as hypothesis wants them; handlers are coroutines."""

    def __init__(self, stage: Stage[S]) -> None:
        super().__init__()
        self._stage = stage

        async def anew() -> S:
            return await stage.anew()

        self.setting: S = self.does(anew())

    def does(self, work: Coroutine[Any, Any, T]) -> T:
        return self._stage.runner.run(work)

    def refused(self, work: Coroutine[Any, Any, object]) -> str:
        """By which error; empty for none. The errors of a domain are named after facts."""
        try:
            self.does(work)
        except AssertionError:
            raise
        except Exception as error:
            return type(error).__name__
        return ""

    @invariant()
    def is_counted(self) -> None:
        self._stage.steps += 1


def play(machine: type[Machine[S]], opened: Opened[S], *, steps: int) -> None:
    """At least so many steps, over as many plays as that takes."""
    with (
        asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner,
        pytest.MonkeyPatch.context() as patch,
    ):
        # Who sorts by ids finds them in one order at every play of the same rules.
        numbers = count()
        patch.setattr(identity, "_random", lambda: next(numbers).to_bytes(10))
        around = AsyncExitStack()
        stage = Stage(runner, runner.run(_entered(around, opened)))
        try:
            while stage.steps < steps:
                left = max(1, (steps - stage.steps) // STEPS_IN_A_PLAY)
                # It calls whatever makes a machine, though it names the type of one.
                made: Any = lambda: machine(stage)  # noqa: E731
                run_state_machine_as_test(made, settings=_of_plays(left))
        finally:
            runner.run(around.aclose())


async def _entered(around: AsyncExitStack, opened: Opened[S]) -> Anew[S]:
    return await around.enter_async_context(opened())


def _of_plays(number: int) -> settings:
    return settings(
        max_examples=number,
        stateful_step_count=STEPS_IN_A_PLAY,
        # A step on a database takes as long as it takes.
        deadline=None,
        suppress_health_check=list(HealthCheck),
        # The trace says enough; which lines only failing plays run would take minutes to tell.
        phases=(Phase.reuse, Phase.generate, Phase.shrink),
    )

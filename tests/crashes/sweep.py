"""One death from beginning to end: armed, led past the instant, started again, and judged.

The stack is the same for all cases: what one of them leaves behind is found by the
verification after it, or it would be the next one's to explain.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from deploy.local import rabbitmq
from deploy.local.errors import StackError
from deploy.local.ports import remembered
from tests.crashes.points import AGAIN, COMMAND, COUNTS, FROZEN, Case
from tests.crashes.scene import ENDS_WITHIN_S, Scene, Steps
from tests.eventually import eventually
from tests.gemini_double.server import GeminiDouble
from tests.nemesis.entry import Entry, entered
from tests.nemesis.results import DEATH
from tests.nemesis.verdict import Verdict, all_have_ended, judged
from tests.system.client import client_of
from tests.system.logs import length_of, lines_since
from tests.system.records import Records
from tests.system.replicas import replica_of
from tests.system.stack import VHOST, Stack
from tests.system.verdict import require_promises_kept

MET_WITHIN_S = 60.0
HELD = "consumer.before_handler:stop"
OVER = object()


@dataclass(frozen=True, slots=True)
class Ground:
    """Where all deaths of a session take place."""

    stack: Stack
    ten_days: Path
    provider: GeminiDouble | None = None
    # Whether the verification looks at all promises after each case. Where other tests share
    # the stack, it does so when all of them are over.
    verifies: bool = True

    async def survives(self, case: Case) -> Verdict:
        async with client_of(self.stack) as client:
            scene = Scene(
                client,
                Records(self.stack),
                COUNTS[case.situation],
                self.ten_days,
                self.provider,
                case.failpoint,
            )
            entry = Entry(DEATH, str(case), faults=1)
            async with entered(entry, scene, partial(judged, scene.records, scene)):
                try:
                    await _died(case, scene)
                    await scene.all_begun()
                    entry.verdict = verdict = await _over(scene)
                finally:
                    await scene.give_up()
                    await self._whole(case)
                assert verdict.holds, f"{verdict}\n{verdict.lost}\n{verdict.doubled}"
                if self.verifies:
                    await self.require_promises(deep=False)
        return verdict

    async def require_promises(self, *, deep: bool) -> None:
        await require_promises_kept(self.stack, self.provider, deep=deep)

    async def _whole(self, case: Case) -> None:
        """Whatever has happened, the next case begins with all services as they are."""
        if case.row.service == COMMAND:
            return
        if self.stack.runs(case.row.service) and self.stack.is_frozen(case.row.service):
            self.stack.thaw(case.row.service)
        await self.stack.start(case.row.service)


async def _died(case: Case, scene: Scene) -> None:
    service, settings = case.row.service, _settings(case, scene)
    async with aclosing(case.row.deed(scene)) as story:
        await anext(story)
        if case.situation == AGAIN:
            await _begun_by_another(service, story, scene, settings)
        since = length_of(scene.stack.state.log(service))
        await _started(scene.stack, service, case.failpoint, settings)
        if case.situation != AGAIN:
            await anext(story)
        await _require_met(case, scene, since)
        if case.action == FROZEN:
            async with _frozen_meanwhile(service, scene, settings):
                await _finished(story, scene)
            return
        if case.action == "kill" and service != COMMAND:
            scene.stack.history.note("killed", service=service)
            await eventually(lambda: not scene.stack.runs(service), within_s=30)
        await _started(scene.stack, service, "", settings)
        if case.action != "raise":
            await _finished(story, scene)
            return
        # What failed with a process that lived on is sent back, as an operator does it.
        operator = asyncio.ensure_future(scene.sends_back())
        try:
            await _finished(story, scene)
        finally:
            operator.cancel()
            with suppress(asyncio.CancelledError):
                await operator


async def _begun_by_another(
    service: str, story: Steps, scene: Scene, settings: Mapping[str, str]
) -> None:
    """It has the delivery in hand when it is killed, so that the next gets it once more."""
    await _started(scene.stack, service, HELD, settings)
    await anext(story)
    await eventually(lambda: scene.stack.is_frozen(service), within_s=MET_WITHIN_S)
    await scene.stack.kill(service)


async def _finished(story: Steps, scene: Scene) -> None:
    assert await anext(story, OVER) is OVER
    await scene.all_begun()
    await eventually(
        lambda: all_have_ended(scene.records, scene), within_s=ENDS_WITHIN_S, every_s=0.25
    )


@asynccontextmanager
async def _frozen_meanwhile(
    service: str, scene: Scene, settings: Mapping[str, str]
) -> AsyncIterator[None]:
    """Somebody else does it, and then it wakes up and believes that all of it is its own."""
    stack = scene.stack
    # The answer that it may hold has been paid for, and another will be.
    stack.history.note("killed", service=service)
    # As the broker does itself when it has heard nothing for a while.
    words = ("close_all_connections", "-p", VHOST, "not heard of any more")
    await asyncio.to_thread(rabbitmq.control, stack.state, remembered(stack.state), *words)
    async with replica_of(stack, service, 2, **settings) as other:
        scene.client.stack = other
        yield
        stack.thaw(service)
        await scene.rests()
        scene.client.stack = stack


async def _started(
    stack: Stack, service: str, failpoint: str, settings: Mapping[str, str]
) -> None:
    if service == COMMAND:
        return
    armed = {"PAPERLINE_FAILPOINT": failpoint} if failpoint else {}
    with pytest.MonkeyPatch.context() as surroundings:
        for name, text in {**settings, **armed}.items():
            surroundings.setenv(name, text)
        try:
            await stack.start(service)
        except StackError:
            # What it was to die of may come before it is ready.
            if not failpoint:
                raise


async def _require_met(case: Case, scene: Scene, since: int) -> None:
    point = case.row.point

    def is_met() -> bool:
        log = scene.stack.state.log(case.row.service)
        told = [*scene.met, *lines_since(log, since)]
        return any("failpoint_reached" in one and point in one for one in told)

    try:
        await eventually(is_met, within_s=MET_WITHIN_S, every_s=0.1)
    except AssertionError as error:
        raise AssertionError(f"{point} was never met: {case}") from error
    if case.action == FROZEN:
        await eventually(lambda: scene.stack.is_frozen(case.row.service))


def _settings(case: Case, scene: Scene) -> dict[str, str]:
    given = case.row.settings.items()
    return {name: text.format(ten_days=scene.ten_days) for name, text in given}


async def _over(scene: Scene) -> Verdict:
    await scene.rests()
    await all_have_ended(scene.records, scene)
    return await judged(scene.records, scene)

"""One case from beginning to end: armed, led past the instant, started again, and judged.

The stack is the same for all cases: what one of them leaves behind is found by the
verification after it, or it would be the next one's to explain. A process is started anew only
when it has died, or needs other settings: whoever lives on after a failure does so here too.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from deploy.local.errors import StackError
from tests.crashes.arming import MET_WITHIN_S, NONE, Log, armed, require_met, started
from tests.crashes.case import COMMAND, COUNTS, Case, Row
from tests.crashes.freezing import ANSWERED_WITHIN_S, frozen_meanwhile
from tests.crashes.judging import Judge
from tests.crashes.left_out import AGAIN, FROZEN, KILLED
from tests.crashes.scene import ENDS_WITHIN_S, Scene, Steps
from tests.eventually import eventually
from tests.gemini_double.server import GeminiDouble
from tests.nemesis.entry import Entry, entered
from tests.nemesis.pace import a_while
from tests.nemesis.results import DEATH
from tests.nemesis.verdict import Verdict, all_have_ended, judged
from tests.system.client import client_of
from tests.system.records import Records
from tests.system.stack import Stack

LOOKED_AFTER_EVERY_S = 0.2
OVER = object()


@dataclass(frozen=True, slots=True)
class Ground:
    """Where all deaths of a session take place."""

    stack: Stack
    ten_days: Path
    judge: Judge
    provider: GeminiDouble | None = None
    # Those that listen to where they are to die.
    _listening: set[str] = field(default_factory=set)

    async def survives(self, case: Case) -> Verdict:
        async with client_of(self.stack) as client:
            if case.action == FROZEN:
                client.http.timeout = ANSWERED_WITHIN_S
            scene = Scene(
                client,
                Records(self.stack),
                COUNTS[case.situation],
                self.ten_days,
                self.provider,
                case.row.failpoint(case.action),
            )
            entry = Entry(DEATH, str(case), faults=case.faults)
            async with entered(entry, scene, partial(judged, scene.records, scene)):
                entry.verdict = verdict = await self._suffered(case, scene)
                assert verdict.holds, f"{verdict}\n{verdict.lost}\n{verdict.doubled}"
                await self.judge.note(str(case))
        return verdict

    async def _suffered(self, case: Case, scene: Scene) -> Verdict:
        await self._listens(case)
        try:
            await _struck(case, scene)
            return await _over(scene)
        finally:
            await scene.give_up()
            for service in case.services:
                await self._whole(service)

    async def _listens(self, case: Case) -> None:
        for service in case.services - self._listening:
            await started(self.stack, service)
            self._listening.add(service)

    async def _whole(self, service: str) -> None:
        """Whatever has happened, the next case begins with all services as they are."""
        if self.stack.runs(service) and self.stack.is_frozen(service):
            self.stack.thaw(service)
        try:
            await started(self.stack, service)
        except StackError:
            # It was about to end, of what it had failed at.
            await started(self.stack, service)
        await armed(self.stack, service, NONE)


async def _struck(case: Case, scene: Scene) -> None:
    row, settings = case.row, _settings(case.row, scene)
    async with aclosing(row.deed(scene)) as story:
        await anext(story)
        if case.then is not None and case.then.service != row.service:
            await _die_one_after_the_other(row, case.then, story, scene)
            return
        log = await _led_there(case, story, scene, settings)
        match case.action:
            case "kill":
                await _is_dead(row, scene, log)
                if case.then is not None:
                    await _dies_again(case.then, story, scene)
                else:
                    await _lives_on(row.service, scene, settings)
                await _finished(story, scene)
            case "raise":
                async with _looked_after(row.service, scene, settings):
                    await _finished(story, scene)
            case "stop":
                await eventually(lambda: scene.stack.is_frozen(row.service))
                # The answer that it may hold has been paid for, and another will be.
                _note_death(row, scene, log)
                async with frozen_meanwhile(row.service, scene, settings):
                    await _finished(story, scene)
            case _:
                await _finished(story, scene)


async def _led_there(
    case: Case, story: Steps, scene: Scene, settings: Mapping[str, str]
) -> Log:
    """To its first instant. What is written since it was told so."""
    row, stack = case.row, scene.stack
    if row.service == COMMAND:
        await anext(story)
        await require_met(row.point, lambda: scene.met)
        return Log.of(stack, row.service)
    if case.situation == AGAIN:
        await _begun_by_another(row, story, scene)
    log = Log.of(stack, row.service)
    if settings or case.situation == AGAIN:
        at_start = row.failpoint_at_start(case.action)
        await started(stack, row.service, at_start, settings)
    else:
        await armed(stack, row.service, row.failpoint(case.action))
    if case.situation != AGAIN:
        await anext(story)
    await require_met(row.point, log.lines)
    return log


async def _begun_by_another(row: Row, story: Steps, scene: Scene) -> None:
    """It has the delivery in hand when it is killed, so that the next gets it once more."""
    service, held_at = row.service, row.held_at
    await armed(scene.stack, service, f"{held_at}:{FROZEN}")
    await anext(story)
    await eventually(lambda: scene.stack.is_frozen(service), within_s=MET_WITHIN_S)
    await scene.stack.kill(service, point=held_at)


async def _dies_again(second: Row, story: Steps, scene: Scene) -> None:
    """Whoever was started in place of the first; the third lives."""
    log = Log.of(scene.stack, second.service)
    await started(scene.stack, second.service, second.failpoint_at_start(KILLED))
    await anext(story)
    await require_met(second.point, log.lines)
    await _is_dead(second, scene, log)
    await _lives_on(second.service, scene)


async def _die_one_after_the_other(first: Row, then: Row, story: Steps, scene: Scene) -> None:
    """Who sends, and who takes what was sent."""
    logs = [(one, Log.of(scene.stack, one.service)) for one in (first, then)]
    for one, _ in logs:
        await armed(scene.stack, one.service, one.failpoint(KILLED))
    await anext(story)
    for one, log in logs:
        await require_met(one.point, log.lines)
        await _is_dead(one, scene, log)
        await _lives_on(one.service, scene)
    await _finished(story, scene)


async def _is_dead(row: Row, scene: Scene, log: Log) -> None:
    if row.service == COMMAND:
        return
    _note_death(row, scene, log)
    await eventually(lambda: not scene.stack.runs(row.service), within_s=30)


def _note_death(row: Row, scene: Scene, log: Log) -> None:
    """So that what was paid twice for its sake can be told from everything else."""
    scene.stack.history.note("killed", service=row.service, point=row.point, began=log.began_at)


async def _lives_on(
    service: str, scene: Scene, settings: Mapping[str, str] | None = None
) -> None:
    if service != COMMAND:
        await started(scene.stack, service, NONE, settings)


@asynccontextmanager
async def _looked_after(
    service: str, scene: Scene, settings: Mapping[str, str]
) -> AsyncIterator[None]:
    """What failed with a process that lived on is sent back, as an operator does it; and a
    process that ended of it is started again, as whatever runs it does."""

    async def restarted() -> None:
        if service != COMMAND and not scene.stack.runs(service):
            await started(scene.stack, service, NONE, settings)

    over = asyncio.Event()
    both = [
        asyncio.ensure_future(_again_and_again(act, over))
        for act in (scene.send_back, restarted)
    ]
    try:
        yield
    finally:
        over.set()
        await asyncio.gather(*both)


async def _again_and_again(act: Callable[[], Awaitable[None]], over: asyncio.Event) -> None:
    while not over.is_set():
        await act()
        await a_while(LOOKED_AFTER_EVERY_S)


async def _finished(story: Steps, scene: Scene) -> None:
    assert await anext(story, OVER) is OVER
    await scene.all_begun()
    await eventually(
        lambda: all_have_ended(scene.records, scene), within_s=ENDS_WITHIN_S, every_s=0.1
    )


def _settings(row: Row, scene: Scene) -> dict[str, str]:
    given = row.settings.items()
    return {name: text.format(ten_days=scene.ten_days) for name, text in given}


async def _over(scene: Scene) -> Verdict:
    await scene.all_begun()
    await scene.rests()
    await all_have_ended(scene.records, scene)
    return await judged(scene.records, scene)

"""A stack at steady work for as long as one likes, its services restarted in turn meanwhile.

Broker and database stay: what is left behind by one process and another would add up in them.
At the end everything has come to its end, and all that was promised is asked for.
"""

import asyncio
import time
from collections import Counter
from dataclasses import dataclass, field
from functools import partial

from tests.eventually import eventually
from tests.gemini_double.server import GeminiDouble
from tests.nemesis.entry import Entry, entered
from tests.nemesis.pace import until
from tests.nemesis.results import SOAK
from tests.nemesis.verdict import Verdict, all_have_ended, judged
from tests.soak.looking import Looks
from tests.soak.report import Report
from tests.soak.traffic import Steady
from tests.system.client import client_of
from tests.system.records import Records
from tests.system.stack import SERVICES, Stack
from tests.system.verdict import require_promises_kept

ENDS_WITHIN_S = 300.0
ORDERLY = ["process_stopping", "process_stopped"]


@dataclass(frozen=True, slots=True)
class Length:
    minutes: float
    rate_per_s: float
    restart_minutes: float


@dataclass(slots=True)
class Soak:
    stack: Stack
    provider: GeminiDouble
    length: Length
    restarts: int = 0
    # Who did not stop by itself, in order.
    forced: list[str] = field(default_factory=list)

    async def run(self) -> tuple[Verdict, Report]:
        records, name = Records(self.stack), f"{self.length.minutes:g} min"
        async with client_of(self.stack) as client:
            steady, looks = Steady(client, self.length.rate_per_s), Looks(self.stack)
            entry = Entry(SOAK, name)
            async with entered(entry, steady, partial(judged, records, steady)):
                async with asyncio.TaskGroup() as everything:
                    looking = everything.create_task(looks.go_on())
                    rolling = everything.create_task(self._roll())
                    await steady.flow(self.length.minutes * 60)
                    await rolling
                    looking.cancel()
                await eventually(
                    lambda: all_have_ended(records, steady), within_s=ENDS_WITHIN_S, every_s=2
                )
                await eventually(
                    lambda: _has_failed(records, steady), within_s=ENDS_WITHIN_S, every_s=2
                )
                await eventually(records.is_quiet, within_s=60, every_s=0.5)
                entry.faults = self.restarts
                entry.verdict = verdict = await judged(records, steady)
            self.stack.history.innocent(steady.promised)
        return verdict, Report.of(looks, len(steady.poisoned), steady.approved, self.restarts)

    async def require_promises(self) -> None:
        await require_promises_kept(self.stack, self.provider)

    async def _roll(self) -> None:
        """The last one early enough for a whole pause behind it."""
        began, every_s = time.monotonic(), self.length.restart_minutes * 60
        times = round(self.length.minutes / self.length.restart_minutes) - 1
        for number in range(1, times + 1):
            await until(began + number * every_s)
            for service in SERVICES:
                await self._restart(service)

    async def _restart(self, service: str) -> None:
        await self.stack.stop(service)
        if self.stack.last_events(service) != ORDERLY:
            self.forced.append(service)
        await self.stack.start(service)
        self.restarts += 1


async def _has_failed(records: Records, steady: Steady) -> bool:
    """All the poison, and for good."""
    found = await records.statuses(steady.name_of_poison)
    assert found == Counter(failed=len(steady.poisoned)), found
    return True

"""Is the system as quick as before? The same documents again, and the time they take.

Nothing but the documents is alike on a machine that others use as well. So beside each burst
the machine itself is timed, by work that never changes, and what others took away from it
meanwhile is no fault of ours; of as many tries before as after the quickest counts.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from statistics import median

from tests.eventually import eventually
from tests.nemesis.pace import a_while
from tests.system.client import client_of
from tests.system.invoices import batch_of
from tests.system.records import Records
from tests.system.stack import Stack

DOCUMENTS = 90
TRIES = 3
ENDS_WITHIN_S = 240.0
# Of the throughput before, which has to be there again.
SHARE = 0.9
# For the last documents, which wait for a tick of somebody's clock.
MARGIN_S = 1.0
# Some milliseconds of work, without the interpreter's lock, so often.
WORK, WORKS_EVERY_S = bytes(4 * 1024**2), 0.25


@dataclass(frozen=True, slots=True)
class Burst:
    took_s: float
    # For what the machine does in the same time when it is left alone.
    machine_s: float


@dataclass(frozen=True, slots=True)
class Bursts:
    stack: Stack

    async def before(self) -> Burst:
        return _quickest([await self._one() for _ in range(TRIES)])

    async def after(self, before: Burst) -> Burst:
        """As often as it takes to be as quick, and no more often than before."""
        tried = [await self._one()]
        while len(tried) < TRIES and not is_back(before, _quickest(tried)):
            tried.append(await self._one())
        return _quickest(tried)

    async def _one(self) -> Burst:
        records, batch = Records(self.stack), batch_of(DOCUMENTS)
        # Of its own: what others were promised is judged by their books.
        async with client_of(self.stack) as client, _machine_timed() as machine:
            began = time.monotonic()
            await client.hand_in_all(batch)
            await eventually(
                lambda: records.has_ended(batch.name, count=DOCUMENTS),
                within_s=ENDS_WITHIN_S,
                every_s=0.1,
            )
            took_s = time.monotonic() - began
        await eventually(records.is_quiet, within_s=ENDS_WITHIN_S, every_s=0.25)
        return Burst(took_s, machine.median_s)


def is_back(before: Burst, after: Burst) -> bool:
    # A machine that has become quicker is no reason to ask for more than before.
    slower = max(1.0, after.machine_s / before.machine_s)
    return after.took_s <= before.took_s / SHARE * slower + MARGIN_S


def _quickest(tried: list[Burst]) -> Burst:
    return min(tried, key=lambda one: one.took_s / one.machine_s)


@dataclass(slots=True)
class _Machine:
    works_s: list[float] = field(default_factory=list)

    @property
    def median_s(self) -> float:
        return median(self.works_s)

    async def work_on(self) -> None:
        while True:
            self.works_s.append(await asyncio.to_thread(_work))
            await a_while(WORKS_EVERY_S)


@asynccontextmanager
async def _machine_timed() -> AsyncIterator[_Machine]:
    machine = _Machine()
    machine.works_s.append(await asyncio.to_thread(_work))
    working = asyncio.create_task(machine.work_on())
    try:
        yield machine
    finally:
        working.cancel()


def _work() -> float:
    began = time.perf_counter()
    sha256(WORK).digest()
    return time.perf_counter() - began

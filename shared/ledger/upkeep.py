"""What the ledger needs now and then: late messages, parked ones, gauges, a new day's inbox."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from shared.bus.jobs import Wake
from shared.bus.waiting import until_beat
from shared.database.pool import Pool
from shared.database.statements import statement
from shared.errors import Retryable
from shared.ledger.port import MARKS_KEPT_DAYS
from shared.observability.metrics import (
    OUTBOX_DEAD_ROWS,
    OUTBOX_OLDEST_AGE,
    OUTBOX_PARKED,
    OUTBOX_UNSENT,
)

log = logging.getLogger(__name__)

MEASURE_OUTBOX = statement(__file__, "measure_outbox")
RELEASE_LATER = statement(__file__, "release_later")
ROLL = statement(__file__, "roll")
UNPARK = statement(__file__, "unpark")

RELEASE_EVERY_S = 2.0
RELEASE_COUNT = 1000
MEASURE_EVERY_S = 5.0
ROLL_EVERY_S = 3600.0
DAYS_AHEAD = 7


class Upkeep:
    def __init__(self, pool: Pool, *, wake: Wake, unpark_every_s: float = 15.0) -> None:
        self._pool = pool
        self._wake = wake
        self._unpark_every_s = unpark_every_s

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            for work, every_s in (
                (self.release_later, RELEASE_EVERY_S),
                (self.unpark, self._unpark_every_s),
                (self.measure, MEASURE_EVERY_S),
                (self.roll, ROLL_EVERY_S),
            ):
                group.create_task(_repeat(work, every_s))

    async def release_later(self) -> None:
        if await self._pool.fetch(RELEASE_LATER, RELEASE_COUNT):
            self._wake()

    async def unpark(self) -> None:
        if await self._pool.fetch(UNPARK, self._unpark_every_s, RELEASE_COUNT):
            self._wake()

    async def measure(self) -> None:
        row = await self._pool.fetchrow(MEASURE_OUTBOX)
        if row is not None:
            OUTBOX_UNSENT.set(row["unsent"])
            OUTBOX_OLDEST_AGE.set(row["oldest_age_s"])
            OUTBOX_PARKED.set(row["parked"])
            OUTBOX_DEAD_ROWS.set(row["dead"])

    async def roll(self) -> None:
        await self._pool.execute(ROLL, DAYS_AHEAD, MARKS_KEPT_DAYS)


async def _repeat(work: Callable[[], Awaitable[None]], every_s: float) -> None:
    while True:
        try:
            await work()
        except Retryable as away:
            log.info("upkeep_waits", extra={"work": work.__qualname__, "error": str(away)})
        await asyncio.sleep(until_beat(every_s))

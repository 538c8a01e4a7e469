"""Tell now and then that this process is there, and what its service owes.

By message, because nobody looks into another service's tables. Silence is an answer too: what
has not been heard of for a while is gone, or cannot reach the broker.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from shared.bus.jobs import Wake
from shared.clock import Clock
from shared.contracts.processes import ProcessReportedV1
from shared.database.pool import Pool
from shared.errors import Retryable
from shared.ledger.postgres import PostgresUnit
from shared.ledger.upkeep import MEASURE_OUTBOX

log = logging.getLogger(__name__)

REPORT_EVERY_S = 20.0
# When nothing leaves, more of these would only pile up.
OUTBOX_AGE_S_MAX = 300.0
Conditions = Callable[[], Awaitable[Mapping[str, str]]]


@dataclass(frozen=True, slots=True)
class Process:
    service: str
    process_id: UUID
    build: str
    door: str
    started_at: datetime
    queues: tuple[str, ...]


class Reporter:
    def __init__(
        self, about: Process, pool: Pool, clock: Clock, conditions: Conditions, *, wake: Wake
    ) -> None:
        self._about = about
        self._pool = pool
        self._clock = clock
        self._conditions = conditions
        self._wake = wake

    async def run(self) -> None:
        while True:
            try:
                await self.report()
            except Retryable as away:
                log.info("not_reported", extra={"error": str(away)})
            await asyncio.sleep(REPORT_EVERY_S)

    async def report(self) -> None:
        owed = await self._pool.fetchrow(MEASURE_OUTBOX)
        if owed is None or owed["oldest_age_s"] > OUTBOX_AGE_S_MAX:
            return
        about = self._about
        fact = ProcessReportedV1(
            service=about.service,
            process_id=about.process_id,
            build=about.build,
            door=about.door,
            started_at=about.started_at,
            queues=about.queues,
            outbox_unsent=owed["unsent"],
            outbox_oldest_age_s=max(owed["oldest_age_s"], 0.0),
            outbox_parked=owed["parked"],
            conditions=await self._conditions(),
        )
        async with self._pool.transaction() as connection:
            unit = PostgresUnit(connection, (), self._clock)
            unit.send(fact)
            await unit.flush()
        self._wake()

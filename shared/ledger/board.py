"""The pauses of a service's queues: one table for all replicas, read every other
second, and every second while anything is paused.

While the database itself is away a pause holds for this process only, which then finds out
by itself when it may go on.
"""

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass

from shared.bus.headers import as_text
from shared.bus.jobs import Wake
from shared.bus.ports import Pause
from shared.bus.waiting import until_beat
from shared.clock import Clock
from shared.contracts.facts import ConsumptionPausedV1, ConsumptionResumedV1
from shared.database.pool import Pool
from shared.database.statements import statement
from shared.errors import Retryable
from shared.ledger.postgres import PostgresUnit

log = logging.getLogger(__name__)

CLAIM_PROBE = statement(__file__, "claim_probe")
CLEAR_PAUSE = statement(__file__, "clear_pause")
READ_PAUSES = statement(__file__, "read_pauses")
SET_PAUSE = statement(__file__, "set_pause")

READ_EVERY_S, PAUSED_READ_EVERY_S = 2.0, 1.0


@dataclass(slots=True)
class _Local:
    reason: str
    probe_every_s: float
    probe_at: float


class PostgresPauseBoard:
    def __init__(self, pool: Pool, clock: Clock, queues: Sequence[str], *, wake: Wake) -> None:
        self._pool = pool
        self._clock = clock
        self._queues = list(queues)
        self._wake = wake
        self._shared: dict[str, Pause] = {}
        self._local: dict[str, _Local] = {}
        self._changed = asyncio.Event()

    async def run(self) -> None:
        while True:
            await self.read()
            await asyncio.sleep(until_beat(self.read_every_s))

    @property
    def read_every_s(self) -> float:
        return PAUSED_READ_EVERY_S if self._shared else READ_EVERY_S

    async def read(self) -> None:
        try:
            rows = await self._pool.fetch(READ_PAUSES, self._queues)
        except Retryable as away:
            log.info("pauses_not_read", extra={"error": str(away)})
        else:
            self._shared = {
                row["queue"]: Pause(row["queue"], row["reason"], row["probe_due"])
                for row in rows
            }
        self._tell()

    def paused(self, queue: str) -> Pause | None:
        local = self._local.get(queue)
        if local is not None:
            return Pause(queue, local.reason, time.monotonic() >= local.probe_at)
        return self._shared.get(queue)

    async def pause(
        self, queue: str, *, reason: str, detail: str, probe_every_s: float
    ) -> None:
        if self.paused(queue) is not None:
            return
        try:
            if reason != "postgres_away":
                await self._pause_for_all(queue, reason, detail, probe_every_s)
                return
        except Retryable as away:
            log.warning("paused_here_only", extra={"queue": queue, "error": str(away)})
        self._local[queue] = _Local(reason, probe_every_s, time.monotonic() + probe_every_s)
        self._tell()

    async def resume(self, queue: str, reason: str) -> None:
        local = self._local.get(queue)
        if local is not None and local.reason == reason:
            del self._local[queue]
        else:
            await self._resume_for_all(queue, reason)
        self._tell()

    async def claim_probe(self, queue: str) -> bool:
        local = self._local.get(queue)
        if local is None:
            return bool(await self._pool.fetchval(CLAIM_PROBE, queue))
        local.probe_at = time.monotonic() + local.probe_every_s
        return True

    async def next_change(self) -> None:
        await self._changed.wait()

    async def _pause_for_all(
        self, queue: str, reason: str, detail: str, probe_every_s: float
    ) -> None:
        async with self._pool.transaction() as connection:
            if await connection.fetchval(SET_PAUSE, queue, reason, detail, probe_every_s):
                unit = PostgresUnit(connection, (), self._clock)
                told = as_text(detail)
                unit.send(ConsumptionPausedV1(queue=queue, reason=reason, detail=told))
                await unit.flush()
        self._wake()
        await self.read()

    async def _resume_for_all(self, queue: str, reason: str) -> None:
        async with self._pool.transaction() as connection:
            if await connection.fetchval(CLEAR_PAUSE, queue, reason):
                unit = PostgresUnit(connection, (), self._clock)
                unit.send(ConsumptionResumedV1(queue=queue, reason=reason))
                await unit.flush()
        self._wake()
        await self.read()

    def _tell(self) -> None:
        # Everybody who waits sees this change; whoever comes later waits for the next.
        self._changed.set()
        self._changed = asyncio.Event()

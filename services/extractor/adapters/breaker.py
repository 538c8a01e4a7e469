"""The breaker of a provider, in PostgreSQL, one for all replicas.

Whether it is closed is asked of a copy, a second old at most, so that a call costs no query;
whatever moves it locks the row and decides on that. Moments are the database's.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import replace
from uuid import UUID, uuid4

from services.extractor.adapters.breaker_states import next_state
from services.extractor.domain.protection import BreakerTerms, Circuit
from shared.database.pool import Connection, Pool, Row
from shared.database.statements import statement
from shared.errors import Retryable
from shared.observability.metrics import BREAKER_OPENED, BREAKER_STATE

DECLARE_BREAKER = statement(__file__, "declare_breaker")
LOOK_AT_BREAKER = statement(__file__, "look_at_breaker")
LOCK_BREAKER = statement(__file__, "lock_breaker")
MOVE_BREAKER = statement(__file__, "move_breaker")
TRIP_BREAKER = statement(__file__, "trip_breaker")
CLAIM_BREAKER_PROBE = statement(__file__, "claim_breaker_probe")
GIVE_UP_BREAKER_PROBE = statement(__file__, "give_up_breaker_probe")

log = logging.getLogger(__name__)

COPY_S_MAX = 1.0
WATCH_EVERY_S = 5.0
STATES = {"closed": 0, "half-open": 1, "open": 2}


class PostgresBreaker:
    def __init__(
        self,
        pool: Pool,
        name: str,
        terms: BreakerTerms,
        *,
        copy_s_max: float = COPY_S_MAX,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._pool = pool
        self._name = name
        self._terms = terms
        self._copy_s_max = copy_s_max
        self._monotonic = monotonic
        self._turn = asyncio.Lock()
        self._copy: Circuit | None = None
        self._copied_at = 0.0

    async def keep_watching(self, every_s: float = WATCH_EVERY_S) -> None:
        """Until cancelled. Who asks nothing for a while would go on telling an old state."""
        while True:
            try:
                await self.look_at_breaker()
            except Retryable as away:
                log.info("breaker_not_seen", extra={"error": str(away)})
            await asyncio.sleep(every_s)

    async def admit(self) -> Circuit:
        async with self._turn:
            circuit = await self._recent()
            if circuit.state == "closed" or circuit.due_in_s > 0:
                return circuit
            probe = uuid4()
            mine = await self._claim_breaker_probe(probe)
            circuit = await self.look_at_breaker()
        return replace(circuit, probe=probe) if mine else circuit

    async def note_answer(self, probe: UUID | None) -> None:
        async with self._turn:
            known = await self._recent()
        # Most often there is nothing to forgive, and nothing to tell the database.
        if probe is not None or known.failures > 0:
            await self._note(probe, None)

    async def note_failure(self, probe: UUID | None, reason: str) -> Circuit:
        return await self._note(probe, reason)

    async def trip_breaker(self, reason: str) -> Circuit:
        async with self._turn:
            await self._declare_breaker()
            await self._pool.execute(TRIP_BREAKER, self._name, reason, self._terms.quota_zone)
            BREAKER_OPENED.labels(self._name, reason).inc()
            return await self.look_at_breaker()

    async def give_up_breaker_probe(self, probe: UUID, due_in_s: float) -> None:
        async with self._turn:
            await self._pool.execute(GIVE_UP_BREAKER_PROBE, self._name, probe, due_in_s)
            await self.look_at_breaker()

    async def look_at_breaker(self) -> Circuit:
        row = await self._pool.fetchrow(LOOK_AT_BREAKER, self._name)
        circuit = Circuit() if row is None else Circuit(**row)
        self._copy, self._copied_at = circuit, self._monotonic()
        BREAKER_STATE.labels(self._name).set(STATES[circuit.state])
        return circuit

    async def _recent(self) -> Circuit:
        age_s = self._monotonic() - self._copied_at
        if self._copy is None or age_s >= self._copy_s_max:
            return await self.look_at_breaker()
        return replace(
            self._copy,
            due_in_s=max(self._copy.due_in_s - age_s, 0.0),
            patience_left_s=max(self._copy.patience_left_s - age_s, 0.0),
        )

    async def _note(self, probe: UUID | None, reason: str | None) -> Circuit:
        async with self._turn:
            await self._declare_breaker()
            async with self._pool.transaction() as connection:
                opened = await self._move_breaker(connection, probe, reason)
            if opened and reason is not None:
                BREAKER_OPENED.labels(self._name, reason).inc()
            return await self.look_at_breaker()

    async def _move_breaker(
        self, connection: Connection, probe: UUID | None, reason: str | None
    ) -> bool:
        row = await self._lock_breaker(connection)
        if row is None or row["probe"] != probe or row["state"] == "open":
            # It moved while the call was under way: only its probe decides about it now.
            return False
        moved, failures = next_state(
            row["state"],
            row["failures"],
            failed=reason is not None,
            threshold=self._terms.failure_threshold,
        )
        terms = self._terms
        await connection.execute(
            MOVE_BREAKER,
            self._name,
            moved,
            failures,
            reason,
            terms.recovery_timeout_s,
            terms.patience_s,
        )
        return moved == "open"

    async def _lock_breaker(self, connection: Connection) -> Row | None:
        return await connection.fetchrow(LOCK_BREAKER, self._name)

    async def _claim_breaker_probe(self, probe: UUID) -> bool:
        claimed = await self._pool.fetchval(
            CLAIM_BREAKER_PROBE, self._name, probe, self._terms.probe_lease_s
        )
        return claimed is not None

    async def _declare_breaker(self) -> None:
        await self._pool.execute(DECLARE_BREAKER, self._name)

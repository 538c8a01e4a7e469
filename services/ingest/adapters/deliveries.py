"""Deliveries on their way out, in PostgreSQL. One method per file in `sql/`.

A claim is a lease: a sender that dies gives its deliveries back by saying nothing, and one
that comes back too late finds that they are no longer its own.
"""

from collections.abc import Sequence
from uuid import UUID

from services.ingest.domain.webhooks import FAILURES_MIN, Answer, Claimed, Settlement
from shared.database.pool import Connection, Pool
from shared.database.statements import statement
from shared.observability.metrics import WEBHOOKS_DISABLED

LOCK_DUE_WEBHOOKS = statement(__file__, "lock_due_webhooks")
CLAIM_DELIVERIES = statement(__file__, "claim_deliveries")
SETTLE_DELIVERY = statement(__file__, "settle_delivery")
NOTE_SUCCESS = statement(__file__, "note_success")
NOTE_FAILURE = statement(__file__, "note_failure")
OLDEST_DUE = statement(__file__, "oldest_due")
PURGE_DELIVERIES = statement(__file__, "purge_deliveries")
PURGE_WEBHOOKS = statement(__file__, "purge_webhooks")

PURGED_AT_ONCE = 5_000


class PostgresDeliveries:
    """`at_once` deliveries to one endpoint, over all replicas; `failing_s` of nothing but
    failures disable it."""

    def __init__(self, pool: Pool, *, at_once: int, lease_s: float, failing_s: float) -> None:
        self._pool = pool
        self._at_once = at_once
        self._lease_s = lease_s
        self._failing_s = failing_s

    async def claim_deliveries(self, *, limit: int) -> list[Claimed]:
        async with self._pool.transaction() as connection:
            locked = await self._lock_due_webhooks(connection, limit)
            if not locked:
                return []
            asked = (locked, self._at_once, limit, self._lease_s)
            return [Claimed(**row) for row in await connection.fetch(CLAIM_DELIVERIES, *asked)]

    async def settle(self, claimed: Claimed, answer: Answer, settlement: Settlement) -> bool:
        async with self._pool.transaction() as connection:
            if not await self._settle_delivery(connection, claimed, answer, settlement):
                return False
            if settlement.outcome == "delivered":
                await self.note_success(connection, claimed.webhook_id)
                return True
            gone = settlement.outcome == "gone"
            reason = await self.note_failure(connection, claimed.webhook_id, gone=gone)
        if reason is not None:
            WEBHOOKS_DISABLED.labels(reason).inc()
        return True

    async def note_success(self, connection: Connection, webhook_id: UUID) -> None:
        await connection.execute(NOTE_SUCCESS, webhook_id)

    async def note_failure(
        self, connection: Connection, webhook_id: UUID, *, gone: bool
    ) -> str | None:
        """Why the endpoint was disabled, if this failure did it."""
        asked = (webhook_id, gone, self._failing_s, FAILURES_MIN)
        reason: str | None = await connection.fetchval(NOTE_FAILURE, *asked)
        return reason

    async def oldest_due(self) -> float:
        return float(await self._pool.fetchval(OLDEST_DUE, self._at_once))

    async def purge_deliveries(self, kept_s: float) -> int:
        purged = 0
        while True:
            gone = await self._pool.fetch(PURGE_DELIVERIES, kept_s, PURGED_AT_ONCE)
            purged += len(gone)
            if len(gone) < PURGED_AT_ONCE:
                await self.purge_webhooks()
                return purged

    async def purge_webhooks(self) -> None:
        await self._pool.execute(PURGE_WEBHOOKS)

    async def _lock_due_webhooks(self, connection: Connection, limit: int) -> Sequence[UUID]:
        rows = await connection.fetch(LOCK_DUE_WEBHOOKS, limit, self._at_once)
        return [row["webhook_id"] for row in rows]

    async def _settle_delivery(
        self, connection: Connection, claimed: Claimed, answer: Answer, settlement: Settlement
    ) -> bool:
        settled = await connection.fetchval(
            SETTLE_DELIVERY,
            claimed.delivery_id,
            claimed.lease_id,
            settlement.state,
            settlement.retry_in_s,
            answer.duration_s,
            answer.status_code,
            answer.error,
            answer.response,
        )
        return settled is not None

"""What is spent on a provider per day, in PostgreSQL: by all together, and by each owner."""

from datetime import date
from decimal import Decimal

from services.extractor.domain.protection import Ceilings, Reservation
from shared.database.pool import Pool, Row
from shared.database.statements import statement
from shared.observability.metrics import MODEL_SPENDING_TODAY

DECLARE_SPENDING = statement(__file__, "declare_spending")
RESERVE_SPENDING = statement(__file__, "reserve_spending")
SETTLE_SPENDING = statement(__file__, "settle_spending")
PURGE_SPENDING = statement(__file__, "purge_spending")

KEPT_DAYS = 400


class PostgresSpending:
    def __init__(self, pool: Pool, ceilings: Ceilings) -> None:
        self._pool = pool
        self._ceilings = ceilings
        self._day: date | None = None

    async def reserve_spending(self, owner_id: str, amount: Decimal) -> Reservation | None:
        rows = await self._set_aside(owner_id, amount)
        if not rows:
            await self._declare_spending(owner_id)
            rows = await self._set_aside(owner_id, amount)
        if not rows:
            return None
        together = next(row for row in rows if not row["payer"])
        if together["day"] != self._day:
            # Once a day is often enough, and needs nobody who keeps watch.
            self._day = together["day"]
            await self.purge_spending()
        MODEL_SPENDING_TODAY.set(float(together["used"]))
        return Reservation(together["day"], owner_id, amount)

    async def settle_spending(self, reservation: Reservation, cost: Decimal) -> None:
        await self._pool.execute(
            SETTLE_SPENDING, reservation.day, reservation.owner_id, reservation.amount, cost
        )

    async def purge_spending(self) -> int:
        """How many rows of days long past are forgotten."""
        return len(await self._pool.fetch(PURGE_SPENDING, KEPT_DAYS))

    async def _set_aside(self, owner_id: str, amount: Decimal) -> list[Row]:
        """No transaction around it: everybody waits for the row of all together, and it must
        not stay locked until a busy process comes to saying that it commits."""
        return await self._pool.fetch(
            RESERVE_SPENDING, owner_id, amount, self._ceilings.total, self._ceilings.owner
        )

    async def _declare_spending(self, owner_id: str) -> None:
        await self._pool.execute(DECLARE_SPENDING, owner_id)

"""What is spent on a provider per day, in PostgreSQL: by all together, and by each owner."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from services.extractor.domain.protection import Ceilings, Reservation
from shared.database.pool import Pool, Row
from shared.database.statements import statement
from shared.ending import to_its_end
from shared.errors import Retryable
from shared.ledger.together import Together, Turn
from shared.observability.metrics import CAPACITY_SHARE, LLM_SPENDING_TODAY

log = logging.getLogger(__name__)

DECLARE_SPENDING = statement(__file__, "declare_spending")
RESERVE_SPENDING = statement(__file__, "reserve_spending")
SETTLE_SPENDING = statement(__file__, "settle_spending")
PURGE_SPENDING = statement(__file__, "purge_spending")

KEPT_DAYS = 400
DAY_CEILING = "day_ceiling"
GIVE_BACK_TIMEOUT_S = 2.0


@dataclass(frozen=True, slots=True)
class _Wish:
    owner_id: str
    amount: Decimal


class PostgresSpending:
    """Everybody waits for the row of all together, so whoever asks at the same time is answered
    by the same statement: one after the other, a busy day would wait for the disk."""

    def __init__(self, pool: Pool, ceilings: Ceilings) -> None:
        self._pool = pool
        self._ceilings = ceilings
        self._day: date | None = None
        self._reserving: Together[_Wish, Reservation | None] = Together()
        self._settling: Together[tuple[Reservation, Decimal], None] = Together()

    async def reserve_spending(self, owner_id: str, amount: Decimal) -> Reservation | None:
        reserving = asyncio.get_running_loop().create_task(
            self._reserving(_Wish(owner_id, amount), self._reserve_all)
        )
        try:
            return await asyncio.shield(reserving)
        except asyncio.CancelledError:
            # It may have been set aside already, and nobody would ever say what it cost.
            await to_its_end(self._give_back(reserving), within_s=GIVE_BACK_TIMEOUT_S)
            raise

    async def settle_spending(self, reservation: Reservation, cost: Decimal) -> None:
        await self._settling((reservation, cost), self._settle_all)

    async def purge_spending(self) -> int:
        """How many rows of days long past are forgotten."""
        return len(await self._pool.fetch(PURGE_SPENDING, KEPT_DAYS))

    async def _give_back(self, reserving: asyncio.Task[Reservation | None]) -> None:
        try:
            async with asyncio.timeout(GIVE_BACK_TIMEOUT_S):
                reservation = await reserving
                if reservation is not None:
                    await self.settle_spending(reservation, Decimal(0))
        except (Retryable, TimeoutError) as error:
            # It stays set aside until the day is over.
            log.warning("spending_not_given_back", extra={"error": str(error)})

    async def _reserve_all(self, turn: Turn[_Wish]) -> Sequence[Reservation | None]:
        wishes = await turn.take()
        rows = await self._set_aside(wishes)
        if not rows:
            # It is a new day, or there is not room for all of them.
            await self._declare_spending(wishes)
            return [await self._reserve_one(one) for one in wishes]
        day = await self._noted(rows)
        return [Reservation(day, one.owner_id, one.amount) for one in wishes]

    async def _reserve_one(self, wish: _Wish) -> Reservation | None:
        rows = await self._set_aside([wish])
        if not rows:
            return None
        return Reservation(await self._noted(rows), wish.owner_id, wish.amount)

    async def _noted(self, rows: Sequence[Row]) -> date:
        together = next(row for row in rows if not row["payer"])
        day: date = together["day"]
        if day != self._day:
            # Once a day is often enough, and needs nobody who keeps watch.
            self._day = day
            await self.purge_spending()
        LLM_SPENDING_TODAY.set(float(together["used"]))
        if self._ceilings.total:
            CAPACITY_SHARE.labels(DAY_CEILING).set(together["used"] / self._ceilings.total)
        return day

    async def _set_aside(self, wishes: Sequence[_Wish]) -> list[Row]:
        """No transaction around it: everybody waits for the row of all together, and it must
        not stay locked until a busy process comes to saying that it commits."""
        return await self._pool.fetch(
            RESERVE_SPENDING,
            [one.owner_id for one in wishes],
            [one.amount for one in wishes],
            self._ceilings.total,
            self._ceilings.owner,
        )

    async def _settle_all(self, turn: Turn[tuple[Reservation, Decimal]]) -> Sequence[None]:
        settled = await turn.take()
        await self._pool.execute(
            SETTLE_SPENDING,
            [one.day for one, _ in settled],
            [one.owner_id for one, _ in settled],
            [one.amount for one, _ in settled],
            [cost for _, cost in settled],
        )
        return [None] * len(settled)

    async def _declare_spending(self, wishes: Sequence[_Wish]) -> None:
        await self._pool.execute(DECLARE_SPENDING, [one.owner_id for one in wishes])

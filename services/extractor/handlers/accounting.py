"""What a call of a provider costs: set aside before it, and settled however it ends.

Nobody knows whether a call that was cut off will be billed, so it counts as estimated: ceilings
err on the side of not being broken.
"""

import asyncio
import logging
from collections.abc import Sequence
from decimal import Decimal
from types import TracebackType
from typing import Self

from services.extractor.domain.protection import Reservation
from services.extractor.domain.providers import Away, Misconfigured, NoReading, Throttled
from services.extractor.domain.reading import Usage
from services.extractor.ports.protection import Spending
from shared.ending import to_its_end
from shared.errors import Deferred, Rejected, Retryable

log = logging.getLogger(__name__)

SETTLE_TIMEOUT_S = 2.0
# It refused to work, or was never asked.
UNBILLED = (Throttled, Misconfigured, Rejected, Deferred)


class Bill:
    """Implements `ports.Charge`. Settled when its block ends, also when that is cancelled."""

    def __init__(self, reservation: Reservation, spending: Spending) -> None:
        self._reservation = reservation
        self._spending = spending
        self._told: Decimal | None = None

    def tell(self, cost: Decimal) -> None:
        self._told = cost

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Also when we are cancelled meanwhile."""
        await to_its_end(self._settle(self._owed(error)), within_s=SETTLE_TIMEOUT_S)

    def _owed(self, error: BaseException | None) -> Decimal:
        if self._told is not None:
            return self._told
        if isinstance(error, NoReading) and error.usage:
            return total_of(error.usage)
        is_free = isinstance(error, UNBILLED)
        if isinstance(error, Away):
            is_free = not error.spend_unknown
        return Decimal(0) if is_free else self._reservation.amount

    async def _settle(self, cost: Decimal) -> None:
        try:
            async with asyncio.timeout(SETTLE_TIMEOUT_S):
                await self._spending.settle_spending(self._reservation, cost)
        except (Retryable, TimeoutError) as error:
            # What was set aside stays so, which is no less than what it cost.
            log.warning("spending_not_settled", extra={"error": str(error)})


def total_of(usage: Sequence[Usage]) -> Decimal:
    return sum((one.cost for one in usage), Decimal(0))

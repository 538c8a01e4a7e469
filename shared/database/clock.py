"""The one clock that every replica agrees on: the database's.

Hosts disagree by seconds, and a deadline must not depend on who looks at it. Asking for each
decision would cost a round trip, so the answer is carried on with the monotonic clock, which
drifts by less than a hair between two refreshes.
"""

import time
from datetime import datetime, timedelta

from shared.database.pool import Pool
from shared.database.statements import statement

NOW = statement(__file__, "now")


class DatabaseClock:
    """Implements `shared.clock.Clock`; refresh it once at start and then now and again."""

    def __init__(self) -> None:
        self._measured: tuple[datetime, float] | None = None

    async def refresh(self, pool: Pool) -> None:
        async with pool.acquire() as connection:
            asked_at = time.monotonic()
            moment: datetime = await connection.fetchval(NOW)
            answered_at = time.monotonic()
        # The server read its clock somewhere between; the middle halves the error.
        self._measured = moment, (asked_at + answered_at) / 2

    def now(self) -> datetime:
        if self._measured is None:
            raise RuntimeError("the database clock was read before its first refresh")
        moment, measured_at = self._measured
        return moment + timedelta(seconds=time.monotonic() - measured_at)

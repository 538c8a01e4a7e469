"""What contradicts a promise, in PostgreSQL. One method per file in `sql/`, of its name."""

from collections.abc import Sequence
from datetime import datetime

from services.monitor.domain.conservation import Offender, Period, Sums, Violation
from shared.audit import log
from shared.database.pool import Pool, Row
from shared.database.statements import statement

BEGAN_AT = statement(__file__, "began_at")
COUNT_ACCEPTED = statement(__file__, "count_accepted")
ENDED_UNACCEPTED = statement(__file__, "ended_unaccepted")
ENDED_DIFFERENTLY = statement(__file__, "ended_differently")
FORGOTTEN = statement(__file__, "forgotten")
FAILED_WITHOUT_LETTER = statement(__file__, "failed_without_letter")
UNREVIEWED = statement(__file__, "unreviewed")
REVIEWED_TWICE = statement(__file__, "reviewed_twice")
STORED_TWICE = statement(__file__, "stored_twice")
REPLAYED_TWICE = statement(__file__, "replayed_twice")
REPLAYING_WITHOUT_REPLAY = statement(__file__, "replaying_without_replay")


class PostgresConserved:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def began_at(self) -> datetime:
        began: datetime = await self._pool.fetchval(BEGAN_AT)
        return began

    async def count_accepted(self, period: Period) -> Sums:
        rows = await self._pool.fetch(COUNT_ACCEPTED, period.since, period.until)
        by_status = {row["status"]: row["documents"] for row in rows}
        return Sums(by_status, sum(row["accepted"] for row in rows))

    async def find_violations(self, period: Period, limit: int) -> Sequence[Violation]:
        checks = (
            *(self.ended_unaccepted, self.ended_differently, self.forgotten),
            *(self.failed_without_letter, self.unreviewed, self.reviewed_twice),
            *(self.stored_twice, self.replayed_twice, self.replaying_without_replay),
        )
        # One after the other: a proof may take its time, and must not take the pool.
        return [_violation(check.__name__, await check(period, limit)) for check in checks]

    async def verify_audit(self) -> str:
        broken = await log.verify(self._pool)
        return "intact" if broken is None else f"line {broken.seq}: {broken.why}"

    async def ended_unaccepted(self, period: Period, limit: int) -> list[Row]:
        return await self._pool.fetch(ENDED_UNACCEPTED, period.since, period.until, limit)

    async def ended_differently(self, period: Period, limit: int) -> list[Row]:
        return await self._pool.fetch(ENDED_DIFFERENTLY, period.since, period.until, limit)

    async def forgotten(self, period: Period, limit: int) -> list[Row]:
        return await self._pool.fetch(FORGOTTEN, period.since, period.until, limit)

    async def failed_without_letter(self, period: Period, limit: int) -> list[Row]:
        return await self._pool.fetch(FAILED_WITHOUT_LETTER, period.since, period.until, limit)

    async def unreviewed(self, period: Period, limit: int) -> list[Row]:
        return await self._pool.fetch(UNREVIEWED, period.since, period.until, limit)

    async def reviewed_twice(self, period: Period, limit: int) -> list[Row]:
        return await self._pool.fetch(REVIEWED_TWICE, period.since, period.until, limit)

    async def stored_twice(self, period: Period, limit: int) -> list[Row]:
        return await self._pool.fetch(STORED_TWICE, period.since, period.until, limit)

    async def replayed_twice(self, period: Period, limit: int) -> list[Row]:
        return await self._pool.fetch(REPLAYED_TWICE, period.since, period.until, limit)

    async def replaying_without_replay(self, period: Period, limit: int) -> list[Row]:
        return await self._pool.fetch(
            REPLAYING_WITHOUT_REPLAY, period.since, period.until, limit
        )


def _violation(invariant: str, rows: Sequence[Row]) -> Violation:
    offenders = tuple(Offender(row["subject"], row["detail"] or "") for row in rows)
    return Violation(invariant, rows[0]["total"] if rows else 0, offenders)

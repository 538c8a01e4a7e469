"""What contradicts a promise, in PostgreSQL. One method per file in `sql/`, of its name."""

from collections.abc import Sequence
from datetime import datetime

from services.monitor.domain.conservation import Offender, Period, Sums, Violation
from services.monitor.domain.processes import SILENT_S_MAX
from shared.audit import log
from shared.database.pool import Connection, Pool, Row
from shared.database.statements import statement
from shared.ledger.port import Unit

BEGAN_AT = statement(__file__, "began_at")
COUNT_ACCEPTED = statement(__file__, "count_accepted")
ENDED_UNACCEPTED = statement(__file__, "ended_unaccepted")
ENDED_DIFFERENTLY = statement(__file__, "ended_differently")
FORGOTTEN = statement(__file__, "forgotten")
LOST = statement(__file__, "lost")
FAILED_WITHOUT_LETTER = statement(__file__, "failed_without_letter")
UNREVIEWED = statement(__file__, "unreviewed")
REVIEWED_TWICE = statement(__file__, "reviewed_twice")
STORED_TWICE = statement(__file__, "stored_twice")
REPLAYED_TWICE = statement(__file__, "replayed_twice")
REPLAYING_WITHOUT_REPLAY = statement(__file__, "replaying_without_replay")
REPLAY_UNHEARD = statement(__file__, "replay_unheard")
URGENT_STOOD_BEHIND = statement(__file__, "urgent_stood_behind")
STARVED = statement(__file__, "starved")
PARKED = statement(__file__, "parked")

# A unit's own connection, where there is one: it must not stand idle while another works.
Over = Pool | Connection


class PostgresConserved:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def began_at(self) -> datetime:
        began: datetime = await self._pool.fetchval(BEGAN_AT)
        return began

    async def count_accepted(self, period: Period, *, unit: Unit | None = None) -> Sums:
        over = unit.connection if unit else self._pool
        rows = await over.fetch(COUNT_ACCEPTED, period.since, period.until)
        by_status = {row["status"]: row["documents"] for row in rows}
        return Sums(by_status, sum(row["accepted"] for row in rows))

    async def find_violations(
        self, period: Period, limit: int, *, unit: Unit | None = None
    ) -> Sequence[Violation]:
        over = unit.connection if unit else self._pool
        checks = (
            *(self.ended_unaccepted, self.ended_differently, self.forgotten, self.lost),
            *(self.failed_without_letter, self.unreviewed, self.reviewed_twice),
            *(self.stored_twice, self.replayed_twice, self.replaying_without_replay),
            *(self.replay_unheard, self.urgent_stood_behind, self.starved, self.parked),
        )
        # One after the other: a proof may take its time, and must not take the pool.
        return [
            _violation(check.__name__, await check(over, period, limit)) for check in checks
        ]

    async def verify_audit(self) -> str:
        broken = await log.verify(self._pool)
        return "intact" if broken is None else f"line {broken.seq}: {broken.why}"

    async def ended_unaccepted(self, over: Over, period: Period, limit: int) -> list[Row]:
        return await over.fetch(ENDED_UNACCEPTED, period.since, period.until, limit)

    async def ended_differently(self, over: Over, period: Period, limit: int) -> list[Row]:
        return await over.fetch(ENDED_DIFFERENTLY, period.since, period.until, limit)

    async def forgotten(self, over: Over, period: Period, limit: int) -> list[Row]:
        return await over.fetch(FORGOTTEN, period.since, period.until, limit)

    async def lost(self, over: Over, period: Period, limit: int) -> list[Row]:
        return await over.fetch(LOST, period.since, period.until, limit)

    async def failed_without_letter(self, over: Over, period: Period, limit: int) -> list[Row]:
        return await over.fetch(FAILED_WITHOUT_LETTER, period.since, period.until, limit)

    async def unreviewed(self, over: Over, period: Period, limit: int) -> list[Row]:
        return await over.fetch(UNREVIEWED, period.since, period.until, limit)

    async def reviewed_twice(self, over: Over, period: Period, limit: int) -> list[Row]:
        return await over.fetch(REVIEWED_TWICE, period.since, period.until, limit)

    async def stored_twice(self, over: Over, period: Period, limit: int) -> list[Row]:
        return await over.fetch(STORED_TWICE, period.since, period.until, limit)

    async def replayed_twice(self, over: Over, period: Period, limit: int) -> list[Row]:
        return await over.fetch(REPLAYED_TWICE, period.since, period.until, limit)

    async def replaying_without_replay(
        self, over: Over, period: Period, limit: int
    ) -> list[Row]:
        return await over.fetch(REPLAYING_WITHOUT_REPLAY, period.since, period.until, limit)

    async def replay_unheard(self, over: Over, period: Period, limit: int) -> list[Row]:
        return await over.fetch(REPLAY_UNHEARD, period.since, period.until, limit)

    async def urgent_stood_behind(self, over: Over, period: Period, limit: int) -> list[Row]:
        return await over.fetch(URGENT_STOOD_BEHIND, period.since, period.until, limit)

    async def starved(self, over: Over, period: Period, limit: int) -> list[Row]:
        return await over.fetch(STARVED, period.since, period.until, limit)

    async def parked(self, over: Over, period: Period, limit: int) -> list[Row]:
        # As it is now, whatever the period.
        return await over.fetch(PARKED, SILENT_S_MAX, limit)


def _violation(invariant: str, rows: Sequence[Row]) -> Violation:
    offenders = tuple(Offender(row["subject"], row["detail"] or "") for row in rows)
    return Violation(invariant, rows[0]["total"] if rows else 0, offenders)

"""Whose turn a duty is, and the numbers that duties are about, in PostgreSQL."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from services.monitor.domain.levels import Measured, Terms
from services.monitor.domain.snapshots import HOUR, Number
from services.monitor.ports.duties import Done
from shared.database.pool import Pool, Row
from shared.database.statements import statement
from shared.ledger.port import Unit

TRY_DUTY = statement(__file__, "try_duty")
FIND_DUTY = statement(__file__, "find_duty")
NOTE_DUTY = statement(__file__, "note_duty")
LIST_DUTIES = statement(__file__, "list_duties")
MEASURE_LEVELS = statement(__file__, "measure_levels")
COUNT_HOUR = statement(__file__, "count_hour")


class PostgresDuties:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def claim_duty(
        self, unit: Unit, name: str, every_s: float
    ) -> Mapping[str, Any] | None:
        if not await _try_duty(unit, name):
            return None
        # Only now: before the lock somebody else may just have been done with it.
        known = await _find_duty(unit, name, every_s)
        if known is None:
            return {}
        result: Mapping[str, Any] = known["result"]
        return result if known["is_due"] else None

    async def note_duty(self, unit: Unit, name: str, result: Mapping[str, Any]) -> None:
        await unit.connection.execute(NOTE_DUTY, name, dict(result))

    async def list_duties(self) -> list[Done]:
        return [Done(**row) for row in await self._pool.fetch(LIST_DUTIES)]


class PostgresNumbers:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def measure_levels(self, unit: Unit, terms: Terms) -> list[Measured]:
        rows = await unit.connection.fetch(
            MEASURE_LEVELS, [*terms.targets_s], [*terms.targets_s.values()], terms.window_s
        )
        return [Measured(**row) for row in rows]

    async def count_hour(self, hour: datetime) -> list[Number]:
        return [Number(**row) for row in await self._pool.fetch(COUNT_HOUR, hour, hour + HOUR)]


async def _try_duty(unit: Unit, name: str) -> bool:
    return bool(await unit.connection.fetchval(TRY_DUTY, name))


async def _find_duty(unit: Unit, name: str, every_s: float) -> Row | None:
    return await unit.connection.fetchrow(FIND_DUTY, name, every_s)

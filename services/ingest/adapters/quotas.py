"""How much each key has handed in today, in PostgreSQL and in the commit that accepts it."""

from shared.access.keys import Quota
from shared.database.pool import Pool
from shared.ledger.port import Unit
from shared.limits.days import Amount, Ceiling, Day, DayQuotas


class PostgresQuotas:
    def __init__(self, pool: Pool) -> None:
        self._days = DayQuotas(pool)

    async def find_use(self, key_id: str) -> Day:
        return await self._days.find_use(_name(key_id))

    async def count_use(
        self, unit: Unit, key_id: str, spent: Amount, quota: Quota
    ) -> tuple[bool, Day]:
        ceiling = Ceiling(quota.documents_per_day, quota.bytes_per_day)
        return await self._days.count_use(unit.connection, _name(key_id), spent, ceiling)

    async def purge(self) -> int:
        return await self._days.purge_use()


def _name(key_id: str) -> str:
    return f"key:{key_id}"

"""What keys have handed in today, in a dictionary; the day ends in an hour."""

from shared.access.keys import Quota
from shared.ledger.port import Unit
from shared.limits.days import Amount, Day

ENDS_IN_S = 3_600.0


class InMemoryQuotas:
    """Counts at once: that it is part of a commit, only a database can show."""

    def __init__(self) -> None:
        self.used: dict[str, Amount] = {}
        self.asked = 0

    async def find_use(self, key_id: str) -> Day:
        self.asked += 1
        return Day(self.used.get(key_id, Amount(0, 0)), ENDS_IN_S)

    async def count_use(
        self, _unit: Unit, key_id: str, spent: Amount, quota: Quota
    ) -> tuple[bool, Day]:
        self.asked += 1
        used = self.used.get(key_id, Amount(0, 0))
        after = Amount(used.documents + spent.documents, used.bytes + spent.bytes)
        fits = _within(after.documents, quota.documents_per_day) and _within(
            after.bytes, quota.bytes_per_day
        )
        if fits:
            self.used[key_id] = after
        return fits, Day(self.used.get(key_id, used), ENDS_IN_S)


def _within(amount: int, limit: int | None) -> bool:
    return limit is None or amount <= limit

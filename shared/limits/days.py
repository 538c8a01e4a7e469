"""What is used of a day's quota, the same for all replicas: counted where it is given.

A count is part of the transaction that hands out what it counts: rolled back with it there is
nothing to give back, and committed it was given once. A day is one in UTC, by the clock of
the database.
"""

from dataclasses import dataclass

from shared.database.pool import Connection, Pool, Row
from shared.database.statements import statement

COUNT_USE = statement(__file__, "count_use")
FIND_USE = statement(__file__, "find_use")
PURGE_USE = statement(__file__, "purge_use")

KEPT_DAYS = 7


@dataclass(frozen=True, slots=True)
class Amount:
    documents: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Ceiling:
    """None is no limit."""

    documents: int | None
    bytes: int | None


@dataclass(frozen=True, slots=True)
class Day:
    """What is used of it by now, and in how many seconds it ends."""

    used: Amount
    ends_in_s: float


class DayQuotas:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def find_use(self, name: str) -> Day:
        return _day(await self._pool.fetchrow(FIND_USE, name))

    async def count_use(
        self, connection: Connection, name: str, spent: Amount, ceiling: Ceiling
    ) -> tuple[bool, Day]:
        """All of it or, where it would be too much, nothing; and the day as it is then.

        Late in a transaction: others of this name wait here until it ends.
        """
        amounts = (spent.documents, spent.bytes, ceiling.documents, ceiling.bytes)
        row = await connection.fetchrow(COUNT_USE, name, *amounts)
        if row is not None:
            return True, _day(row)
        return False, _day(await connection.fetchrow(FIND_USE, name))

    async def purge_use(self) -> int:
        """How many rows of days long past are forgotten."""
        return len(await self._pool.fetch(PURGE_USE, KEPT_DAYS))


def _day(row: Row | None) -> Day:
    if row is None:
        raise RuntimeError("the use of a day is always one row")
    return Day(Amount(row["documents"], row["bytes"]), row["ends_in_s"])

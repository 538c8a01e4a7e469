"""Who reviews, in PostgreSQL. One method per file in `sql/`, under the same name."""

from collections.abc import Sequence
from uuid import UUID

from services.review.domain.claims import Reviewer
from shared.database.pool import Pool, Row
from shared.database.statements import statement
from shared.ledger.port import Unit

TOUCH_REVIEWER = statement(__file__, "touch_reviewer")
KEEP_REVIEWER = statement(__file__, "keep_reviewer")
FIND_REVIEWER = statement(__file__, "find_reviewer")
LIST_REVIEWERS = statement(__file__, "list_reviewers")
LOCK_ASSIGNMENT = statement(__file__, "lock_assignment")
LIST_ASSIGNABLE = statement(__file__, "list_assignable")
ASSIGN_OPENED = statement(__file__, "assign_opened")
NOTE_ASSIGNED = statement(__file__, "note_assigned")
RETURN_ITEMS = statement(__file__, "return_items")


class PostgresReviewers:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def touch_reviewer(self, unit: Unit, name: str) -> Reviewer:
        return _reviewer(await unit.connection.fetchrow(TOUCH_REVIEWER, name))

    async def keep_reviewer(
        self, unit: Unit, name: str, *, active: bool | None = None, level: int | None = None
    ) -> Reviewer:
        row = await unit.connection.fetchrow(KEEP_REVIEWER, name, active, level)
        return _reviewer(row)

    async def find_reviewer(self, unit: Unit, name: str) -> Reviewer | None:
        row = await unit.connection.fetchrow(FIND_REVIEWER, name)
        return _reviewer(row) if row else None

    async def list_reviewers(self) -> list[Reviewer]:
        return [_reviewer(row) for row in await self._pool.fetch(LIST_REVIEWERS)]

    async def lock_assignment(self, unit: Unit) -> None:
        await unit.connection.execute(LOCK_ASSIGNMENT)

    async def list_assignable(
        self, unit: Unit, *, level: int, seen_within_s: float
    ) -> list[Reviewer]:
        rows = await unit.connection.fetch(LIST_ASSIGNABLE, level, seen_within_s)
        return [_reviewer(row) for row in rows]

    async def assign_opened(self, unit: Unit, chosen: Sequence[tuple[UUID, str]]) -> None:
        documents, names = [one for one, _ in chosen], [name for _, name in chosen]
        await unit.connection.execute(ASSIGN_OPENED, documents, names)
        await self.note_assigned(unit, names)

    async def note_assigned(self, unit: Unit, names: Sequence[str]) -> None:
        # The last time counts of those who were given several.
        latest = list(dict.fromkeys(reversed(names)))[::-1]
        await unit.connection.execute(NOTE_ASSIGNED, latest)

    async def return_items(self, unit: Unit, reviewer: str) -> list[UUID]:
        rows = await unit.connection.fetch(RETURN_ITEMS, reviewer)
        return [row["document_id"] for row in rows]


def _reviewer(row: Row) -> Reviewer:
    return Reviewer(**row)

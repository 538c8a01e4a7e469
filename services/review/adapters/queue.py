"""The order of the items and whose they are, in PostgreSQL. One method per file in `sql/`."""

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

from services.review.adapters.item_rows import asked, item_or_none, known_item
from services.review.domain.claims import Claimant, Postponement, Woken
from services.review.domain.items import ReviewItem
from services.review.domain.listing import OPEN_ITEMS, RankedPlace, RankPlace, Wanted
from services.review.domain.ranking import Plan
from shared.database.pool import Pool
from shared.database.statements import statement
from shared.ledger.port import Unit

WAKE_ITEMS = statement(__file__, "wake_items")
FIND_NEXT_ITEM = statement(__file__, "find_next_item")
EXTEND_CLAIM = statement(__file__, "extend_claim")
TAKE_OVER_ITEM = statement(__file__, "take_over_item")
ASSIGN_ITEM = statement(__file__, "assign_item")
POSTPONE_ITEM = statement(__file__, "postpone_item")
ESCALATE_ITEM = statement(__file__, "escalate_item")
FLAG_OVERDUE = statement(__file__, "flag_overdue")
RERANK_ITEMS = statement(__file__, "rerank_items")
TRY_TURN = statement(__file__, "try_turn")
LIST_RANKED = statement(__file__, "list_ranked")

# Before every item, whatever it goes by.
START = RankPlace(float("inf"), datetime(1970, 1, 1, tzinfo=UTC), UUID(int=0))


class PostgresQueue:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def wake_items(self, unit: Unit, limit: int) -> list[Woken]:
        rows = await unit.connection.fetch(WAKE_ITEMS, limit)
        return [Woken(known_item(row), row["was_held_by"]) for row in rows]

    async def find_next_item(
        self, claimant: Claimant, *, after: UUID | None
    ) -> ReviewItem | None:
        row = await self._pool.fetchrow(
            FIND_NEXT_ITEM, claimant.name, claimant.level, after, claimant.two_from
        )
        return item_or_none(row)

    async def extend_claim(
        self, unit: Unit, *, document_id: UUID, reviewer: str, lease_s: float
    ) -> ReviewItem | None:
        row = await unit.connection.fetchrow(EXTEND_CLAIM, document_id, reviewer, lease_s)
        return item_or_none(row)

    async def take_over_item(
        self, unit: Unit, *, document_id: UUID, reviewer: str, lease_s: float
    ) -> ReviewItem | None:
        row = await unit.connection.fetchrow(TAKE_OVER_ITEM, document_id, reviewer, lease_s)
        return item_or_none(row)

    async def assign_item(
        self, unit: Unit, *, document_id: UUID, reviewer: str | None
    ) -> ReviewItem | None:
        return item_or_none(await unit.connection.fetchrow(ASSIGN_ITEM, document_id, reviewer))

    async def postpone_item(
        self, unit: Unit, postponement: Postponement, reviewer: str
    ) -> ReviewItem | None:
        row = await unit.connection.fetchrow(
            POSTPONE_ITEM, postponement.document_id, reviewer, postponement.until
        )
        return item_or_none(row)

    async def escalate_item(
        self, unit: Unit, *, document_id: UUID, reviewer: str, level: int
    ) -> ReviewItem | None:
        row = await unit.connection.fetchrow(ESCALATE_ITEM, document_id, reviewer, level)
        return item_or_none(row)

    async def flag_overdue(self, unit: Unit, limit: int) -> list[ReviewItem]:
        return [known_item(row) for row in await unit.connection.fetch(FLAG_OVERDUE, limit)]

    async def rerank_items(self, unit: Unit, plan: Plan, limit: int) -> int:
        weights = plan.weights
        rows = await unit.connection.fetch(
            RERANK_ITEMS,
            *(float(one) for one in (weights.doubt, weights.complexity, weights.value)),
            plan.sla_rate,
            limit,
        )
        return len(rows)

    async def try_turn(self, unit: Unit, name: str) -> bool:
        return await unit.connection.fetchval(TRY_TURN, name) is True

    async def list_ranked(
        self, wanted: Wanted, after: RankedPlace, limit: int
    ) -> list[ReviewItem]:
        if wanted.status == OPEN_ITEMS:
            # All that have a rank are.
            wanted = replace(wanted, status=None)
        rows = await self._pool.fetch(
            LIST_RANKED,
            after.as_of,
            *_place(after.timely),
            *_place(after.late),
            *asked(wanted),
            limit,
        )
        return [known_item(row) for row in rows]


def _place(place: RankPlace | None) -> tuple[object, ...]:
    known = place or START
    return known.points, known.opened_at, known.document_id

"""Review items in PostgreSQL. One method per file in `sql/`, under the same name."""

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

from services.review.adapters.item_rows import (
    asked,
    field_columns,
    item_or_none,
    known_item,
    new_row,
)
from services.review.domain.claims import Claimant
from services.review.domain.items import Decision, ItemField, NewItem, Place, ReviewItem
from services.review.domain.listing import Wanted
from shared.database.pool import Pool
from shared.database.statements import statement
from shared.ledger.port import Unit

OPEN_ITEMS = statement(__file__, "open_items")
LOCK_ITEMS = statement(__file__, "lock_items")
SHOW_ANEW = statement(__file__, "show_anew")
ERASE_FIELDS = statement(__file__, "erase_fields")
KEEP_FIELDS = statement(__file__, "keep_fields")
CLAIM_NEXT_ITEM = statement(__file__, "claim_next_item")
CLAIM_ITEM = statement(__file__, "claim_item")
RELEASE_ITEM = statement(__file__, "release_item")
DECIDE_ITEM = statement(__file__, "decide_item")
FIND_ITEM = statement(__file__, "find_item")
LIST_FIELDS = statement(__file__, "list_fields")
LIST_ALL_ITEMS = statement(__file__, "list_all_items")
LIST_ITEMS_IN = statement(__file__, "list_items_in")
SEARCH_ITEMS = statement(__file__, "search_items")

# Before every item.
START = Place(datetime(1970, 1, 1, tzinfo=UTC), UUID(int=0))


class PostgresReviewItems:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def open_items(self, unit: Unit, items: Sequence[NewItem]) -> set[UUID]:
        rows = await unit.connection.fetch(OPEN_ITEMS, [new_row(item) for item in items])
        return {row["document_id"] for row in rows}

    async def lock_items(self, unit: Unit, document_ids: Sequence[UUID]) -> list[ReviewItem]:
        rows = await unit.connection.fetch(LOCK_ITEMS, list(document_ids))
        return [known_item(row) for row in rows]

    async def show_anew(self, unit: Unit, items: Sequence[NewItem]) -> None:
        await unit.connection.execute(SHOW_ANEW, [new_row(item) for item in items])
        await self.erase_fields(unit, [item.document_id for item in items])

    async def erase_fields(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        await unit.connection.execute(ERASE_FIELDS, list(document_ids))

    async def keep_fields(self, unit: Unit, fields: Sequence[ItemField]) -> None:
        if fields:
            await unit.connection.execute(KEEP_FIELDS, *field_columns(fields))

    async def claim_next_item(
        self, unit: Unit, *, claimant: Claimant, lease_s: float
    ) -> ReviewItem | None:
        row = await unit.connection.fetchrow(
            CLAIM_NEXT_ITEM, claimant.name, claimant.level, lease_s, claimant.two_from
        )
        return item_or_none(row)

    async def claim_item(
        self, unit: Unit, *, document_id: UUID, claimant: Claimant, lease_s: float
    ) -> ReviewItem | None:
        row = await unit.connection.fetchrow(
            CLAIM_ITEM, document_id, claimant.name, claimant.level, claimant.lead, lease_s
        )
        return item_or_none(row)

    async def release_item(
        self, unit: Unit, *, document_id: UUID, reviewer: str
    ) -> ReviewItem | None:
        return item_or_none(await unit.connection.fetchrow(RELEASE_ITEM, document_id, reviewer))

    async def decide_item(self, unit: Unit, decision: Decision) -> ReviewItem | None:
        row = await unit.connection.fetchrow(
            DECIDE_ITEM,
            decision.document_id,
            decision.version,
            decision.reviewer,
            decision.verdict,
            decision.reviewed_key,
            decision.reason_code,
            decision.reason,
            decision.duplicate_of,
            decision.lead,
        )
        return item_or_none(row)

    async def find_item(self, document_id: UUID) -> ReviewItem | None:
        return item_or_none(await self._pool.fetchrow(FIND_ITEM, document_id))

    async def list_fields(self, document_id: UUID, unit: Unit | None = None) -> list[ItemField]:
        asked = self._pool if unit is None else unit.connection
        rows = await asked.fetch(LIST_FIELDS, document_id)
        return [ItemField(**row) for row in rows]

    async def list_items(
        self, *, wanted: Wanted, after: Place | None, limit: int
    ) -> list[ReviewItem]:
        place = after or START
        if not wanted.is_plain:
            return await self.search_items(wanted, place, limit)
        if wanted.status is None:
            return await self.list_all_items(place, limit)
        return await self.list_items_in(wanted.status, place, limit)

    async def list_all_items(self, place: Place, limit: int) -> list[ReviewItem]:
        rows = await self._pool.fetch(LIST_ALL_ITEMS, place.opened_at, place.document_id, limit)
        return [known_item(row) for row in rows]

    async def list_items_in(self, status: str, place: Place, limit: int) -> list[ReviewItem]:
        rows = await self._pool.fetch(
            LIST_ITEMS_IN, status, place.opened_at, place.document_id, limit
        )
        return [known_item(row) for row in rows]

    async def search_items(self, wanted: Wanted, place: Place, limit: int) -> list[ReviewItem]:
        rows = await self._pool.fetch(
            SEARCH_ITEMS, place.opened_at, place.document_id, *asked(wanted), limit
        )
        return [known_item(row) for row in rows]

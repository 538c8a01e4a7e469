"""Review items in PostgreSQL. One method per file in `sql/`, under the same name."""

from collections.abc import Sequence
from dataclasses import fields
from datetime import UTC, datetime
from uuid import UUID

from services.review.domain import (
    Decision,
    ItemField,
    ItemStatus,
    NewItem,
    Place,
    ReviewItem,
)
from shared.contracts.body import Priority
from shared.database.pool import Pool, Row
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
MEASURE_QUEUE = statement(__file__, "measure_queue")

# Before every item.
START = Place(datetime(1970, 1, 1, tzinfo=UTC), UUID(int=0))


class PostgresReviewItems:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def open_items(self, unit: Unit, items: Sequence[NewItem]) -> set[UUID]:
        rows = await unit.connection.fetch(OPEN_ITEMS, [_new_row(item) for item in items])
        return {row["document_id"] for row in rows}

    async def lock_items(self, unit: Unit, document_ids: Sequence[UUID]) -> list[ReviewItem]:
        rows = await unit.connection.fetch(LOCK_ITEMS, list(document_ids))
        return [_known(row) for row in rows]

    async def show_anew(self, unit: Unit, items: Sequence[NewItem]) -> None:
        await unit.connection.execute(SHOW_ANEW, [_new_row(item) for item in items])
        await self.erase_fields(unit, [item.document_id for item in items])

    async def erase_fields(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        await unit.connection.execute(ERASE_FIELDS, list(document_ids))

    async def keep_fields(self, unit: Unit, fields: Sequence[ItemField]) -> None:
        await unit.connection.execute(KEEP_FIELDS, [_field_row(field) for field in fields])

    async def claim_next_item(
        self, unit: Unit, *, reviewer: str, lease_s: float
    ) -> ReviewItem | None:
        return _item(await unit.connection.fetchrow(CLAIM_NEXT_ITEM, reviewer, lease_s))

    async def claim_item(
        self, unit: Unit, *, document_id: UUID, reviewer: str, lease_s: float
    ) -> ReviewItem | None:
        return _item(await unit.connection.fetchrow(CLAIM_ITEM, document_id, reviewer, lease_s))

    async def release_item(
        self, unit: Unit, *, document_id: UUID, reviewer: str
    ) -> ReviewItem | None:
        return _item(await unit.connection.fetchrow(RELEASE_ITEM, document_id, reviewer))

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
        )
        return _item(row)

    async def find_item(self, document_id: UUID) -> ReviewItem | None:
        return _item(await self._pool.fetchrow(FIND_ITEM, document_id))

    async def list_fields(self, document_id: UUID) -> list[ItemField]:
        rows = await self._pool.fetch(LIST_FIELDS, document_id)
        return [ItemField(**row) for row in rows]

    async def list_items(
        self, *, status: ItemStatus | None, after: Place | None, limit: int
    ) -> list[ReviewItem]:
        place = after or START
        if status is None:
            return await self.list_all_items(place, limit)
        return await self.list_items_in(status, place, limit)

    async def list_all_items(self, place: Place, limit: int) -> list[ReviewItem]:
        rows = await self._pool.fetch(LIST_ALL_ITEMS, place.opened_at, place.document_id, limit)
        return [_known(row) for row in rows]

    async def list_items_in(
        self, status: ItemStatus, place: Place, limit: int
    ) -> list[ReviewItem]:
        rows = await self._pool.fetch(
            LIST_ITEMS_IN, status, place.opened_at, place.document_id, limit
        )
        return [_known(row) for row in rows]

    async def measure_queue(self) -> tuple[int, float]:
        """How many items are open, and the age of the oldest in seconds."""
        row = await self._pool.fetchrow(MEASURE_QUEUE)
        return (row["open_items"], row["oldest_age_s"]) if row else (0, 0.0)


_COLUMNS = tuple(field.name for field in fields(ReviewItem))


def _item(row: Row | None) -> ReviewItem | None:
    return _known(row) if row else None


def _known(row: Row) -> ReviewItem:
    # By name, so that a column added for a newer version does not stop an older process.
    values = {name: row[name] for name in _COLUMNS}
    values["priority"] = Priority(values["priority"])
    values["status"] = ItemStatus(values["status"])
    return ReviewItem(**values)


def _new_row(item: NewItem) -> dict[str, object]:
    row: dict[str, object] = {field.name: getattr(item, field.name) for field in fields(item)}
    row["document_id"] = str(item.document_id)
    row["job_id"] = str(item.job_id)
    row["accepted_at"] = item.accepted_at.isoformat()
    row["priority"] = int(item.priority)
    return _storable(row)


def _field_row(field: ItemField) -> dict[str, object]:
    row: dict[str, object] = {one.name: getattr(field, one.name) for one in fields(field)}
    row["document_id"] = str(field.document_id)
    return _storable(row)


def _storable(row: dict[str, object]) -> dict[str, object]:
    # PostgreSQL's text knows no NUL, and a PDF's text layer may well hold one.
    return {name: _without_nul(value) for name, value in row.items()}


def _without_nul(value: object) -> object:
    match value:
        case str():
            return value.replace("\0", "\ufffd")
        case list():
            return [_without_nul(one) for one in value]
        case dict():
            return {name: _without_nul(one) for name, one in value.items()}
        case _:
            return value

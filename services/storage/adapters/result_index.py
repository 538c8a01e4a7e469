"""What exports look through, in PostgreSQL. One method per file in `sql/`, same name."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from services.storage.domain.exports import Order, Place, Wanted
from services.storage.domain.listed import Current, Listed, Unfilled, Values, Version
from shared.database.pool import Pool
from shared.database.statements import statement
from shared.ledger.port import Unit

INDEX_RESULTS = statement(__file__, "index_results")
INDEX_MISSING = statement(__file__, "index_missing")
LOCK_UNFILLED = statement(__file__, "lock_unfilled")
FILL_RESULTS = statement(__file__, "fill_results")
ERASE_LISTED = statement(__file__, "erase_listed")
COUNT_UNFILLED = statement(__file__, "count_unfilled")
COUNT_CURRENT = statement(__file__, "count_current")
LIST_CURRENT = statement(__file__, "list_current")
LIST_CURRENT_OF = statement(__file__, "list_current_of")
FIND_RESULT = statement(__file__, "find_result")
LIST_VERSIONS = statement(__file__, "list_versions")

# Before every document.
START = Place(datetime(1970, 1, 1, tzinfo=UTC), UUID(int=0))


class PostgresResultIndex:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def index_results(self, unit: Unit, entries: Sequence[Listed]) -> None:
        if entries:
            # In one order, so that two replicas with the same documents cannot dead-lock.
            ordered = sorted(entries, key=lambda one: one.document_id)
            await unit.connection.execute(INDEX_RESULTS, *_columns(ordered))

    async def index_missing(self, unit: Unit, limit: int) -> int:
        return len(await unit.connection.fetch(INDEX_MISSING, limit))

    async def lock_unfilled(self, unit: Unit, limit: int) -> list[Unfilled]:
        return [Unfilled(**row) for row in await unit.connection.fetch(LOCK_UNFILLED, limit)]

    async def fill_results(self, unit: Unit, values: Mapping[UUID, Values]) -> None:
        documents = sorted(values)
        columns = _values([values[one] for one in documents])
        await unit.connection.execute(FILL_RESULTS, documents, *columns)

    async def erase_listed(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        await unit.connection.execute(ERASE_LISTED, list(document_ids))

    async def count_unfilled(self, owner_id: str | None) -> int:
        return int(await self._pool.fetchval(COUNT_UNFILLED, owner_id))

    async def count_current(self, order: Order) -> int:
        found = await self._pool.fetchval(COUNT_CURRENT, order.of_owner, *_filter(order.wanted))
        return int(found)

    async def list_current(
        self, order: Order, after: Place | None, limit: int
    ) -> list[Current]:
        if order.of_owner is not None:
            return await self.list_current_of(order.of_owner, order.wanted, after, limit)
        place = after or START
        rows = await self._pool.fetch(
            LIST_CURRENT, place.accepted_at, place.document_id, limit, *_filter(order.wanted)
        )
        return [Current(**row) for row in rows]

    async def list_current_of(
        self, owner_id: str, wanted: Wanted, after: Place | None, limit: int
    ) -> list[Current]:
        place = after or START
        known = (place.accepted_at, place.document_id, limit, *_filter(wanted))
        rows = await self._pool.fetch(LIST_CURRENT_OF, *known, owner_id)
        return [Current(**row) for row in rows]

    async def find_result(self, document_id: UUID, owner_id: str | None) -> Version | None:
        row = await self._pool.fetchrow(FIND_RESULT, document_id, owner_id)
        return Version(**row) if row else None

    async def list_versions(self, document_id: UUID, owner_id: str | None) -> list[Version]:
        rows = await self._pool.fetch(LIST_VERSIONS, document_id, owner_id)
        return [Version(**row) for row in rows]


def _columns(entries: Sequence[Listed]) -> list[list[Any]]:
    return [
        [one.document_id for one in entries],
        [one.version for one in entries],
        [one.owner_id for one in entries],
        [one.accepted_at for one in entries],
        [one.result_key for one in entries],
        [one.verdict for one in entries],
        *_values([one.values for one in entries]),
    ]


def _values(values: Sequence[Values]) -> list[list[Any]]:
    return [
        [one.engine for one in values],
        [one.confidence for one in values],
        [one.vendor_name for one in values],
        [one.invoice_number for one in values],
        [one.issue_date for one in values],
        [one.currency for one in values],
    ]


def _filter(wanted: Wanted) -> tuple[object, ...]:
    """In the order of the statements, which number them alike."""
    return (
        wanted.accepted_after,
        wanted.accepted_before,
        wanted.issued_after,
        wanted.issued_before,
        wanted.vendor_pattern,
        wanted.number_pattern,
        wanted.currency,
        wanted.verdict,
        wanted.confidence_min,
        wanted.changed_after,
    )

"""Batches in PostgreSQL. One method per file in `sql/`, under the same name."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any
from uuid import UUID

from services.ingest.adapters.documents import position_of
from services.ingest.domain.batches import Batch, Member, NewBatch, standing_of
from services.ingest.domain.documents import Event, NewDocument, Scan
from services.ingest.ports import Page
from shared.contracts.facts import BatchCompletedV1
from shared.database.pool import Pool
from shared.database.statements import statement
from shared.ledger.port import Unit

FIND_SCANS = statement(__file__, "find_scans")
INSERT_BATCH = statement(__file__, "insert_batch")
LOCK_BATCHES = statement(__file__, "lock_batches")
ADVANCE_BATCHES = statement(__file__, "advance_batches")
FIND_STALLED = statement(__file__, "find_stalled")
LOCK_STALLED = statement(__file__, "lock_stalled")
FIND_BATCH = statement(__file__, "find_batch")
LIST_BATCHES = statement(__file__, "list_batches")
LIST_BATCHES_OF_OWNER = statement(__file__, "list_batches_of_owner")
LIST_MEMBERS = statement(__file__, "list_members")
LIST_OPEN_MEMBERS = statement(__file__, "list_open_members")
LIST_NEW_STANDINGS = statement(__file__, "list_new_standings")
DELETE_BATCH = statement(__file__, "delete_batch")


class PostgresBatches:
    def __init__(self, pool: Pool, *, at_once: int) -> None:
        self._pool = pool
        self._at_once = at_once

    @property
    def at_once(self) -> int:
        return self._at_once

    async def find_scans(self, owner_id: str, content_keys: Sequence[str]) -> dict[str, Scan]:
        rows = await self._pool.fetch(FIND_SCANS, owner_id, list(content_keys))
        return {row["content_key"]: Scan(**row) for row in rows}

    async def insert_batch(
        self,
        unit: Unit,
        batch: NewBatch,
        members: Sequence[tuple[int, NewDocument]],
    ) -> None:
        await unit.connection.execute(
            INSERT_BATCH,
            batch.batch_id,
            batch.owner_id,
            batch.created_at,
            json.dumps([asdict(one) for one in batch.refused]),
            [document.document_id for _, document in members],
            [position for position, _ in members],
        )

    async def advance_batches(
        self, unit: Unit, moved: Sequence[UUID]
    ) -> list[BatchCompletedV1]:
        return await self._advance(unit, await self._lock_batches(unit, moved))

    async def find_stalled(self, *, limit: int) -> list[UUID]:
        rows = await self._pool.fetch(FIND_STALLED, self._at_once, limit)
        return [row["batch_id"] for row in rows]

    async def advance_stalled(
        self, unit: Unit, batch_ids: Sequence[UUID]
    ) -> list[BatchCompletedV1]:
        return await self._advance(unit, await self._lock_stalled(unit, batch_ids))

    async def find_batch(self, batch_id: UUID, *, owner_id: str | None) -> Batch | None:
        row = await self._pool.fetchrow(FIND_BATCH, batch_id, owner_id)
        return None if row is None else Batch(*row)

    async def list_batches(self, page: Page) -> list[Batch]:
        if page.owner_id is not None:
            return await self.list_batches_of_owner(page)
        rows = await self._pool.fetch(LIST_BATCHES, *position_of(page))
        return [Batch(*row) for row in rows]

    async def list_batches_of_owner(self, page: Page) -> list[Batch]:
        rows = await self._pool.fetch(LIST_BATCHES_OF_OWNER, *position_of(page), page.owner_id)
        return [Batch(*row) for row in rows]

    async def list_members(
        self, batch_id: UUID, *, after: int = -1, limit: int | None = None
    ) -> list[Member]:
        rows = await self._pool.fetch(LIST_MEMBERS, batch_id, after, limit)
        return [Member(*row) for row in rows]

    async def list_open_members(self, batch_id: UUID, *, limit: int) -> list[UUID]:
        rows = await self._pool.fetch(LIST_OPEN_MEMBERS, batch_id, limit)
        return [row["document_id"] for row in rows]

    async def delete_batch(self, unit: Unit, batch_id: UUID) -> bool:
        return await unit.connection.fetchval(DELETE_BATCH, batch_id) is not None

    async def _advance(self, unit: Unit, locked: Sequence[UUID]) -> list[BatchCompletedV1]:
        if not locked:
            return []
        rows = await unit.connection.fetch(ADVANCE_BATCHES, list(locked), self._at_once)
        return [BatchCompletedV1.model_validate(dict(row)) for row in rows]

    async def _lock_batches(self, unit: Unit, moved: Sequence[UUID]) -> list[UUID]:
        rows = await unit.connection.fetch(LOCK_BATCHES, list(moved))
        return [row["batch_id"] for row in rows]

    async def _lock_stalled(self, unit: Unit, batch_ids: Sequence[UUID]) -> list[UUID]:
        rows = await unit.connection.fetch(LOCK_STALLED, list(batch_ids))
        return [row["batch_id"] for row in rows]


class PostgresStandings:
    """The batches as timelines: what happened is how far they are, numbered by version."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def list_new_events(
        self, after: Mapping[UUID, int], *, limit: int
    ) -> list[tuple[UUID, Event]]:
        rows = await self.list_new_standings(after)
        return [(row["batch_id"], standing_of(Batch(*row[:-1]), row["at"])) for row in rows]

    async def list_new_standings(self, after: Mapping[UUID, int]) -> list[Any]:
        return await self._pool.fetch(LIST_NEW_STANDINGS, [*after], [*after.values()])

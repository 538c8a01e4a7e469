"""Batches in PostgreSQL. One method per file in `sql/`, under the same name."""

import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from services.ingest.domain.batches import Batch, Member
from services.ingest.domain.documents import NewDocument, Scan
from shared.contracts.facts import BatchCompletedV1
from shared.database.pool import Pool
from shared.database.statements import statement
from shared.ledger.port import Unit

FIND_SCANS = statement(__file__, "find_scans")
INSERT_BATCH = statement(__file__, "insert_batch")
LOCK_BATCHES = statement(__file__, "lock_batches")
ADVANCE_BATCHES = statement(__file__, "advance_batches")
FIND_BATCH = statement(__file__, "find_batch")
FIND_BATCH_OF = statement(__file__, "find_batch_of")
LIST_MEMBERS = statement(__file__, "list_members")


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
        batch: Batch,
        members: Sequence[tuple[int, NewDocument]],
    ) -> None:
        await unit.connection.execute(
            INSERT_BATCH,
            batch.batch_id,
            batch.owner_id,
            batch.created_at,
            json.dumps(batch.rejected),
            [document.document_id for _, document in members],
            [position for position, _ in members],
        )

    async def advance_batches(
        self, unit: Unit, ended: Sequence[UUID]
    ) -> list[BatchCompletedV1]:
        locked = await self._lock_batches(unit, ended)
        if not locked:
            return []
        rows = await unit.connection.fetch(ADVANCE_BATCHES, locked, self._at_once)
        return [BatchCompletedV1.model_validate(dict(row)) for row in rows]

    async def find_batch(self, batch_id: UUID, *, owner_id: str | None) -> Batch | None:
        return _batch(await self._pool.fetchrow(FIND_BATCH, batch_id, owner_id))

    async def find_batch_of(self, unit: Unit, document_id: UUID) -> Batch | None:
        return _batch(await unit.connection.fetchrow(FIND_BATCH_OF, document_id))

    async def list_members(self, batch_id: UUID) -> list[Member]:
        return [Member(*row) for row in await self._pool.fetch(LIST_MEMBERS, batch_id)]

    async def _lock_batches(self, unit: Unit, ended: Sequence[UUID]) -> list[UUID]:
        rows = await unit.connection.fetch(LOCK_BATCHES, list(ended))
        return [row["batch_id"] for row in rows]


def _batch(row: Any) -> Batch | None:  # noqa: ANN401 -- asyncpg's record has no types
    return None if row is None else Batch(*row)

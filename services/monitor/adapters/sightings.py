"""What facts have told, in PostgreSQL: where documents stand, which queues are paused."""

from collections.abc import Sequence
from uuid import UUID

from services.monitor.domain.overview import Pause
from services.monitor.domain.sightings import STAGES
from services.monitor.ports import PauseNote
from shared.database.pool import Pool
from shared.database.statements import statement
from shared.ledger.port import Unit

LOCK_DOCUMENTS = statement(__file__, "lock_documents")
FIND_DELETED = statement(__file__, "find_deleted")
COUNT_DOCUMENTS = statement(__file__, "count_documents")
MEASURE_STAGES = statement(__file__, "measure_stages")
NOTE_PAUSES = statement(__file__, "note_pauses")
LIST_PAUSES = statement(__file__, "list_pauses")


class PostgresDocuments:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def lock_documents(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        await unit.connection.execute(LOCK_DOCUMENTS, document_ids)

    async def find_deleted(self, unit: Unit, document_ids: Sequence[UUID]) -> set[UUID]:
        rows = await unit.connection.fetch(FIND_DELETED, document_ids)
        return {row["document_id"] for row in rows}

    async def count_documents(self) -> dict[str, int]:
        rows = await self._pool.fetch(COUNT_DOCUMENTS)
        return {row["status"]: row["documents"] for row in rows}

    async def measure_stages(self) -> dict[str, float]:
        rows = await self._pool.fetch(MEASURE_STAGES)
        return {STAGES[row["rank"]]: row["oldest_age_s"] for row in rows}


class PostgresPauses:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def note_pauses(self, unit: Unit, notes: Sequence[PauseNote]) -> None:
        await unit.connection.execute(
            NOTE_PAUSES,
            [note.queue for note in notes],
            [note.reason for note in notes],
            [note.paused for note in notes],
            [note.told_by for note in notes],
            [note.detail for note in notes],
            [note.ends_at for note in notes],
        )

    async def list_pauses(self) -> list[Pause]:
        rows = await self._pool.fetch(LIST_PAUSES)
        return [Pause(**row) for row in rows]

"""What has been read already, in PostgreSQL. One method per file in `sql/`, same name."""

from collections.abc import Sequence
from uuid import UUID

from services.extractor.ports import ContentKey, Lease, Processed
from shared.database.statements import statement
from shared.ledger.port import Unit

FIND_PROCESSED = statement(__file__, "find_processed")
KEEP_PROCESSED = statement(__file__, "keep_processed")
FORGET_PROCESSED = statement(__file__, "forget_processed")
WITHDRAW_PROCESSED = statement(__file__, "withdraw_processed")
LIST_WITHDRAWN_ANSWERS = statement(__file__, "list_withdrawn_answers")
NOTE_ANSWERS_ERASED = statement(__file__, "note_answers_erased")
PURGE_PROCESSED = statement(__file__, "purge_processed")


class PostgresProcessedDocuments:
    async def find_processed(
        self, unit: Unit, content: ContentKey, ttl_s: float
    ) -> Processed | None:
        row = await unit.connection.fetchrow(
            FIND_PROCESSED, content.owner_id, content.sha256, content.config, ttl_s
        )
        return Processed(**row) if row else None

    async def keep_processed(
        self, unit: Unit, lease: Lease, extraction_key: str, *, degraded: bool = False
    ) -> bool:
        kept = await unit.connection.fetchval(
            KEEP_PROCESSED,
            lease.content.owner_id,
            lease.content.sha256,
            lease.content.config,
            lease.token,
            lease.document_id,
            extraction_key,
            lease.job_id,
            degraded,
        )
        return kept is not None

    async def forget_processed(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        await unit.connection.execute(FORGET_PROCESSED, list(document_ids))

    async def withdraw_processed(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        await unit.connection.execute(WITHDRAW_PROCESSED, list(document_ids))

    async def list_withdrawn_answers(
        self, unit: Unit, document_ids: Sequence[UUID]
    ) -> list[str]:
        rows = await unit.connection.fetch(LIST_WITHDRAWN_ANSWERS, list(document_ids))
        return [row["extraction_key"] for row in rows]

    async def note_answers_erased(self, unit: Unit, extraction_keys: Sequence[str]) -> None:
        await unit.connection.execute(NOTE_ANSWERS_ERASED, list(extraction_keys))

    async def purge_processed(self, unit: Unit, ttl_s: float, count: int) -> int:
        return len(await unit.connection.fetch(PURGE_PROCESSED, ttl_s, count))

"""What has been read already, in PostgreSQL. One method per file in `sql/`, same name."""

from collections.abc import Sequence
from uuid import UUID

from services.extractor.ports import ContentKey, Processed
from shared.database.statements import statement
from shared.ledger.port import Unit

FIND_PROCESSED = statement(__file__, "find_processed")
KEEP_PROCESSED = statement(__file__, "keep_processed")
FORGET_PROCESSED = statement(__file__, "forget_processed")


class PostgresProcessedDocuments:
    async def find_processed(self, unit: Unit, content: ContentKey) -> Processed | None:
        row = await unit.connection.fetchrow(
            FIND_PROCESSED, content.owner_id, content.sha256, content.config
        )
        return Processed(**row) if row else None

    async def keep_processed(
        self, unit: Unit, content: ContentKey, answer: Processed
    ) -> Processed:
        row = await unit.connection.fetchrow(
            KEEP_PROCESSED,
            content.owner_id,
            content.sha256,
            content.config,
            answer.document_id,
            answer.extraction_key,
        )
        return Processed(**row)

    async def forget_processed(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        await unit.connection.execute(FORGET_PROCESSED, list(document_ids))

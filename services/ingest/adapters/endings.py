"""How clients end documents and begin them anew, in PostgreSQL.

One method per file in `sql/`, under the same name.
"""

from collections.abc import Mapping, Sequence
from uuid import UUID

from services.ingest.ports import Ending, Reopened, Reopening
from shared.database.statements import statement
from shared.ledger.port import Unit

CANCEL_DOCUMENTS = statement(__file__, "cancel_documents")
DELETE_DOCUMENT = statement(__file__, "delete_document")
ERASE_EVENTS = statement(__file__, "erase_events")
REOPEN_DOCUMENT = statement(__file__, "reopen_document")
SHARE_CONTENTS = statement(__file__, "share_contents")
REVIVE_CONTENTS = statement(__file__, "revive_contents")
LOCK_CONTENT = statement(__file__, "lock_content")
RELEASE_CONTENT = statement(__file__, "release_content")
IS_ERASABLE = statement(__file__, "is_erasable")


class PostgresEndings:
    async def cancel_documents(
        self, unit: Unit, fact_ids: Mapping[UUID, UUID], *, owner_id: str | None
    ) -> list[Ending]:
        asked = ([*fact_ids], owner_id, [*fact_ids.values()])
        return [Ending(*row) for row in await unit.connection.fetch(CANCEL_DOCUMENTS, *asked)]

    async def delete_document(
        self, unit: Unit, document_id: UUID, *, owner_id: str | None, fact_id: UUID
    ) -> Ending | None:
        row = await unit.connection.fetchrow(DELETE_DOCUMENT, document_id, owner_id, fact_id)
        return None if row is None else Ending(*row)

    async def erase_events(self, unit: Unit, document_id: UUID) -> None:
        await unit.connection.execute(ERASE_EVENTS, document_id)

    async def reopen_document(self, unit: Unit, asked: Reopening) -> Reopened | None:
        row = await unit.connection.fetchrow(
            REOPEN_DOCUMENT,
            asked.document_id,
            asked.owner_id,
            asked.told_id,
            asked.traceparent,
            asked.force,
        )
        return None if row is None else Reopened(**row)


class PostgresContents:
    """A lock and the look behind it are two statements: one would look at what was before."""

    async def revive_contents(self, unit: Unit, content_keys: Sequence[str]) -> set[str]:
        await self.share_contents(unit, content_keys)
        rows = await unit.connection.fetch(REVIVE_CONTENTS, list(content_keys))
        return {row["content_key"] for row in rows}

    async def share_contents(self, unit: Unit, content_keys: Sequence[str]) -> None:
        await unit.connection.execute(SHARE_CONTENTS, list(content_keys))

    async def release_content(self, unit: Unit, content_key: str) -> bool:
        await self.lock_content(unit, content_key)
        return await unit.connection.fetchval(RELEASE_CONTENT, content_key) is not None

    async def is_erasable(self, unit: Unit, content_key: str) -> bool:
        await self.lock_content(unit, content_key)
        return bool(await unit.connection.fetchval(IS_ERASABLE, content_key))

    async def lock_content(self, unit: Unit, content_key: str) -> None:
        await unit.connection.execute(LOCK_CONTENT, content_key)

"""How clients end documents and begin them anew, in PostgreSQL.

One method per file in `sql/`, under the same name.
"""

from collections.abc import Mapping, Sequence
from uuid import UUID

from services.ingest.ports import Ending, Reopened, Reopening
from shared.database.statements import statement
from shared.ledger.port import Unit

CANCEL_DOCUMENTS = statement(__file__, "cancel_documents")
DELETE_DOCUMENTS = statement(__file__, "delete_documents")
ERASE_EVENTS = statement(__file__, "erase_events")
REOPEN_DOCUMENT = statement(__file__, "reopen_document")
LOCK_CONTENT = statement(__file__, "lock_content")
RELEASE_CONTENT = statement(__file__, "release_content")
IS_ERASABLE = statement(__file__, "is_erasable")


class PostgresEndings:
    async def cancel_documents(
        self, unit: Unit, fact_ids: Mapping[UUID, UUID], *, owner_id: str | None
    ) -> list[Ending]:
        asked = ([*fact_ids], owner_id, [*fact_ids.values()])
        return [Ending(*row) for row in await unit.connection.fetch(CANCEL_DOCUMENTS, *asked)]

    async def delete_documents(
        self, unit: Unit, fact_ids: Mapping[UUID, UUID], *, owner_id: str | None
    ) -> list[Ending]:
        asked = ([*fact_ids], owner_id, [*fact_ids.values()])
        return [Ending(*row) for row in await unit.connection.fetch(DELETE_DOCUMENTS, *asked)]

    async def erase_events(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        await unit.connection.execute(ERASE_EVENTS, list(document_ids))

    async def reopen_document(self, unit: Unit, asked: Reopening) -> Reopened | None:
        row = await unit.connection.fetchrow(
            REOPEN_DOCUMENT,
            asked.document_id,
            asked.owner_id,
            asked.told_id,
            asked.traceparent,
            asked.force,
            asked.engine,
        )
        return None if row is None else Reopened(**row)


class PostgresContents:
    """A lock and the look behind it are two statements: one would look at what was before."""

    async def release_content(self, unit: Unit, content_key: str) -> bool:
        await self.lock_content(unit, content_key)
        return await unit.connection.fetchval(RELEASE_CONTENT, content_key) is not None

    async def is_erasable(self, unit: Unit, content_key: str) -> bool:
        await self.lock_content(unit, content_key)
        return bool(await unit.connection.fetchval(IS_ERASABLE, content_key))

    async def lock_content(self, unit: Unit, content_key: str) -> None:
        await unit.connection.execute(LOCK_CONTENT, content_key)

"""Documents nobody wants any more, in PostgreSQL. One method per file in `sql/`, same name."""

from collections.abc import Sequence
from uuid import UUID

from shared.database.statements import statement
from shared.ledger.port import Unit

LOCK_DOCUMENTS = statement(__file__, "lock_documents")
FIND_WITHDRAWN = statement(__file__, "find_withdrawn")
NOTE_WITHDRAWN = statement(__file__, "note_withdrawn")


class PostgresWithdrawals:
    async def lock_documents(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        await unit.connection.execute(LOCK_DOCUMENTS, list(document_ids))

    async def find_withdrawn(self, unit: Unit, document_ids: Sequence[UUID]) -> set[UUID]:
        rows = await unit.connection.fetch(FIND_WITHDRAWN, list(document_ids))
        return {row["document_id"] for row in rows}

    async def note_withdrawn(
        self, unit: Unit, document_ids: Sequence[UUID], reason: str
    ) -> None:
        # In one order, so that two replicas with the same documents cannot dead-lock.
        await unit.connection.execute(NOTE_WITHDRAWN, sorted(document_ids), reason)

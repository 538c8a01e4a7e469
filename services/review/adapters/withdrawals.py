"""Documents nobody wants any more, in PostgreSQL. One method per file in `sql/`."""

from collections.abc import Sequence
from uuid import UUID

from shared.database.pool import Pool
from shared.database.statements import statement
from shared.ledger.port import Unit

LOCK_DOCUMENTS = statement(__file__, "lock_documents")
FIND_WITHDRAWN = statement(__file__, "find_withdrawn")
RECORD_WITHDRAWALS = statement(__file__, "record_withdrawals")
WITHDRAW_ITEMS = statement(__file__, "withdraw_items")
ERASE_ITEMS = statement(__file__, "erase_items")


class PostgresWithdrawals:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def lock_documents(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        await unit.connection.execute(LOCK_DOCUMENTS, document_ids)

    async def find_withdrawn(
        self, document_ids: Sequence[UUID], unit: Unit | None = None
    ) -> set[UUID]:
        asked = self._pool if unit is None else unit.connection
        return {row["document_id"] for row in await asked.fetch(FIND_WITHDRAWN, document_ids)}

    async def record_withdrawals(
        self, unit: Unit, document_ids: Sequence[UUID], reasons: Sequence[str]
    ) -> None:
        await unit.connection.execute(RECORD_WITHDRAWALS, document_ids, reasons)

    async def withdraw_items(self, unit: Unit, document_ids: Sequence[UUID]) -> list[UUID]:
        rows = await unit.connection.fetch(WITHDRAW_ITEMS, document_ids)
        return [row["document_id"] for row in rows]

    async def erase_items(self, unit: Unit, document_ids: Sequence[UUID]) -> list[UUID]:
        rows = await unit.connection.fetch(ERASE_ITEMS, document_ids)
        return [row["document_id"] for row in rows]

"""How long documents stay, in PostgreSQL. One method per file in `sql/`, same name."""

from collections.abc import Sequence
from uuid import UUID

from services.ingest.domain.retention import Expired, Hold, RetentionRules
from shared.database.statements import statement
from shared.ledger.port import Unit

HOLD_DOCUMENT = statement(__file__, "hold_document")
LIFT_HOLD = statement(__file__, "lift_hold")
FIND_HOLDS = statement(__file__, "find_holds")
TRY_RETENTION = statement(__file__, "try_retention")
LOCK_EXPIRED = statement(__file__, "lock_expired")
COUNT_EXPIRED = statement(__file__, "count_expired")


class PostgresRetention:
    async def hold_document(
        self, unit: Unit, document_id: UUID, *, by: str, reason: str
    ) -> Hold | None:
        row = await unit.connection.fetchrow(HOLD_DOCUMENT, document_id, by, reason)
        return Hold(**row) if row else None

    async def lift_hold(self, unit: Unit, document_id: UUID) -> Hold | None:
        row = await unit.connection.fetchrow(LIFT_HOLD, document_id)
        return Hold(**row) if row else None

    async def find_holds(self, unit: Unit, document_ids: Sequence[UUID]) -> list[Hold]:
        rows = await unit.connection.fetch(FIND_HOLDS, list(document_ids))
        return [Hold(**row) for row in rows]

    async def try_retention(self, unit: Unit) -> bool:
        return bool(await unit.connection.fetchval(TRY_RETENTION))

    async def lock_expired(
        self, unit: Unit, rules: RetentionRules, *, limit: int
    ) -> list[UUID]:
        rows = await unit.connection.fetch(LOCK_EXPIRED, *_columns(rules), limit)
        return [row["document_id"] for row in rows]

    async def count_expired(self, unit: Unit, rules: RetentionRules) -> list[Expired]:
        asked = (*_columns(rules), list(rules.classes))
        return [Expired(*row) for row in await unit.connection.fetch(COUNT_EXPIRED, *asked)]


def _columns(rules: RetentionRules) -> tuple[list[str], list[int], int, int]:
    return list(rules.tags), list(rules.days), rules.default_days, rules.shortest_days

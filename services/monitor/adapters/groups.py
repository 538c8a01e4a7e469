"""Groups of failures in PostgreSQL. One method per file in `sql/`, under the same name."""

from services.monitor.domain.groups import FailureGroup, Said
from shared.database.pool import Pool, Row
from shared.database.statements import statement
from shared.ledger.port import Unit

LIST_GROUPS = statement(__file__, "list_groups")
FIND_SAID = statement(__file__, "find_said")
SAY_OF_GROUP = statement(__file__, "say_of_group")

_OF_A_GROUP = (
    *("fingerprint", "letters", "first_at", "last_at", "letter_id", "queue", "reason"),
    *("category", "exception", "type", "message", "muted"),
)


class PostgresGroups:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def list_groups(self, limit: int) -> list[FailureGroup]:
        return [_group(row) for row in await self._pool.fetch(LIST_GROUPS, limit)]

    async def find_said(self, fingerprint: str) -> Said:
        row = await self._pool.fetchrow(FIND_SAID, fingerprint)
        return _said(row) if row else Said(fingerprint)

    async def say_of_group(self, unit: Unit, said: Said, *, changed_by: str) -> Said | None:
        row = await unit.connection.fetchrow(
            SAY_OF_GROUP,
            said.fingerprint,
            said.version,
            said.comment,
            said.owner,
            said.muted_until,
            changed_by,
        )
        return _said(row) if row else None


def _group(row: Row) -> FailureGroup:
    return FailureGroup(
        **{name: row[name] for name in _OF_A_GROUP},
        said=_said(row),
        trend=dict(zip(row["hours"], row["counts"], strict=True)),
    )


def _said(row: Row) -> Said:
    return Said(
        fingerprint=row["fingerprint"],
        comment=row["comment"] or "",
        owner=row["owner"],
        muted_until=row["muted_until"],
        version=row["version"],
    )

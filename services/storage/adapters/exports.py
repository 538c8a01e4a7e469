"""Exports that are made in the background, in PostgreSQL. One method per file in `sql/`."""

from collections.abc import Sequence
from uuid import UUID

from services.storage.domain.exports import Export, Order, Place, wanted_in
from shared.contracts.identity import new_id
from shared.database.pool import Pool, Row
from shared.database.statements import statement
from shared.ledger.port import Unit

OPEN_EXPORT = statement(__file__, "open_export")
FIND_KEYED_EXPORT = statement(__file__, "find_keyed_export")
FIND_EXPORT = statement(__file__, "find_export")
FIND_FINISHED_EXPORT = statement(__file__, "find_finished_export")
LIST_EXPORTS = statement(__file__, "list_exports")
CANCEL_EXPORT = statement(__file__, "cancel_export")
CLAIM_EXPORT = statement(__file__, "claim_export")
NOTE_PROGRESS = statement(__file__, "note_progress")
COMPLETE_EXPORT = statement(__file__, "complete_export")
GIVE_UP_EXPORT = statement(__file__, "give_up_export")
LOCK_EXPIRED = statement(__file__, "lock_expired")
MARK_CLEARED = statement(__file__, "mark_cleared")
FORGET_EXPORTS = statement(__file__, "forget_exports")
WITHDRAW_EXPORTS = statement(__file__, "withdraw_exports")


class PostgresExports:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def open_export(
        self, unit: Unit, *, owner_id: str, key: str | None, order: Order, open_max: int
    ) -> Export | None:
        wanted = (order.of_owner, order.wanted.told(), order.format, order.rows)
        row = await unit.connection.fetchrow(
            OPEN_EXPORT, new_id(), owner_id, key, *wanted, open_max
        )
        return _export(row)

    async def find_keyed_export(self, unit: Unit, owner_id: str, key: str) -> Export | None:
        return _export(await unit.connection.fetchrow(FIND_KEYED_EXPORT, owner_id, key))

    async def find_export(self, export_id: UUID, owner_id: str) -> Export | None:
        return _export(await self._pool.fetchrow(FIND_EXPORT, export_id, owner_id))

    async def find_finished_export(self, export_id: UUID) -> Export | None:
        return _export(await self._pool.fetchrow(FIND_FINISHED_EXPORT, export_id))

    async def list_exports(
        self, owner_id: str, reach: str | None, before: Place | None, limit: int
    ) -> list[Export]:
        place = (before.accepted_at, before.document_id) if before else (None, None)
        rows = await self._pool.fetch(LIST_EXPORTS, owner_id, reach, *place, limit)
        return [_known(row) for row in rows]

    async def cancel_export(self, unit: Unit, export_id: UUID, owner_id: str) -> Export | None:
        return _export(await unit.connection.fetchrow(CANCEL_EXPORT, export_id, owner_id))

    async def claim_export(self, lease_s: float) -> Export | None:
        return _export(await self._pool.fetchrow(CLAIM_EXPORT, lease_s))

    async def note_progress(
        self, export: Export, *, done: int, total: int, lease_s: float
    ) -> bool:
        run = (export.export_id, export.run)
        return await self._pool.fetchrow(NOTE_PROGRESS, *run, done, total, lease_s) is not None

    async def complete_export(
        self, export: Export, *, done: int, parts: int, size: int, sha256: str, keep_s: float
    ) -> bool:
        run, file = (export.export_id, export.run), (parts, size, sha256)
        row = await self._pool.fetchrow(COMPLETE_EXPORT, *run, done, *file, keep_s)
        return row is not None

    async def give_up_export(
        self, export: Export, failure: str, *, failures_max: int, after_s: float
    ) -> None:
        run = (export.export_id, export.run)
        await self._pool.execute(GIVE_UP_EXPORT, *run, failure, failures_max, after_s)

    async def lock_expired(self, unit: Unit, limit: int) -> list[UUID]:
        rows = await unit.connection.fetch(LOCK_EXPIRED, limit)
        return [row["export_id"] for row in rows]

    async def mark_cleared(self, unit: Unit, export_ids: Sequence[UUID]) -> None:
        await unit.connection.execute(MARK_CLEARED, list(export_ids))

    async def forget_exports(self, older_than_s: float) -> None:
        await self._pool.execute(FORGET_EXPORTS, older_than_s)

    async def withdraw_exports(self, unit: Unit, document_ids: Sequence[UUID]) -> list[UUID]:
        rows = await unit.connection.fetch(WITHDRAW_EXPORTS, list(document_ids))
        return [row["export_id"] for row in rows]


_AS_THEY_ARE = (
    "export_id",
    "owner_id",
    "status",
    "run",
    "failures",
    "total",
    "done",
    "parts",
    "size_bytes",
    "sha256",
    "failure",
    "created_at",
    "started_at",
    "ended_at",
    "expires_at",
)


def _export(row: Row | None) -> Export | None:
    return _known(row) if row else None


def _known(row: Row) -> Export:
    # By name, so that a column added for a newer version does not stop an older process.
    order = Order(row["of_owner"], wanted_in(row["wanted"]), row["format"], row["rows"])
    return Export(order=order, **{name: row[name] for name in _AS_THEY_ARE})

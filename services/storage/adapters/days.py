"""Days, their manifests and their leftovers, in PostgreSQL. One method per file in `sql/`,
same name."""

from collections.abc import Sequence
from datetime import date
from uuid import UUID

from services.storage.domain.days import Day, Measured, Place, Shown
from services.storage.domain.results import Table
from services.storage.ports.days import Stray
from shared.database.statements import statement
from shared.ledger.port import Unit

TRY_TURN = statement(__file__, "try_turn")
BEGIN_ROUND = statement(__file__, "begin_round")
KEEP_ALIVE = statement(__file__, "keep_alive")
IS_ANY_BEHIND = statement(__file__, "is_any_behind")
FOLD_CHANGES = statement(__file__, "fold_changes")
LIST_STALE_DAYS = statement(__file__, "list_stale_days")
FREEZE_VIEW = statement(__file__, "freeze_view")
FIND_DAY = statement(__file__, "find_day")
LOCK_DAY = statement(__file__, "lock_day")
LIST_SHOWN = statement(__file__, "list_shown")
LOCK_UNCHANGED = statement(__file__, "lock_unchanged")
NOTE_MANIFEST = statement(__file__, "note_manifest")
FORGET_MANIFEST = statement(__file__, "forget_manifest")
LIST_COMPACTABLE = statement(__file__, "list_compactable")
NOTE_COMPACTED = statement(__file__, "note_compacted")
NOTE_NOT_COMPACTED = statement(__file__, "note_not_compacted")
FORGET_COMPACTED = statement(__file__, "forget_compacted")
LIST_PRUNABLE = statement(__file__, "list_prunable")
NOTE_PRUNED = statement(__file__, "note_pruned")
SHOW_PUBLISHED = statement(__file__, "show_published")
FORGET_ERASED = statement(__file__, "forget_erased")
LIST_UNMEASURED = statement(__file__, "list_unmeasured")
NOTE_MEASURED = statement(__file__, "note_measured")
NOTE_STRAYS = statement(__file__, "note_strays")
TAKE_STRAYS = statement(__file__, "take_strays")


class PostgresDays:
    async def try_turn(self, unit: Unit, name: str) -> bool:
        return bool(await unit.connection.fetchval(TRY_TURN, name))

    async def begin_round(self, unit: Unit, name: str, every_s: float) -> bool:
        return bool(await unit.connection.fetchval(BEGIN_ROUND, name, every_s))

    async def keep_alive(self, unit: Unit) -> None:
        await unit.connection.execute(KEEP_ALIVE)

    async def is_any_behind(self, unit: Unit) -> bool:
        return bool(await unit.connection.fetchval(IS_ANY_BEHIND))

    async def fold_changes(self, unit: Unit) -> None:
        await unit.connection.execute(FOLD_CHANGES)

    async def list_stale_days(self, unit: Unit, debounce_s: float, limit: int) -> list[date]:
        rows = await unit.connection.fetch(LIST_STALE_DAYS, debounce_s, limit)
        return [row["day"] for row in rows]

    async def freeze_view(self, unit: Unit) -> None:
        await unit.connection.execute(FREEZE_VIEW)

    async def find_day(self, unit: Unit, day: date) -> Day:
        return Day(**await unit.connection.fetchrow(FIND_DAY, day))

    async def lock_day(self, unit: Unit, day: date) -> Day:
        return Day(**await unit.connection.fetchrow(LOCK_DAY, day))

    async def list_shown(self, unit: Unit, day: date, behind: Place, limit: int) -> list[Shown]:
        place = (behind.issue_date, behind.seller, behind.document_id)
        rows = await unit.connection.fetch(LIST_SHOWN, day, *place, limit)
        return [Shown(**row) for row in rows]

    async def lock_unchanged(
        self, unit: Unit, documents: Sequence[tuple[UUID, int]]
    ) -> set[UUID]:
        columns = map(list, zip(*documents, strict=True))
        rows = await unit.connection.fetch(LOCK_UNCHANGED, *columns)
        return {row["document_id"] for row in rows}

    async def note_manifest(self, unit: Unit, day: Day, documents: int) -> None:
        await unit.connection.execute(
            NOTE_MANIFEST, day.day, day.revision, day.is_compacted, documents
        )

    async def forget_manifest(self, unit: Unit, day: date) -> None:
        await unit.connection.execute(FORGET_MANIFEST, day)

    async def list_compactable(
        self, unit: Unit, closed_before: date, quiet_s: float, limit: int
    ) -> list[date]:
        rows = await unit.connection.fetch(LIST_COMPACTABLE, closed_before, quiet_s, limit)
        return [row["day"] for row in rows]

    async def note_compacted(self, unit: Unit, day: Day, file: Measured) -> None:
        await unit.connection.execute(
            NOTE_COMPACTED, day.day, day.revision, file.size, file.sha256, file.rows
        )

    async def note_not_compacted(self, unit: Unit, day: Day) -> None:
        await unit.connection.execute(NOTE_NOT_COMPACTED, day.day, day.revision)

    async def forget_compacted(self, unit: Unit, day: date) -> None:
        await unit.connection.execute(FORGET_COMPACTED, day)

    async def list_prunable(self, unit: Unit, older_than_days: int, limit: int) -> list[date]:
        rows = await unit.connection.fetch(LIST_PRUNABLE, older_than_days, limit)
        return [row["day"] for row in rows]

    async def note_pruned(self, unit: Unit, day: date) -> None:
        await unit.connection.execute(NOTE_PRUNED, day)

    async def show_published(self, unit: Unit, limit: int) -> int:
        return len(await unit.connection.fetch(SHOW_PUBLISHED, limit))

    async def forget_erased(self, unit: Unit, limit: int) -> int:
        return len(await unit.connection.fetch(FORGET_ERASED, limit))

    async def list_unmeasured(self, unit: Unit, limit: int) -> list[tuple[UUID, int]]:
        rows = await unit.connection.fetch(LIST_UNMEASURED, limit)
        return [(row["document_id"], row["version"]) for row in rows]

    async def note_measured(
        self, unit: Unit, measured: Sequence[tuple[UUID, int, Table]]
    ) -> None:
        rows = [
            (document_id, version, table.size, table.sha256, table.issue_date, table.seller)
            for document_id, version, table in measured
        ]
        await unit.connection.execute(NOTE_MEASURED, *map(list, zip(*rows, strict=True)))

    async def note_strays(
        self, unit: Unit, files: Sequence[tuple[str, tuple[UUID, int]]]
    ) -> None:
        rows = [(key, *identity) for key, identity in files]
        await unit.connection.execute(NOTE_STRAYS, *map(list, zip(*rows, strict=True)))

    async def take_strays(self, unit: Unit, older_than_s: float, limit: int) -> list[Stray]:
        rows = await unit.connection.fetch(TAKE_STRAYS, older_than_s, limit)
        return [Stray(**row) for row in rows]

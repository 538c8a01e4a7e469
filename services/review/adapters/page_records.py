"""Pages of items, and what is kept of them, in PostgreSQL. One method per file in `sql/`."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any
from uuid import UUID

from services.review.domain.pages import ItemPages, Page
from shared.database.pool import Pool
from shared.database.statements import statement
from shared.ledger.port import Unit

KEEP_PAGES = statement(__file__, "keep_pages")
FIND_PAGES = statement(__file__, "find_pages")
LOCK_CONTENTS = statement(__file__, "lock_contents")
NOTE_DRAWN = statement(__file__, "note_drawn")
NOTE_USED = statement(__file__, "note_used")
LIST_CONTENTS_OF = statement(__file__, "list_contents_of")
FORGET_DRAWN = statement(__file__, "forget_drawn")
LIST_EXCESS = statement(__file__, "list_excess")


class PostgresPageRecords:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def keep_pages(self, unit: Unit, items: Sequence[ItemPages]) -> None:
        await unit.connection.execute(KEEP_PAGES, [_row(item) for item in items])

    async def find_pages(self, document_id: UUID) -> ItemPages | None:
        row = await self._pool.fetchrow(FIND_PAGES, document_id)
        if row is None:
            return None
        pages = None if row["pages"] is None else [Page(**one) for one in row["pages"]]
        return ItemPages(**{**row, "pages": pages})

    async def lock_contents(self, unit: Unit, sha256s: Sequence[str]) -> None:
        await unit.connection.execute(LOCK_CONTENTS, list(sha256s))

    async def note_drawn(self, unit: Unit, sha256: str, size: int) -> bool:
        return await unit.connection.fetchrow(NOTE_DRAWN, sha256, size) is not None

    async def note_used(self, sha256: str) -> None:
        await self._pool.execute(NOTE_USED, sha256)

    async def list_contents_of(self, unit: Unit, document_ids: Sequence[UUID]) -> list[str]:
        rows = await unit.connection.fetch(LIST_CONTENTS_OF, list(document_ids))
        return [row["sha256"] for row in rows]

    async def forget_drawn(
        self, unit: Unit, sha256s: Sequence[str], *, also_wanted: bool = False
    ) -> list[str]:
        rows = await unit.connection.fetch(FORGET_DRAWN, list(sha256s), also_wanted)
        return [row["sha256"] for row in rows]

    async def list_excess(self, *, bytes_max: int, unused_s: float, limit: int) -> list[str]:
        rows = await self._pool.fetch(LIST_EXCESS, bytes_max, unused_s, limit)
        return [row["sha256"] for row in rows]


def _row(item: ItemPages) -> dict[str, Any]:
    pages = item.pages
    return {
        "document_id": str(item.document_id),
        "sha256": item.sha256,
        "media_type": item.media_type,
        "words_key": item.words_key,
        "pages": None if pages is None else [asdict(one) for one in pages],
    }

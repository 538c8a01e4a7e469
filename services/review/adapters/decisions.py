"""What becomes of decisions, in PostgreSQL. One method per file in `sql/`."""

import json
from collections.abc import Sequence
from uuid import UUID

from services.review.adapters.item_rows import item_or_none
from services.review.domain.claims import SYSTEM
from services.review.domain.decisions import (
    SPLIT,
    SPLIT_FAILED,
    Context,
    Reextraction,
    Reopening,
)
from services.review.domain.items import Part, ReviewItem
from shared.database.pool import Pool
from shared.database.statements import statement
from shared.ledger.port import Unit

REOPEN_ITEM = statement(__file__, "reopen_item")
ASK_AGAIN = statement(__file__, "ask_again")
KEEP_PARTS = statement(__file__, "keep_parts")
DROP_PARTS = statement(__file__, "drop_parts")
REOPEN_SPLIT = statement(__file__, "reopen_split")
NOTE_DRAFT = statement(__file__, "note_draft")
FORGET_DRAFT = statement(__file__, "forget_draft")
LIST_STALE_DRAFTS = statement(__file__, "list_stale_drafts")
FIND_CONTEXT = statement(__file__, "find_context")


class PostgresDecisions:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def reopen_item(
        self, unit: Unit, asked: Reopening, *, undo_s: float, lease_s: float
    ) -> ReviewItem | None:
        row = await unit.connection.fetchrow(
            REOPEN_ITEM,
            asked.document_id,
            asked.version,
            asked.actor,
            asked.undo,
            undo_s,
            lease_s,
        )
        return item_or_none(row)

    async def ask_again(
        self, unit: Unit, asked: Reextraction, *, wait_s: float
    ) -> ReviewItem | None:
        row = await unit.connection.fetchrow(
            ASK_AGAIN, asked.document_id, asked.version, asked.actor, wait_s, asked.lead
        )
        return item_or_none(row)

    async def keep_parts(self, unit: Unit, parent_id: UUID, parts: Sequence[Part]) -> None:
        await unit.connection.execute(
            KEEP_PARTS,
            parent_id,
            [one.document_id for one in parts],
            [json.dumps(list(one.pages)) for one in parts],
        )

    async def note_draft(self, unit: Unit, reviewed_key: str, document_id: UUID) -> None:
        await unit.connection.execute(NOTE_DRAFT, reviewed_key, document_id)

    async def forget_draft(self, unit: Unit, reviewed_key: str) -> None:
        await unit.connection.execute(FORGET_DRAFT, reviewed_key)

    async def list_stale_drafts(self, *, older_than_s: float, limit: int) -> list[str]:
        rows = await self._pool.fetch(LIST_STALE_DRAFTS, older_than_s, limit)
        return [row["reviewed_key"] for row in rows]

    async def find_context(self, document_id: UUID, *, actor: str, undo_s: float) -> Context:
        row = await self._pool.fetchrow(FIND_CONTEXT, document_id, actor, undo_s)
        if row is None:
            return Context()
        parts = [Part(UUID(one["document_id"]), one["pages"]) for one in row["parts"]]
        authors = frozenset(row["authors"])
        return Context(row["parent_id"], parts, row["undo_holds"], authors)

    async def drop_parts(self, unit: Unit, parent_id: UUID, parts: Sequence[UUID]) -> bool:
        return bool(await unit.connection.fetch(DROP_PARTS, parent_id, list(parts)))

    async def reopen_split(self, unit: Unit, document_id: UUID, why: str) -> ReviewItem | None:
        row = await unit.connection.fetchrow(
            REOPEN_SPLIT, document_id, SYSTEM, SPLIT, SPLIT_FAILED, why
        )
        return item_or_none(row)

"""What was told of documents, in PostgreSQL. One method per file in `sql/`, of its name."""

import json
from collections.abc import Sequence
from dataclasses import fields
from uuid import UUID

from services.monitor.domain.replays import Replay
from services.monitor.domain.sightings import Sighting
from services.monitor.domain.timelines import Deed, FoundDocument, Sent, ToldFact
from shared.database.pool import Pool, Row
from shared.database.statements import statement
from shared.ledger.port import Unit

KEEP_FACTS = statement(__file__, "keep_facts")
STRIP_FACTS = statement(__file__, "strip_facts")
FORGET_FACTS = statement(__file__, "forget_facts")
FORGET_PURGED = statement(__file__, "forget_purged")
FIND_DOCUMENT = statement(__file__, "find_document")
FIND_DOCUMENTS = statement(__file__, "find_documents")
LIST_FACTS = statement(__file__, "list_facts")
LIST_REPLAYS_OF = statement(__file__, "list_replays_of")
LIST_DEEDS = statement(__file__, "list_deeds")

# The columns of a document's place, and of a fact.
SEEN, TOLD = 8, 8
_REPLAY = tuple(field.name for field in fields(Replay))


class PostgresFacts:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def keep_facts(
        self, unit: Unit, facts: Sequence[ToldFact], sightings: Sequence[Sighting]
    ) -> set[UUID]:
        moved = await unit.connection.fetchval(
            KEEP_FACTS,
            *_columns([_seen(one) for one in sightings], SEEN),
            *_columns([_told(one) for one in facts], TOLD),
        )
        return set(moved)

    async def strip_facts(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        await unit.connection.execute(STRIP_FACTS, document_ids)

    async def forget_facts(self, days: int, limit: int) -> int:
        return len(await self._pool.fetch(FORGET_FACTS, days, limit))

    async def forget_purged(self, days: int, limit: int) -> int:
        return len(await self._pool.fetch(FORGET_PURGED, days, limit))

    async def find_document(self, document_id: UUID) -> FoundDocument | None:
        row = await self._pool.fetchrow(FIND_DOCUMENT, document_id)
        return FoundDocument(**row) if row else None

    async def find_documents(
        self, *, sha256: str | None, filename: str | None, limit: int
    ) -> list[FoundDocument]:
        like = None if filename is None else f"{_literal(filename.lower())}%"
        rows = await self._pool.fetch(FIND_DOCUMENTS, sha256, like, limit)
        return [FoundDocument(**row) for row in rows]

    async def list_facts(self, document_id: UUID, limit: int) -> list[ToldFact]:
        rows = await self._pool.fetch(LIST_FACTS, document_id, limit)
        return [ToldFact(**row) for row in rows]

    async def list_replays_of(self, document_id: UUID, limit: int) -> list[Sent]:
        rows = await self._pool.fetch(LIST_REPLAYS_OF, document_id, limit)
        return [_sent(row) for row in rows]

    async def list_deeds(self, resources: Sequence[str], limit: int) -> list[Deed]:
        return [Deed(**row) for row in await self._pool.fetch(LIST_DEEDS, resources, limit)]


def _literal(text: str) -> str:
    """What LIKE takes as itself."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _columns(rows: Sequence[tuple[object, ...]], count: int) -> list[list[object]]:
    """As many as there would be, also without a row."""
    return [list(column) for column in zip(*rows, strict=True)] or [[] for _ in range(count)]


def _seen(one: Sighting) -> tuple[object, ...]:
    return (
        one.document_id,
        one.owner_id,
        one.accepted_at,
        one.status,
        one.run,
        one.rank,
        one.priority,
        one.ended_at,
    )


def _told(fact: ToldFact) -> tuple[object, ...]:
    return (
        fact.document_id,
        fact.job_id,
        fact.type,
        fact.run,
        fact.said_at,
        fact.trace_id,
        fact.cause_id,
        json.dumps(fact.detail),
    )


def _sent(row: Row) -> Sent:
    return Sent(Replay(**{name: row[name] for name in _REPLAY}), row["operation_id"])

"""Dead letters in PostgreSQL. One method per file in `sql/`, under the same name."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any
from uuid import UUID

from services.monitor.domain.letters import (
    ERASING_TYPES,
    DeadLetter,
    LetterState,
    NewLetter,
)
from services.monitor.domain.overview import OpenLetters
from services.monitor.domain.replays import REPLAYABLE_QUEUES
from services.monitor.ports import Filter, Place
from shared.database.pool import Pool, Row
from shared.database.statements import statement
from shared.ledger.port import Unit

PLAN_EACH_TIME = statement(__file__, "plan_each_time")
KEEP_LETTERS = statement(__file__, "keep_letters")
CLAIM_LETTER = statement(__file__, "claim_letter")
SUPERSEDE_LETTER = statement(__file__, "supersede_letter")
SETTLE_LETTERS = statement(__file__, "settle_letters")
ERASE_LETTERS = statement(__file__, "erase_letters")
FIND_LETTER = statement(__file__, "find_letter")
READ_BODY = statement(__file__, "read_body")
LIST_LETTERS = statement(__file__, "list_letters")
COUNT_OPEN_LETTERS = statement(__file__, "count_open_letters")
FORGET_LETTERS = statement(__file__, "forget_letters")

_COLUMNS = tuple(field.name for field in fields(DeadLetter))
_IDS = ("letter_id", "job_id", "document_id", "failed_replay_id")
_MOMENTS = ("first_failed_at", "last_failed_at")


class PostgresLetters:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def keep_letters(self, unit: Unit, letters: Sequence[NewLetter]) -> set[UUID]:
        rows = [_new_row(letter, place) for place, letter in enumerate(letters, start=1)]
        bodies = [letter.body for letter in letters]
        kept = await unit.connection.fetch(KEEP_LETTERS, rows, bodies)
        return {row["letter_id"] for row in kept}

    async def claim_letter(
        self, unit: Unit, *, letter_id: UUID, replay_id: UUID, days: int
    ) -> tuple[DeadLetter, bytes] | None:
        row = await unit.connection.fetchrow(
            CLAIM_LETTER, letter_id, replay_id, sorted(REPLAYABLE_QUEUES), days
        )
        return (letter_of(row), row["body"]) if row else None

    async def supersede_letter(
        self, unit: Unit, *, letter_id: UUID, version: int, job_id: UUID, replay_id: UUID
    ) -> DeadLetter | None:
        row = await unit.connection.fetchrow(
            SUPERSEDE_LETTER, letter_id, version, job_id, replay_id
        )
        return letter_of(row) if row else None

    async def settle_letters(self, unit: Unit, outcomes: Mapping[UUID, str]) -> None:
        await unit.connection.execute(SETTLE_LETTERS, [*outcomes], [*outcomes.values()])

    async def erase_letters(self, unit: Unit, document_ids: Sequence[UUID]) -> set[UUID]:
        spared = sorted(ERASING_TYPES)
        rows = await unit.connection.fetch(ERASE_LETTERS, document_ids, spared)
        return {row["letter_id"] for row in rows}

    async def forget_letters(self, days: int, limit: int) -> int:
        return len(await self._pool.fetch(FORGET_LETTERS, days, limit))

    async def find_letter(self, letter_id: UUID) -> DeadLetter | None:
        row = await self._pool.fetchrow(FIND_LETTER, letter_id)
        return letter_of(row) if row else None

    async def read_body(self, unit: Unit, letter_id: UUID) -> bytes | None:
        body: bytes | None = await unit.connection.fetchval(READ_BODY, letter_id)
        return body

    async def list_letters(
        self, which: Filter, *, after: Place | None, limit: int
    ) -> list[DeadLetter]:
        async with self._pool.transaction() as connection:
            # For what is named: a plan for any filter would read every letter there is.
            await connection.execute(PLAN_EACH_TIME)
            rows = await connection.fetch(
                LIST_LETTERS,
                which.queue,
                which.reason,
                which.state,
                which.document_id,
                which.fingerprint,
                after.arrived_at if after else None,
                after.letter_id if after else None,
                limit,
                which.category,
                which.type,
                which.owner_id,
                which.arrived_after,
                which.arrived_before,
                which.words,
                which.any_id,
            )
        return [letter_of(row) for row in rows]

    async def count_open_letters(self) -> list[OpenLetters]:
        rows = await self._pool.fetch(COUNT_OPEN_LETTERS)
        return [OpenLetters(**row) for row in rows]


def letter_of(row: Row) -> DeadLetter:
    # By name, so that a column added for a newer version does not stop an older process.
    values = {name: row[name] for name in _COLUMNS}
    values["state"] = LetterState(values["state"])
    return DeadLetter(**values)


def _new_row(letter: NewLetter, place: int) -> dict[str, Any]:
    facts = letter.facts
    row: dict[str, Any] = {field.name: getattr(facts, field.name) for field in fields(facts)}
    for name in _IDS:
        row[name] = str(row[name]) if row[name] else None
    for name in _MOMENTS:
        row[name] = row[name].isoformat() if row[name] else None
    return {
        **row,
        "headers": dict(facts.headers),
        "natural_key": letter.natural_key,
        "place": place,
    }

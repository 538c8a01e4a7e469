"""Stored results and their outputs, in PostgreSQL. One method per file in `sql/`, same name."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any
from uuid import UUID

from services.storage.domain.results import (
    FIRST,
    Number,
    Origin,
    Published,
    Shown,
    StoredResult,
    Table,
    Unpublished,
)
from shared.database.statements import statement
from shared.ledger.port import Unit

FIND_STORED = statement(__file__, "find_stored")
CLAIM_FIRST_NUMBERS = statement(__file__, "claim_first_numbers")
ADOPT_NUMBERS = statement(__file__, "adopt_numbers")
NUMBER_VERSIONS = statement(__file__, "number_versions")
FIND_NUMBERS = statement(__file__, "find_numbers")
FIND_SHOWN = statement(__file__, "find_shown")
KEEP_STORED = statement(__file__, "keep_stored")
LOCK_UNPUBLISHED = statement(__file__, "lock_unpublished")
LOCK_FORGOTTEN = statement(__file__, "lock_forgotten")
ERASE_RESULTS = statement(__file__, "erase_results")
PUT_OFF = statement(__file__, "put_off")
MARK_PUBLISHED = statement(__file__, "mark_published")


class PostgresStoredResults:
    async def find_stored(
        self, unit: Unit, versions: Sequence[tuple[UUID, int]]
    ) -> set[tuple[UUID, int]]:
        documents, numbers = [one for one, _ in versions], [one for _, one in versions]
        rows = await unit.connection.fetch(FIND_STORED, documents, numbers)
        return {(row["document_id"], row["version"]) for row in rows}

    async def number_versions(
        self, unit: Unit, origins: Sequence[Origin]
    ) -> Mapping[Origin, Number]:
        firsts = [one for one in origins if not one.review_revision and not one.replaces]
        claimed = await self.claim_first_numbers(unit, firsts)
        others = [one for one in origins if one not in claimed]
        if not others:
            return claimed
        await self.adopt_numbers(unit, [one.document_id for one in others])
        await unit.connection.execute(NUMBER_VERSIONS, *_columns_of(others))
        return {**claimed, **await self.find_numbers(unit, others)}

    async def claim_first_numbers(
        self, unit: Unit, origins: Sequence[Origin]
    ) -> Mapping[Origin, Number]:
        """Nearly every reading is the first of its document: one statement, and no more."""
        columns = [one.document_id for one in origins], [one.extraction_key for one in origins]
        rows = await unit.connection.fetch(CLAIM_FIRST_NUMBERS, *columns) if origins else []
        claimed = {(row["document_id"], row["extraction_key"]) for row in rows}
        return {
            one: FIRST for one in origins if (one.document_id, one.extraction_key) in claimed
        }

    async def adopt_numbers(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        await unit.connection.execute(ADOPT_NUMBERS, list(document_ids))

    async def find_numbers(
        self, unit: Unit, origins: Sequence[Origin]
    ) -> Mapping[Origin, Number]:
        rows = await unit.connection.fetch(FIND_NUMBERS, *_columns_of(origins))
        return {origins[row["nth"] - 1]: Number(row["version"], row["reading"]) for row in rows}

    async def find_shown(
        self, unit: Unit, document_ids: Sequence[UUID]
    ) -> Mapping[UUID, Shown]:
        rows = await unit.connection.fetch(FIND_SHOWN, list(document_ids))
        return {
            row["document_id"]: Shown(row["version"], row["reading"], row["review_revision"])
            for row in rows
        }

    async def keep_stored(self, unit: Unit, results: Sequence[StoredResult]) -> None:
        # In one order, so that two replicas with the same documents cannot dead-lock.
        ordered = sorted(results, key=lambda one: (one.document_id, one.version))
        await unit.connection.execute(KEEP_STORED, *_columns(ordered))

    async def lock_unpublished(
        self, unit: Unit, document_ids: Sequence[UUID]
    ) -> list[Unpublished]:
        rows = await unit.connection.fetch(LOCK_UNPUBLISHED, list(document_ids))
        return [Unpublished(**row) for row in rows]

    async def lock_forgotten(
        self, unit: Unit, older_than_s: float, limit: int
    ) -> list[Unpublished]:
        rows = await unit.connection.fetch(LOCK_FORGOTTEN, older_than_s, limit)
        return [Unpublished(**row) for row in rows]

    async def put_off(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        await unit.connection.execute(PUT_OFF, list(document_ids))

    async def mark_published(self, unit: Unit, published: Sequence[Published]) -> None:
        columns = zip(*((one.document_id, *one.keys) for one in published), strict=True)
        await unit.connection.execute(MARK_PUBLISHED, *map(list, columns))

    async def erase_results(self, unit: Unit, document_ids: Sequence[UUID]) -> list[str]:
        rows = await unit.connection.fetch(ERASE_RESULTS, list(document_ids))
        return [row["key"] for row in rows]


def _columns_of(origins: Sequence[Origin]) -> list[list[Any]]:
    return [
        [one.document_id for one in origins],
        [one.reading for one in origins],
        [one.review_revision for one in origins],
        [one.replaces for one in origins],
        [one.extraction_key for one in origins],
    ]


def _columns(results: Sequence[StoredResult]) -> list[list[Any]]:
    rows = [
        (
            one.document_id,
            one.version,
            one.owner_id,
            one.accepted_at,
            one.extraction_key,
            one.result_key,
            one.has_files,
            one.verdict,
            one.reading,
            one.review_revision,
            one.result_sha256,
            *_measures(one.table),
        )
        for one in results
    ]
    return [list(column) for column in zip(*rows, strict=True)]


def _measures(table: Table | None) -> tuple[int | None, str | None, date | None, str | None]:
    if table is None:
        return None, None, None, None
    return table.size, table.sha256, table.issue_date, table.seller

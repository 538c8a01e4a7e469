"""Stored results and their outputs, in PostgreSQL. One method per file in `sql/`, same name."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from services.storage.domain.results import Number, Origin, StoredResult, Unpublished
from shared.database.statements import statement
from shared.ledger.port import Unit

FIND_STORED = statement(__file__, "find_stored")
NUMBER_VERSIONS = statement(__file__, "number_versions")
FIND_NUMBERS = statement(__file__, "find_numbers")
KEEP_STORED = statement(__file__, "keep_stored")
LOCK_UNPUBLISHED = statement(__file__, "lock_unpublished")
LOCK_FORGOTTEN = statement(__file__, "lock_forgotten")
ERASE_RESULTS = statement(__file__, "erase_results")
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
        asked = _columns_of(origins)
        await unit.connection.execute(NUMBER_VERSIONS, *asked)
        return await self.find_numbers(unit, origins)

    async def find_numbers(
        self, unit: Unit, origins: Sequence[Origin]
    ) -> Mapping[Origin, Number]:
        rows = await unit.connection.fetch(FIND_NUMBERS, *_columns_of(origins))
        return {
            origins[row["nth"] - 1]: Number(row["version"], row["reading"], row["superseded"])
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

    async def mark_published(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        await unit.connection.execute(MARK_PUBLISHED, list(document_ids))

    async def erase_results(self, unit: Unit, document_ids: Sequence[UUID]) -> list[str]:
        rows = await unit.connection.fetch(ERASE_RESULTS, list(document_ids))
        return [row["extraction_key"] for row in rows]


def _columns_of(origins: Sequence[Origin]) -> list[list[Any]]:
    return [
        [one.document_id for one in origins],
        [one.reading for one in origins],
        [one.review_revision for one in origins],
        [one.replaces for one in origins],
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
        )
        for one in results
    ]
    return [list(column) for column in zip(*rows, strict=True)]

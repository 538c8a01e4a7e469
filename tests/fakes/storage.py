"""Stored results in memory, and which of them the dated paths show."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from services.storage.domain.results import Number, Origin, StoredResult, Unpublished
from shared.ledger.port import Unit


class InMemoryStoredResults:
    def __init__(self) -> None:
        self.rows: dict[tuple[UUID, int], StoredResult] = {}
        self.current: dict[UUID, Unpublished] = {}
        self.published: set[UUID] = set()
        self.numbers: dict[Origin, Number] = {}
        self._orders: dict[UUID, tuple[int, int]] = {}

    async def number_versions(
        self, unit: Unit, origins: Sequence[Origin]
    ) -> Mapping[Origin, Number]:
        for one in origins:
            if one not in self.numbers:
                self.numbers[one] = self._number(one)
        return {one: self._with_fate(one, self.numbers[one]) for one in origins}

    async def find_stored(
        self, unit: Unit, versions: Sequence[tuple[UUID, int]]
    ) -> set[tuple[UUID, int]]:
        return self.rows.keys() & set(versions)

    async def keep_stored(self, unit: Unit, results: Sequence[StoredResult]) -> None:
        for one in results:
            self.rows.setdefault((one.document_id, one.version), one)
            order = (one.reading, one.review_revision)
            if one.has_files and self._orders.get(one.document_id, (0, 0)) < order:
                self._orders[one.document_id] = order
                self.current[one.document_id] = Unpublished(
                    one.document_id, one.version, one.accepted_at
                )
                self.published.discard(one.document_id)

    async def lock_unpublished(
        self, unit: Unit, document_ids: Sequence[UUID]
    ) -> list[Unpublished]:
        behind = self.current.keys() - self.published
        return [self.current[one] for one in sorted(behind & set(document_ids))]

    async def lock_forgotten(
        self, unit: Unit, older_than_s: float, limit: int
    ) -> list[Unpublished]:
        # Time stands still in memory: what is behind counts as old enough.
        behind = sorted(self.current.keys() - self.published)
        return [self.current[one] for one in behind[:limit]]

    async def mark_published(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        self.published |= set(document_ids)

    async def erase_results(self, unit: Unit, document_ids: Sequence[UUID]) -> list[str]:
        self.numbers = {
            one: number
            for one, number in self.numbers.items()
            if one.document_id not in document_ids
        }
        for document_id in document_ids:
            self.current.pop(document_id, None)
            self._orders.pop(document_id, None)
            self.published.discard(document_id)
        gone = [key for key in self.rows if key[0] in document_ids]
        return [self.rows.pop(key).extraction_key for key in gone]

    def _number(self, origin: Origin) -> Number:
        taken = {key[1] for key in self.rows if key[0] == origin.document_id} | {
            number.version
            for one, number in self.numbers.items()
            if one.document_id == origin.document_id
        }
        numbered = {
            number.version
            for one, number in self.numbers.items()
            if one.document_id == origin.document_id
        }
        version = origin.reading + origin.review_revision
        if not origin.review_revision or version in numbered:
            version = max({1, *taken}) + 1
        return Number(version, origin.reading if origin.review_revision else version)

    def _with_fate(self, origin: Origin, number: Number) -> Number:
        newer = any(
            one.document_id == origin.document_id
            and not one.review_revision
            and other.reading > number.reading
            for one, other in self.numbers.items()
        )
        return replace(number, superseded=newer)

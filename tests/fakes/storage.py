"""Stored results in memory, and which of them the dated paths show."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from services.storage.domain.erasing import Erasing
from services.storage.domain.results import (
    Number,
    Origin,
    Published,
    Shown,
    StoredResult,
    Unpublished,
)
from shared.ledger.port import Unit


class InMemoryStoredResults:
    def __init__(self) -> None:
        self.rows: dict[tuple[UUID, int], StoredResult] = {}
        self.current: dict[UUID, Unpublished] = {}
        self.published: set[UUID] = set()
        self.numbers: list[tuple[Origin, Number]] = []
        self.shown: dict[UUID, Shown] = {}

    async def number_versions(
        self, unit: Unit, origins: Sequence[Origin]
    ) -> Mapping[Origin, Number]:
        self._adopt()
        for one in origins:
            known = self._known(one)
            if known is None or self._is_overtaken(one, known):
                self.numbers.append((one, self._number(one)))
        return {one: known for one in origins if (known := self._known(one))}

    async def find_shown(
        self, unit: Unit, document_ids: Sequence[UUID]
    ) -> Mapping[UUID, Shown]:
        return {one: self.shown[one] for one in document_ids if one in self.shown}

    async def find_stored(
        self, unit: Unit, versions: Sequence[tuple[UUID, int]]
    ) -> set[tuple[UUID, int]]:
        return self.rows.keys() & set(versions)

    async def keep_stored(self, unit: Unit, results: Sequence[StoredResult]) -> None:
        for one in results:
            self.rows.setdefault((one.document_id, one.version), one)
            before = self.shown.get(one.document_id)
            if one.has_files and (before is None or before.rank < one.as_shown.rank):
                self.shown[one.document_id] = one.as_shown
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
        behind = [one for one in self.current if one not in self.published]
        return [self.current[one] for one in behind[:limit]]

    async def put_off(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        for one in document_ids:
            self.current[one] = self.current.pop(one)

    async def mark_published(self, unit: Unit, published: Sequence[Published]) -> None:
        self.published |= {one.document_id for one in published}

    async def erase_results(self, unit: Unit, document_ids: Sequence[UUID]) -> list[str]:
        self.numbers = [one for one in self.numbers if one[0].document_id not in document_ids]
        for document_id in document_ids:
            self.current.pop(document_id, None)
            self.shown.pop(document_id, None)
            self.published.discard(document_id)
        gone = [key for key in self.rows if key[0] in document_ids]
        return [self.rows.pop(key).extraction_key for key in gone]

    def _adopt(self) -> None:
        numbered = {(one.document_id, number.version) for one, number in self.numbers}
        for (document_id, version), row in self.rows.items():
            if row.verdict is None and (document_id, version) not in numbered:
                origin = Origin(document_id, 1, 0, version - 1, row.extraction_key)
                self.numbers.append((origin, Number(version, version)))

    def _known(self, origin: Origin) -> Number | None:
        found = [
            number
            for one, number in self.numbers
            if one.document_id == origin.document_id
            and one.review_revision == origin.review_revision
            and (
                one.reading == origin.reading
                if origin.review_revision
                else one.extraction_key == origin.extraction_key
                and number.version > origin.replaces
            )
        ]
        return max(found, key=lambda one: one.version, default=None)

    def _is_overtaken(self, origin: Origin, known: Number) -> bool:
        shown = self.shown.get(origin.document_id)
        return (
            not origin.review_revision
            and shown is not None
            and (origin.document_id, known.version) not in self.rows
            and shown.version > known.version
            and shown.reading < known.reading
        )

    def _number(self, origin: Origin) -> Number:
        document_id = origin.document_id
        numbered = {
            number.version for one, number in self.numbers if one.document_id == document_id
        }
        kept = {version for one, version in self.rows if one == document_id}
        first = origin.reading + origin.review_revision
        if not origin.review_revision:
            is_new = not (origin.replaces or kept or 1 in numbered)
            version = 1 if is_new else max({1} | numbered | kept) + 1
            return Number(version, version)
        shown = self.shown.get(document_id)
        outdoes = shown is not None and shown.rank < (origin.reading, origin.review_revision)
        if first in numbered or (outdoes and shown and shown.version > first):
            first = max({1} | numbered | kept) + 1
        return Number(first, origin.reading)


class FakeErasures:
    """Whether a day still shows something is told by SQL alone: here it never does."""

    def __init__(self) -> None:
        self.awaited: dict[UUID, Erasing] = {}
        self._placed: set[UUID] = set()

    async def await_erasures(self, unit: Unit, erasures: Sequence[Erasing]) -> None:
        for one in erasures:
            self.awaited.setdefault(one.document_id, one)

    async def are_there_any(self, unit: Unit) -> bool:
        return bool(self.awaited)

    async def place_erasures(self, unit: Unit) -> list[UUID]:
        # Here every change is counted at once.
        placed = [one for one in self.awaited if one not in self._placed]
        self._placed.update(placed)
        return placed

    async def lock_erased(self, unit: Unit, limit: int) -> list[Erasing]:
        return list(self.awaited.values())[:limit]

    async def forget_erasures(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        for document_id in document_ids:
            del self.awaited[document_id]
            self._placed.discard(document_id)

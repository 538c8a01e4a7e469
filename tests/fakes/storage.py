"""Stored results in memory, and which of them the dated paths show."""

from collections.abc import Sequence
from uuid import UUID

from services.storage.domain.results import StoredResult, Unpublished
from shared.ledger.port import Unit


class InMemoryStoredResults:
    def __init__(self) -> None:
        self.rows: dict[tuple[UUID, int], StoredResult] = {}
        self.current: dict[UUID, Unpublished] = {}
        self.published: set[UUID] = set()

    async def find_stored(
        self, unit: Unit, versions: Sequence[tuple[UUID, int]]
    ) -> set[tuple[UUID, int]]:
        return self.rows.keys() & set(versions)

    async def keep_stored(self, unit: Unit, results: Sequence[StoredResult]) -> None:
        for one in results:
            self.rows.setdefault((one.document_id, one.version), one)
            known = self.current.get(one.document_id)
            if one.has_files and (known is None or known.version < one.version):
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

    async def erase_results(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        for document_id in document_ids:
            self.current.pop(document_id, None)
            self.published.discard(document_id)
        for key in [key for key in self.rows if key[0] in document_ids]:
            del self.rows[key]

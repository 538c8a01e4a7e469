"""Holds in a dictionary, and documents that a test says have had their time."""

from collections.abc import Sequence
from uuid import UUID

from services.ingest.domain.retention import Expired, Hold, RetentionRules
from shared.ledger.port import Unit
from tests import builders
from tests.fakes.documents import InMemoryDocuments


class FakeRetention:
    def __init__(self, documents: InMemoryDocuments) -> None:
        self._documents = documents
        self.expired: list[UUID] = []
        self.another_looks = False

    async def hold_document(
        self, unit: Unit, document_id: UUID, *, by: str, reason: str
    ) -> Hold | None:
        row = self._documents.rows.get(document_id)
        if row is None or row.status == "deleted":
            return None
        known = self._documents.holds.get(document_id)
        since = known.since if known else builders.ACCEPTED_AT
        self._documents.holds[document_id] = Hold(document_id, since, by, reason)
        return self._documents.holds[document_id]

    async def lift_hold(self, unit: Unit, document_id: UUID) -> Hold | None:
        return self._documents.holds.pop(document_id, None)

    async def find_holds(self, unit: Unit, document_ids: Sequence[UUID]) -> list[Hold]:
        return [hold for one, hold in self._documents.holds.items() if one in document_ids]

    async def try_retention(self, unit: Unit) -> bool:
        return not self.another_looks

    async def lock_expired(
        self, unit: Unit, rules: RetentionRules, *, limit: int
    ) -> list[UUID]:
        return self._due()[:limit]

    async def count_expired(self, unit: Unit, rules: RetentionRules) -> list[Expired]:
        due = len(self._due())
        return [Expired("default", due, len(self.expired) - due, 0, None)] if due else []

    def _due(self) -> list[UUID]:
        """Of those that have had their time, the ones that may go and have not gone."""
        return [
            one
            for one in self.expired
            if one not in self._documents.holds
            and self._documents.rows[one].status != "deleted"
        ]

"""Withdrawn documents in memory, as the extractor and storage remember them."""

from collections.abc import Callable, Sequence
from uuid import UUID

from shared.ledger.port import Unit


class InMemoryWithdrawals:
    def __init__(self) -> None:
        self.reasons: dict[UUID, str] = {}
        # What others commit before it is our turn.
        self.before_turn: Callable[[], object] = lambda: None

    async def lock_documents(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        """In memory everybody has his turn at once."""
        self.before_turn()

    async def find_withdrawn(self, unit: Unit, document_ids: Sequence[UUID]) -> set[UUID]:
        return self.reasons.keys() & set(document_ids)

    async def note_withdrawn(
        self, unit: Unit, document_ids: Sequence[UUID], reason: str
    ) -> None:
        for document_id in document_ids:
            self.reasons.setdefault(document_id, reason)

"""Documents of the review service that nobody wants any more, in memory."""

from collections.abc import Sequence
from uuid import UUID

from shared.ledger.port import Unit
from tests.fakes.review import InMemoryReviewItems


class InMemoryWithdrawals:
    def __init__(self, items: InMemoryReviewItems) -> None:
        self.reasons: dict[UUID, str] = {}
        # Becomes known only after the first look, as a cancel that commits meanwhile.
        self.late: dict[UUID, str] = {}
        self._items = items

    async def lock_documents(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        self.reasons |= self.late

    async def find_withdrawn(
        self, document_ids: Sequence[UUID], unit: Unit | None = None
    ) -> set[UUID]:
        return {one for one in document_ids if one in self.reasons}

    async def record_withdrawals(
        self, unit: Unit, document_ids: Sequence[UUID], reasons: Sequence[str]
    ) -> None:
        for document_id, reason in zip(document_ids, reasons, strict=True):
            if self.reasons.get(document_id) != "deleted":
                self.reasons[document_id] = reason

    async def withdraw_items(self, unit: Unit, document_ids: Sequence[UUID]) -> list[UUID]:
        return [one for one in document_ids if self._items.withdraw(one)]

    async def erase_items(self, unit: Unit, document_ids: Sequence[UUID]) -> list[UUID]:
        return [one for one in document_ids if self._items.erase(one)]

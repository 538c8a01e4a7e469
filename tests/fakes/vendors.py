"""What was seen of issuers, in memory."""

from collections.abc import Sequence
from uuid import UUID

from services.extractor.domain.sightings import Sighting
from services.extractor.domain.vendors import Memory
from services.extractor.ports import Asking, Noted
from shared.ledger.port import Unit
from tests.fakes.withdrawals import InMemoryWithdrawals


class InMemoryVendors:
    def __init__(self, withdrawals: InMemoryWithdrawals | None = None) -> None:
        self._withdrawals = withdrawals or InMemoryWithdrawals()
        self.rows: dict[UUID, tuple[str, Sighting]] = {}
        self.decided: dict[UUID, int] = {}

    async def recall_vendor(self, unit: Unit, asking: Sequence[Asking]) -> Sequence[Memory]:
        return [self._recalled(one) for one in asking]

    def _recalled(self, asking: Asking) -> Memory:
        found = [
            seen
            for noted, (owner, seen) in reversed(self.rows.items())
            if owner == asking.owner_id
            and noted != asking.document_id
            and not {*asking.identities}.isdisjoint(seen.identities)
        ]
        return Memory(sorted(found, key=lambda one: -one.weight), asking.identities)

    async def note_vendor(
        self,
        unit: Unit,
        owner_id: str,
        document_id: UUID,
        seen: Sighting,
        *,
        decided_version: int = 0,
    ) -> None:
        known = self.decided.get(document_id, 0)
        if known == 0 or known < decided_version:
            self.rows[document_id] = (owner_id, seen)
            self.decided[document_id] = decided_version

    async def note_unless_withdrawn(self, unit: Unit, several: Sequence[Noted]) -> bool:
        await self._withdrawals.lock_documents(unit, [one.document_id for one in several])
        if any(one.document_id in self._withdrawals.reasons for one in several):
            return False
        for one in several:
            if one.seen is not None:
                await self.note_vendor(unit, one.owner_id, one.document_id, one.seen)
        return True

    async def forget_vendors(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        for document_id in document_ids:
            self.rows.pop(document_id, None)
            self.decided.pop(document_id, None)

"""What was seen of issuers, in memory."""

from collections.abc import Sequence
from uuid import UUID

from services.extractor.domain.sightings import Sighting
from services.extractor.domain.vendors import Memory
from shared.ledger.port import Unit
from tests.fakes.withdrawals import InMemoryWithdrawals


class InMemoryVendors:
    def __init__(self, withdrawals: InMemoryWithdrawals | None = None) -> None:
        self._withdrawals = withdrawals or InMemoryWithdrawals()
        self.rows: dict[UUID, tuple[str, Sighting]] = {}
        self.decided: dict[UUID, int] = {}

    async def recall_vendor(
        self, unit: Unit, owner_id: str, identities: Sequence[str], document_id: UUID
    ) -> Memory:
        found = [
            seen
            for noted, (owner, seen) in reversed(self.rows.items())
            if owner == owner_id
            and noted != document_id
            and not {*identities}.isdisjoint(seen.identities)
        ]
        return Memory(sorted(found, key=lambda one: -one.weight), identities)

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

    async def note_unless_withdrawn(
        self, unit: Unit, owner_id: str, document_id: UUID, seen: Sighting | None
    ) -> bool:
        await self._withdrawals.lock_documents(unit, [document_id])
        if document_id in self._withdrawals.reasons:
            return False
        if seen is not None:
            await self.note_vendor(unit, owner_id, document_id, seen)
        return True

    async def forget_vendors(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        for document_id in document_ids:
            self.rows.pop(document_id, None)
            self.decided.pop(document_id, None)

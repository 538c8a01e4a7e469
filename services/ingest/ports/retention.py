"""How long documents stay: who holds which, and which have had their time."""

from collections.abc import Sequence
from typing import Protocol
from uuid import UUID

from services.ingest.domain.retention import Expired, Hold, RetentionRules
from shared.ledger.port import Unit


class Retention(Protocol):
    async def hold_document(
        self, unit: Unit, document_id: UUID, *, by: str, reason: str
    ) -> Hold | None:
        """None for what is unknown or deleted. Held again, it has another reason."""

    async def lift_hold(self, unit: Unit, document_id: UUID) -> Hold | None:
        """What was lifted; None when nobody held it."""

    async def find_holds(self, unit: Unit, document_ids: Sequence[UUID]) -> list[Hold]: ...

    async def try_retention(self, unit: Unit) -> bool:
        """False while another replica looks; until the commit."""

    async def lock_expired(
        self, unit: Unit, rules: RetentionRules, *, limit: int
    ) -> list[UUID]:
        """Those that ended first, first; nobody moves them until the commit."""

    async def count_expired(self, unit: Unit, rules: RetentionRules) -> list[Expired]: ...

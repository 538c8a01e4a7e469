"""What a client does to a document it has handed in, the bytes it had, and what is noted.

A document that is unknown and one that is somebody else's are the same to these.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from shared.audit.chain import Entry
from shared.ledger.port import Unit


@dataclass(frozen=True, slots=True)
class Ending:
    """A document as its client left it; `ended` if it was under way until then."""

    document_id: UUID
    owner_id: str
    accepted_at: datetime
    priority: int
    run: int
    content_key: str
    ended: bool
    lasted_s: float

    def document(self) -> dict[str, Any]:
        """What every fact about it carries."""
        return {
            "document_id": self.document_id,
            "owner_id": self.owner_id,
            "accepted_at": self.accepted_at,
            "priority": self.priority,
        }


class Endings(Protocol):
    """None for a document that is unknown, not the owner's, or as it is to become already."""

    async def cancel_document(
        self, unit: Unit, document_id: UUID, *, owner_id: str | None, fact_id: UUID
    ) -> Ending | None:
        """Only while it has not ended."""

    async def delete_document(
        self, unit: Unit, document_id: UUID, *, owner_id: str | None, fact_id: UUID
    ) -> Ending | None:
        """Leaves a tombstone, and tells which content it had."""

    async def erase_events(self, unit: Unit, document_id: UUID) -> None:
        """All but that it was deleted."""

    async def reopen_document(
        self,
        unit: Unit,
        document_id: UUID,
        *,
        owner_id: str | None,
        told_id: UUID,
        traceparent: str | None,
    ) -> bool:
        """Only what failed: it waits for its turn, in its next run."""


class Contents(Protocol):
    """Which bytes are somebody's. Taking in and erasing the same bytes take turns."""

    async def revive_contents(self, unit: Unit, content_keys: Sequence[str]) -> set[str]:
        """Before their documents are kept: those whose bytes may have been erased."""

    async def release_content(self, unit: Unit, content_key: str) -> bool:
        """True when no document has it any more; nobody takes it in until the commit."""


class Trail(Protocol):
    async def record(self, unit: Unit, *entries: Entry) -> None:
        """Last in the unit: writers of the log take turns until they commit."""

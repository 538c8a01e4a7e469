"""What a client does to a document it has handed in, the bytes it had, and what is noted.

A document that is unknown and one that is somebody else's are the same to these.
"""

from collections.abc import Mapping, Sequence
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


@dataclass(frozen=True, slots=True)
class Reopening:
    """Who wants which document to be begun anew; `force`: whatever was read of it before."""

    document_id: UUID
    owner_id: str | None
    force: bool
    # In place of the fact that said last what became of it.
    told_id: UUID
    traceparent: str | None
    # By which engine; without one by the usual ones.
    engine: str | None = None


@dataclass(frozen=True, slots=True)
class Reopened:
    """The run that begins, and what it begins from."""

    run: int
    status_before: str
    result_version: int


class Endings(Protocol):
    """None for a document that is unknown, not the owner's, or as it is to become already."""

    async def cancel_documents(
        self, unit: Unit, fact_ids: Mapping[UUID, UUID], *, owner_id: str | None
    ) -> list[Ending]:
        """Only those that have not ended, by their ids, each by the fact that tells it.

        Not what is being read anew: it has a result, which cancelling would take away.
        """

    async def delete_documents(
        self, unit: Unit, fact_ids: Mapping[UUID, UUID], *, owner_id: str | None
    ) -> list[Ending]:
        """Leaves tombstones, and tells which contents they had: only of those that were not
        deleted and are not held, by their ids, each by the fact that tells it."""

    async def erase_events(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        """All but that they were deleted."""

    async def reopen_document(self, unit: Unit, asked: Reopening) -> Reopened | None:
        """Only what failed or, by force, has a result: it waits for its turn."""


class Contents(Protocol):
    """Which bytes are somebody's. Taking in and erasing the same bytes take turns."""

    async def release_content(self, unit: Unit, content_key: str) -> bool:
        """True when no document has it any more, which is noted with the commit; until then
        nobody takes it in."""

    async def is_erasable(self, unit: Unit, content_key: str) -> bool:
        """Whether what was noted still holds; nobody takes it in until the commit."""


class Trail(Protocol):
    async def record(self, unit: Unit, *entries: Entry) -> None:
        """Last in the unit: writers of the log take turns until they commit."""

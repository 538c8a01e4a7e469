"""Where decisions are taken back, and where is known what stands around an item."""

from collections.abc import Sequence
from typing import Protocol
from uuid import UUID

from services.review.domain.decisions import Context, Reextraction, Reopening
from services.review.domain.items import Part, ReviewItem
from shared.ledger.port import Unit


class Decisions(Protocol):
    async def reopen_item(
        self, unit: Unit, asked: Reopening, *, undo_s: float, lease_s: float
    ) -> ReviewItem | None:
        """None when it is not decided at this version, was split, or is not to be undone any
        more; an undone one stays in its reviewer's hands for the lease."""
        ...

    async def ask_again(
        self, unit: Unit, asked: Reextraction, *, wait_s: float
    ) -> ReviewItem | None:
        """Out of everybody's hands, and not handed out while the new reading is awaited. None
        when it is not open at this version, or in somebody else's hands."""
        ...

    async def keep_parts(self, unit: Unit, parent_id: UUID, parts: Sequence[Part]) -> None:
        """In the unit of the decision that makes them."""
        ...

    async def drop_parts(self, unit: Unit, parent_id: UUID, parts: Sequence[UUID]) -> bool:
        """Whether they were the parts of this file still."""
        ...

    async def reopen_split(self, unit: Unit, document_id: UUID, why: str) -> ReviewItem | None:
        """None when it is not rejected as split: it is open already, or something else."""
        ...

    async def note_draft(self, unit: Unit, reviewed_key: str, document_id: UUID) -> None:
        """Before it is written; it is one until a decision has it."""
        ...

    async def forget_draft(self, unit: Unit, reviewed_key: str) -> None: ...

    async def list_stale_drafts(self, *, older_than_s: float, limit: int) -> list[str]:
        """Written for decisions that never were."""
        ...

    async def find_context(self, document_id: UUID, *, actor: str, undo_s: float) -> Context:
        """Empty for an item that does not exist."""
        ...

"""What the handlers of the review service need from the outside."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol
from uuid import UUID

from services.review.domain.claims import Claimant
from services.review.domain.items import (
    Decision,
    ItemField,
    NewItem,
    Place,
    ReviewItem,
)
from services.review.domain.listing import Wanted
from services.review.domain.ranking import Plan
from services.review.domain.rules import Rules
from services.review.ports.decisions import Decisions
from services.review.ports.forms import Forms
from services.review.ports.insight import Insight
from services.review.ports.pages import PagePorts
from services.review.ports.queue import Queue, Reviewers
from shared.audit.chain import Entry, Line
from shared.blobs.port import Blobs
from shared.clock import Clock
from shared.ledger.port import Ledger, Unit


class ReviewItems(Protocol):
    async def open_items(self, unit: Unit, items: Sequence[NewItem]) -> set[UUID]:
        """The documents that had no item yet; for the others nothing changes."""
        ...

    async def lock_items(self, unit: Unit, document_ids: Sequence[UUID]) -> list[ReviewItem]:
        """Those there are, as they stay until the commit."""
        ...

    async def show_anew(self, unit: Unit, items: Sequence[NewItem]) -> None:
        """What was read anew takes the place of what the items showed, their values too.

        A decided item is open again; a claim stays, but not what its holder saw.
        """
        ...

    async def keep_fields(self, unit: Unit, fields: Sequence[ItemField]) -> None:
        """In place of what stood at their paths."""
        ...

    async def claim_next_item(
        self, unit: Unit, *, claimant: Claimant, lease_s: float
    ) -> ReviewItem | None:
        """None when every open item is in somebody's hands, put off, or for others."""
        ...

    async def claim_item(
        self, unit: Unit, *, document_id: UUID, claimant: Claimant, lease_s: float
    ) -> ReviewItem | None:
        """None when the item is decided, withdrawn, unknown, lent to somebody else, or not
        for this reviewer."""
        ...

    async def release_item(
        self, unit: Unit, *, document_id: UUID, reviewer: str
    ) -> ReviewItem | None:
        """None when the reviewer does not hold it."""
        ...

    async def decide_item(self, unit: Unit, decision: Decision) -> ReviewItem | None:
        """None when the item is not the one that was judged, or not the reviewer's to judge."""
        ...

    async def find_item(self, document_id: UUID) -> ReviewItem | None: ...

    async def list_fields(
        self, document_id: UUID, unit: Unit | None = None
    ) -> list[ItemField]: ...

    async def list_items(
        self, *, wanted: Wanted, after: Place | None, limit: int
    ) -> list[ReviewItem]:
        """Oldest first, so that a new item never moves what somebody is paging through."""
        ...


class Withdrawals(Protocol):
    async def lock_documents(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        """Until the commit, nobody else opens or withdraws these documents."""
        ...

    async def find_withdrawn(
        self, document_ids: Sequence[UUID], unit: Unit | None = None
    ) -> set[UUID]: ...

    async def record_withdrawals(
        self, unit: Unit, document_ids: Sequence[UUID], reasons: Sequence[str]
    ) -> None: ...

    async def withdraw_items(self, unit: Unit, document_ids: Sequence[UUID]) -> list[UUID]:
        """Takes open items out of the queue; those it took."""
        ...

    async def erase_items(self, unit: Unit, document_ids: Sequence[UUID]) -> list[UUID]:
        """Items and their fields, decided or not; those there were."""
        ...


class Trail(Protocol):
    async def record(self, unit: Unit, *entries: Entry) -> None:
        """Last in the unit: writers of the log take turns until they commit."""
        ...

    async def list_entries(self, resource: str, *, actor: str | None, limit: int) -> list[Line]:
        """Newest first; of one actor, or of everybody."""
        ...


@dataclass(frozen=True, slots=True)
class Limits:
    claim_lease_s: float = 900
    extraction_bytes_max: int = 16 << 20
    extraction_reads_max: int = 8
    undo_s: float = 30
    reextract_wait_s: float = 3600
    # Who was not seen for so long is given nothing.
    away_after_s: float = 8 * 3600


@dataclass(frozen=True, slots=True)
class Ports:
    items: ReviewItems
    withdrawals: Withdrawals
    decisions: Decisions
    forms: Forms
    rules: Rules
    trail: Trail
    blobs: Blobs
    ledger: Ledger
    pages: PagePorts
    queue: Queue
    reviewers: Reviewers
    insight: Insight
    # To show how near something is. What is decided is decided by the database's.
    clock: Clock
    limits: Limits = Limits()
    plan: Plan = field(default_factory=Plan)
    # By which a document can be read anew.
    engines: Sequence[str] = ("einvoice", "offline", "gemini")

"""What a review item is, and which decisions its state allows.

An item rests on a version: the values a person saw and the verdict over them. A claim changes
neither, so claiming an item never makes somebody's view of it stale.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from pydantic import BaseModel

from shared.contracts.body import Priority
from shared.contracts.extraction import ExtractionV1
from shared.contracts.orders import Verdict


class ItemStatus(StrEnum):
    PENDING = "pending"
    IN_REVIEW = "in_review"
    APPROVED = "approved"
    CORRECTED = "corrected"
    REJECTED = "rejected"
    # The document was cancelled while its item was open. Nobody decided anything.
    WITHDRAWN = "withdrawn"


OPEN = frozenset({ItemStatus.PENDING, ItemStatus.IN_REVIEW})


@dataclass(frozen=True, slots=True)
class NewItem:
    """An order to review, on its way to become the one item of its document."""

    document_id: UUID
    owner_id: str
    accepted_at: datetime
    priority: Priority
    extraction_key: str
    result_version: int
    sha256: str
    engine: str
    confidence: float
    duplicate: bool
    filename: str
    vendor_name: str | None
    invoice_number: str | None
    # By when it is wanted, and what its place in the queue rests on apart from that.
    due_at: datetime
    doubt: float
    complexity: float
    value: float
    base: float
    sla_rate: float
    ranked_on: Mapping[str, Any]
    # What stands against approving it without a person, and whether that is nothing.
    gates: Sequence[Mapping[str, Any]]
    automatic: bool
    # Whose trace and run the decision will carry on, days later.
    job_id: UUID
    run: int
    traceparent: str | None


@dataclass(frozen=True, slots=True)
class ReviewItem(NewItem):
    status: ItemStatus
    # What a person made of the extraction, once somebody has.
    reviewed_key: str | None
    version: int
    revision: int
    claimed_by: str | None
    claimed_until: datetime | None
    # By the database's clock, when the row was read.
    claim_holds: bool
    decided_by: str | None
    decided_at: datetime | None
    reason_code: str | None
    reason: str | None
    opened_at: datetime
    # `base` and `due_at` as one number: who has more of it goes first among those not overdue.
    rank_key: float
    breached_at: datetime | None
    assigned_to: str | None
    postponed_until: datetime | None
    level: int
    # Of all who held it, and since when the first of them did.
    seconds_spent: float
    first_claimed_at: datetime | None
    # The document that this one is another copy of.
    duplicate_of: UUID | None = None
    # Who opened it again, until it is decided.
    reopened_by: str | None = None
    # Since when, and for whom, the document is being read anew.
    reextract_asked_at: datetime | None = None
    reextract_asked_by: str | None = None
    # How often it has changed hands.
    turn: int = 0

    def claimed_by_another(self, reviewer: str) -> bool:
        return self.claim_holds and self.claimed_by != reviewer


@dataclass(frozen=True, slots=True)
class ItemField:
    """One value on the item's form, and what is known of it."""

    document_id: UUID
    position: int
    path: str
    value: str | None
    raw: str | None
    confidence: float
    status: str
    source: str | None
    evidence: Sequence[dict[str, Any]]
    # What else it may be, the best first, as the extraction names it.
    alternatives: Sequence[dict[str, Any]] = ()
    # What was read here, once a person's value stands in its place.
    machine: dict[str, Any] | None = None
    # Whose word it is: no machine writes over it.
    locked_by: str | None = None

    @property
    def is_empty(self) -> bool:
        return self.value is None


@dataclass(frozen=True, slots=True)
class Part:
    """Pages of a file that become a document, under the id that it has from now on."""

    document_id: UUID
    pages: Sequence[int]


@dataclass(frozen=True, slots=True)
class Decision:
    document_id: UUID
    # The version the reviewer saw; any other row is not the one that was judged.
    version: int
    reviewer: str
    verdict: Verdict
    # Under which the reviewed extraction was written; a rejection has none.
    reviewed_key: str | None = None
    reason_code: str | None = None
    reason: str | None = None
    duplicate_of: UUID | None = None
    # What blocked, and was approved all the same.
    overridden: Sequence[str] = ()
    # What is made of its pages instead of a result.
    parts: Sequence[Part] = ()
    # Decides also what is for others.
    lead: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page of items ended: the next one begins after it."""

    opened_at: datetime
    document_id: UUID


class NoSuchItem(LookupError):
    """No item under this document id, or one that has been erased."""


class NotAllowed(ValueError):
    """The state of the item forbids the action."""

    def __init__(self, item: ReviewItem, sentence: str) -> None:
        super().__init__(sentence)
        self.item = item


class AlreadyDecided(NotAllowed):
    def __init__(self, item: ReviewItem) -> None:
        by = f" by {item.decided_by}" if item.decided_by else ""
        super().__init__(item, f"the item is {item.status.value}{by}")


class ClaimedByAnother(NotAllowed):
    def __init__(self, item: ReviewItem) -> None:
        super().__init__(item, f"{item.claimed_by} is reviewing the item")


class StaleVersion(NotAllowed):
    """The item is no longer the one the reviewer looked at."""

    def __init__(self, item: ReviewItem, seen: int) -> None:
        super().__init__(item, f"version {seen} was seen, version {item.version} is current")
        self.seen = seen


def is_newer(reading: NewItem, known: ReviewItem | None) -> bool:
    """The document was read anew since. What nobody wants any more stays withdrawn."""
    return (
        known is not None
        and known.status is not ItemStatus.WITHDRAWN
        and reading.result_version > known.result_version
    )


def resource_of(document_id: UUID) -> str:
    """How the audit log names an item."""
    return f"review-item/{document_id}"


def check_claimable(item: ReviewItem, reviewer: str) -> None:
    if item.status not in OPEN:
        raise AlreadyDecided(item)
    if item.claimed_by_another(reviewer):
        raise ClaimedByAnother(item)


def check_decidable(item: ReviewItem, decision: Decision) -> None:
    check_claimable(item, decision.reviewer)
    if item.version != decision.version:
        raise StaleVersion(item, decision.version)


def fields_of(extraction: ExtractionV1) -> list[ItemField]:
    return [
        ItemField(
            document_id=extraction.document_id,
            position=position,
            path=path,
            value=field.value,
            raw=field.raw,
            confidence=field.confidence,
            status=field.status,
            source=field.source,
            evidence=_plain(field.evidence),
            alternatives=_plain(field.alternatives),
        )
        for position, (path, field) in enumerate(extraction.fields.items())
    ]


def _plain(models: tuple[BaseModel, ...]) -> list[dict[str, Any]]:
    return [one.model_dump(mode="json") for one in models] if models else []

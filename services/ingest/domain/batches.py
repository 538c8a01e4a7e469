"""Documents that are handed in together, and what has become of them."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from services.ingest.domain.documents import Event, Scan
from services.ingest.domain.said import NOTHING, Said
from shared.contracts.body import Priority
from shared.contracts.facts import BatchCompletedV1
from shared.errors import Rejected

ITEMS_MAX = 1_000
# The key of a request stands for all of it; those of its items are made from it.
ROUTE = "batches"
ITEM_ROUTE = "batches/items"
UNDER_WAY = ("queued", "processing")
# Told to who watches a batch, until `batch.completed`.
PROGRESS = "batch.progress"


@dataclass(frozen=True, slots=True)
class Wish:
    """What a client says of one document of a batch, or of all of them."""

    priority: Priority = Priority.NORMAL
    said: Said = NOTHING


@dataclass(frozen=True, slots=True)
class Reference:
    """A document by its bytes, which its owner has handed in before."""

    content_key: str
    filename: str = ""
    wish: Wish = Wish()


@dataclass(frozen=True, slots=True)
class Refused:
    """Why one item of a request becomes no document; `reason` is one of the runbook's."""

    position: int
    filename: str
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a request: the bytes that were found for it, or why it is refused.

    `content` is what it names, whether or not that is accepted today.
    """

    position: int
    filename: str
    content: str
    found: Scan | Refused
    wish: Wish = Wish()

    def fingerprint(self) -> tuple[str, ...]:
        priority = str(int(self.wish.priority))
        return self.content, self.filename, priority, self.wish.said.fingerprint()


@dataclass(frozen=True, slots=True)
class NewBatch:
    batch_id: UUID
    owner_id: str
    created_at: datetime
    refused: Sequence[Refused]


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch and how far it is. Names are those of the columns."""

    batch_id: UUID
    owner_id: str
    created_at: datetime
    completed_at: datetime | None
    deleted_at: datetime | None
    # Counts how often all of it had ended: a replay may reopen a member.
    revision: int
    rejected: Sequence[Mapping[str, Any]]
    documents: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    progress: int = 100
    # Grows with every change of the batch or of a member.
    version: int = 0

    @property
    def is_complete(self) -> bool:
        return not any(self.counts.get(status) for status in UNDER_WAY)


@dataclass(frozen=True, slots=True)
class Member:
    """One document of a batch, as far as the batch shows it."""

    position: int
    document_id: UUID
    status: str
    stage: str
    progress: int
    filename: str
    error_message: str | None
    confidence: float | None
    vendor_name: str | None
    invoice_number: str | None
    invoice_date: str | None
    total: str | None
    currency: str | None
    result_key: str | None


class NothingAccepted(Rejected):
    """Of a whole request nothing became a document, so there is no batch."""

    def __init__(self, refused: Sequence[Refused]) -> None:
        super().__init__("nothing_accepted", "None of these items can be accepted.")
        self.refused = refused


def standing_of(batch: Batch, at: datetime) -> Event:
    """How far a batch is, as an event of its own kind: the next one makes it out of date."""
    body = {
        "status": "completed" if batch.is_complete else "processing",
        "progress": batch.progress,
        "documents": batch.documents,
        "counts": dict(batch.counts),
        "revision": batch.revision,
    }
    kind = BatchCompletedV1.type if batch.is_complete else PROGRESS
    return Event(batch.version, at, kind, body)


def batch_hash(items: Sequence[Item]) -> str:
    """Equal for equal requests: the same items in the same order, said with equal words."""
    told = json.dumps([item.fingerprint() for item in items])
    return hashlib.sha256(told.encode()).hexdigest()

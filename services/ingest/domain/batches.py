"""Documents that are handed in together, and what has become of them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from shared.contracts.body import Priority

ITEMS_MAX = 1_000
ROUTE = "batches"


@dataclass(frozen=True, slots=True)
class Item:
    """A document by its bytes, which its owner has handed in before."""

    content_key: str
    filename: str = ""
    priority: Priority = Priority.NORMAL


@dataclass(frozen=True, slots=True)
class Refused:
    position: int
    reason: str


@dataclass(frozen=True, slots=True)
class Batch:
    batch_id: UUID
    owner_id: str
    created_at: datetime
    completed_at: datetime | None
    revision: int
    rejected: Sequence[Mapping[str, Any]]


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


def counts(members: Sequence[Member]) -> dict[str, int]:
    return dict(Counter(member.status for member in members))


def progress(members: Sequence[Member]) -> int:
    """Ended is ended, however it went."""
    under_way = ("queued", "processing")
    done = (one.progress if one.status in under_way else 100 for one in members)
    return sum(done) // len(members) if members else 100

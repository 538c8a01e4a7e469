"""What somebody looks for among the items, and where a page of them ended."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal
from uuid import UUID

from services.review.domain.items import ItemStatus, ReviewItem

# Items of both states in which an item waits for a decision.
OPEN_ITEMS: Literal["open"] = "open"
NOBODY = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is None was not asked. `holder` has claimed the item, or was given it."""

    status: ItemStatus | Literal["open"] | None = None
    holder: str | None = None
    level: int | None = None
    due_from: datetime | None = None
    due_until: datetime | None = None
    # The beginning of a vendor's name, an invoice number or a file name.
    beginning: str | None = None

    @property
    def is_plain(self) -> bool:
        """Nothing but a status was asked."""
        return self == Wanted(self.status) and self.status != OPEN_ITEMS


@dataclass(frozen=True, slots=True)
class Measured:
    """How much waits for a person, and how long the oldest of it."""

    open_items: int = 0
    overdue_items: int = 0
    oldest_age_s: float = 0


@dataclass(frozen=True, slots=True)
class RankPlace:
    """A row of one of the two orders: what it goes by, and what decides among equals."""

    points: float
    opened_at: datetime
    document_id: UUID


@dataclass(frozen=True, slots=True)
class RankedPlace:
    """Where a page in rank order ended: at one moment, and in each of the two orders."""

    as_of: datetime
    timely: RankPlace | None = None
    late: RankPlace | None = None

    def after(self, items: Sequence[ReviewItem]) -> "RankedPlace":
        """The place behind these, which came after this one."""
        place = self
        for item in items:
            if item.breached_at is None:
                behind = RankPlace(item.rank_key, item.opened_at, item.document_id)
                place = replace(place, timely=behind)
            else:
                behind = RankPlace(item.base, item.opened_at, item.document_id)
                place = replace(place, late=behind)
        return place

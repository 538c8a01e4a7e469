"""Who may take which item, and how long a claim lasts; what a claim is refused for.

An item may be given to one reviewer, put off until a time, or escalated to a level. A reviewer
is of a level, and sees the items of it and of those below.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

from services.review.domain.items import (
    OPEN,
    AlreadyDecided,
    NotAllowed,
    ReviewItem,
    check_claimable,
)

LEVEL_MAX = 3
POSTPONED_MAX = timedelta(days=366)
# Whose hands a deed of the machine is in.
SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Reviewer:
    """Somebody who reviews, as the queue knows them."""

    name: str
    level: int
    active: bool
    seen_at: datetime
    # Open items that are theirs, claimed or assigned.
    load: int = 0


@dataclass(frozen=True, slots=True)
class Claimant:
    """Who asks for an item. A lead takes any."""

    name: str
    level: int = 1
    lead: bool = False
    # From which total on two persons are asked for: what is in the own hand is not lent then.
    two_from: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Woken:
    """An item that is free again: its time has come, or the claim of `held_by` has ended."""

    item: ReviewItem
    held_by: str | None


@dataclass(frozen=True, slots=True)
class Postponement:
    document_id: UUID
    until: datetime
    reason: str


class LeaseLost(NotAllowed):
    """The claim has ended, or somebody else holds the item by now."""

    def __init__(self, item: ReviewItem) -> None:
        by = f"; {item.claimed_by} is reviewing the item" if item.claim_holds else ""
        super().__init__(item, f"the claim has ended{by}")


class AssignedToAnother(NotAllowed):
    def __init__(self, item: ReviewItem) -> None:
        super().__init__(item, f"the item is assigned to {item.assigned_to}")


class AboveLevel(NotAllowed):
    def __init__(self, item: ReviewItem, level: int) -> None:
        super().__init__(
            item,
            f"the item was escalated to level {item.level}, and this reviewer is of {level}",
        )


class ReviewerAway(NotAllowed):
    def __init__(self, item: ReviewItem, name: str) -> None:
        super().__init__(item, f"{name} is away and is given nothing")


class UnknownReviewer(LookupError):
    """Nobody of this name was ever seen here, or was made a reviewer by a lead."""


class TooFarAhead(ValueError):
    """Put off for years, an item would be lost: nobody is given it, and nobody looks for it."""


class NotInTheFuture(ValueError):
    """Who puts an item off names a time that is still to come."""


def check_takeable(item: ReviewItem, claimant: Claimant) -> None:
    """Says why an item cannot be claimed by somebody."""
    check_claimable(item, claimant.name)
    if claimant.lead:
        return
    if item.assigned_to not in (None, claimant.name):
        raise AssignedToAnother(item)
    if item.level > claimant.level:
        raise AboveLevel(item, claimant.level)


def check_disposable(item: ReviewItem, claimant: Claimant) -> None:
    """Says why somebody cannot put an item off or pass it on. Who holds it may."""
    if not (item.claim_holds and item.claimed_by == claimant.name):
        check_takeable(item, claimant)


def check_assignable(item: ReviewItem, reviewer: Reviewer | None) -> None:
    """Says why somebody cannot be given an item: nobody else would ever be lent it."""
    if reviewer is None:
        raise UnknownReviewer
    if not reviewer.active:
        raise ReviewerAway(item, reviewer.name)
    if item.level > reviewer.level:
        raise AboveLevel(item, reviewer.level)


def check_held(item: ReviewItem, reviewer: str) -> None:
    """Says why somebody has nothing to hold on to or to give back."""
    if item.status not in OPEN:
        raise AlreadyDecided(item)
    if not (item.claim_holds and item.claimed_by == reviewer):
        raise LeaseLost(item)

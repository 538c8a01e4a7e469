"""The proof that nothing was lost, doubled or forgotten, from what was told: sums that must
agree, and for each promise the documents that break it, by name.

What no fact tells cannot be proved from here: that a content was read by an engine once, and
that a person's value stays. Those are held where they are kept, and by tests.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

# What was accepted a moment ago may be on its way to us still.
GRACE = timedelta(minutes=10)
OFFENDERS_MAX = 100
IN_FLIGHT = frozenset({"queued", "processing"})

# What each means, for whoever reads the report.
PROMISES: Mapping[str, str] = {
    "accepted_balances": "Every document that was accepted stands in exactly one place.",
    "ended_unaccepted": "No document ends that nobody accepted.",
    "ended_differently": "A run of a document has one end.",
    "forgotten": "No document is in no queue, no table and no store.",
    "lost": "No document is given up because its message was nowhere.",
    "failed_without_letter": "What failed is found among the dead letters.",
    "unreviewed": "Every result gets a review item.",
    "reviewed_twice": "Every result gets one review item only.",
    "stored_twice": "A version of a result is stored once.",
    "replayed_twice": "A replay never doubles an effect.",
    "replaying_without_replay": "A letter on its way has a replay that is on its way.",
    "replay_unheard": "Every replay comes to an end.",
    "urgent_stood_behind": "Urgent work overtakes.",
    "starved": "Whatever waits longest has its turn, however much urgent work comes.",
    "parked": "No message waits for a person to send it.",
}


@dataclass(frozen=True, slots=True)
class Period:
    """Of the documents that were accepted in it."""

    since: datetime
    until: datetime


@dataclass(frozen=True, slots=True)
class Offender:
    # A document, a job or a letter.
    subject: str
    detail: str


@dataclass(frozen=True, slots=True)
class Violation:
    invariant: str
    total: int
    # Some of them, where there are many.
    offenders: tuple[Offender, ...] = ()


@dataclass(frozen=True, slots=True)
class Sums:
    """How many documents stand where, and of how many their acceptance was told."""

    by_status: Mapping[str, int]
    accepted: int

    @property
    def documents(self) -> int:
        return sum(self.by_status.values())

    @property
    def in_flight(self) -> int:
        return sum(self.by_status.get(status, 0) for status in IN_FLIGHT)

    @property
    def ended(self) -> int:
        return self.documents - self.in_flight

    @property
    def difference(self) -> int:
        """Accepted without a place to stand, or standing without having been accepted."""
        return self.accepted - self.documents


@dataclass(frozen=True, slots=True)
class Conservation:
    period: Period
    # Of documents before that, not everything was kept.
    began_at: datetime
    taken_at: datetime
    sums: Sums
    violations: tuple[Violation, ...]
    # None when it was not asked for; else what is wrong with the audit log, or nothing.
    audit: str | None = None

    @property
    def holds(self) -> bool:
        return not any(one.total for one in self.violations) and self.audit in (None, "intact")


def all_violations(sums: Sums, found: Sequence[Violation]) -> tuple[Violation, ...]:
    gap = Violation("accepted_balances", abs(sums.difference))
    by_name = {one.invariant: one for one in (gap, *found)}
    return tuple(by_name.get(name, Violation(name, 0)) for name in PROMISES)


def bounded(since: datetime, until: datetime, began_at: datetime, now: datetime) -> Period:
    start = max(since, began_at)
    return Period(start, max(start, min(until, now - GRACE)))

"""How long documents stay, and who wants which of them to stay longer.

A class is known by tags, which are what a client says of a document. Of several classes the
longest counts: what is kept too long can still be erased, and not the other way round.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from shared.configuration.retention import FOREVER, Retention

# Beyond any calendar that matters, and still a date for PostgreSQL.
FOREVER_DAYS = 1_000_000
# The actor of what nobody asked for but the calendar.
KEEPER = "retention"


@dataclass(frozen=True, slots=True)
class Hold:
    document_id: UUID
    since: datetime
    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class RetentionRules:
    """One row per tag: its class, and how many days that class is kept."""

    default_days: int
    tags: tuple[str, ...] = ()
    days: tuple[int, ...] = ()
    classes: tuple[str, ...] = ()

    @property
    def shortest_days(self) -> int:
        return min(self.default_days, *self.days) if self.days else self.default_days


@dataclass(frozen=True, slots=True)
class Expired:
    """Of one class: how many have had their time, and how many of them stay all the same."""

    class_name: str
    due: int
    on_hold: int
    in_review: int
    oldest_completed_at: datetime | None


def rules_of(retention: Retention) -> RetentionRules:
    rows = [
        (tag, _days(one.days), name)
        for name, one in retention.classes.items()
        for tag in one.tags
    ]
    return RetentionRules(
        _days(retention.default.days),
        tuple(tag for tag, _, _ in rows),
        tuple(days for _, days, _ in rows),
        tuple(name for _, _, name in rows),
    )


def _days(days: int | str) -> int:
    return FOREVER_DAYS if days == FOREVER else int(days)

"""An hour in numbers: what happened in it, and how all stood when it was written down."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

HOUR = timedelta(hours=1)
# Whoever was away for longer has gaps older than that, and they stay.
HOURS_BACK_MAX = 48


@dataclass(frozen=True, slots=True)
class Number:
    # What was counted, of which kind, and how many.
    name: str
    label: str
    value: float


def hours_to_keep(last: datetime | None, now: datetime) -> Sequence[datetime]:
    """Hours that are over and have no snapshot, the oldest first."""
    over = now.astimezone(UTC).replace(minute=0, second=0, microsecond=0) - HOUR
    first = over if last is None else max(last + HOUR, over - (HOURS_BACK_MAX - 1) * HOUR)
    count = int((over - first) / HOUR) + 1
    return [first + place * HOUR for place in range(count)]

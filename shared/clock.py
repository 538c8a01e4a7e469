"""Where time comes from, so that a test can own it.

Decisions that outlive a process compare database time only (`shared/database/clock.py`
implements this Protocol); a host's wall clock is good for display and nothing else.
"""

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime: ...


class WallClock:
    def now(self) -> datetime:
        return datetime.now(UTC)  # noqa: TID251 -- the one place that may ask the host


def since_boot() -> float:
    """In seconds, for terms that others count too: a suspended machine's sleep counts."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)

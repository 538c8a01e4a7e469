"""How a provider is protected, in numbers: when it is left alone, and what it may cost.

Ages and remaining times instead of moments, because each was taken by the database's clock and
no other may be compared with that.
"""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final, Literal
from uuid import UUID

BreakerState = Literal["closed", "half-open", "open"]

# Why a breaker is open when no failure has opened it, and when only an operator can help.
DAY_QUOTA: Final = "day_quota"
CREDENTIALS: Final = "credentials"


@dataclass(frozen=True, slots=True)
class BreakerTerms:
    failure_threshold: int = 5
    recovery_timeout_s: float = 60.0
    # For how long documents wait for a provider before they go on without it.
    patience_s: float = 900.0
    # A probe that nobody hears of for so long has died.
    probe_lease_s: float = 120.0
    # Where the midnight is at which a day's quota begins anew.
    quota_zone: str = "America/Los_Angeles"


@dataclass(frozen=True, slots=True)
class Circuit:
    """How a breaker stands. Closed, or with a probe of one's own: ask. Otherwise it is away."""

    state: BreakerState = "closed"
    failures: int = 0
    reason: str | None = None
    due_in_s: float = 0.0
    patience_left_s: float = 0.0
    probe: UUID | None = None

    @property
    def may_ask(self) -> bool:
        return self.state == "closed" or self.probe is not None


@dataclass(frozen=True, slots=True)
class CallTerms:
    """What one call may take, and how one waits for the next."""

    provider: str
    deadline_s: float = 90.0
    at_once: int = 8
    # Longer waits are spent on the delay ladder: a slot that sleeps serves nobody.
    nap_s_max: float = 1.0
    # Of a provider that says it is asked too often, but not for how long.
    backoff_s: float = 2.0
    backoff_s_max: float = 60.0
    # No hint of a provider stops everybody for longer.
    hint_s_max: float = 3600.0


@dataclass(frozen=True, slots=True)
class Ceilings:
    """In money per day. None is no limit."""

    total: Decimal | None = None
    owner: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Reservation:
    """Money set aside for one call, on the day on which it was."""

    day: date
    owner_id: str
    amount: Decimal

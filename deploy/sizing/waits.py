"""What a simulated day was like: who waited how long, how much lay there, how much ran."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Ended:
    """One document's way, in seconds from its arrival."""

    arrived_s: float
    begun_s: float
    ended_s: float
    is_urgent: bool

    @property
    def wait_s(self) -> float:
        return self.begun_s - self.arrived_s

    @property
    def whole_s(self) -> float:
        return self.ended_s - self.arrived_s


@dataclass(frozen=True, slots=True)
class Moment:
    """Looked at once a minute."""

    at_s: float
    backlog: int
    replicas: int
    busy: int


@dataclass(slots=True)
class Day:
    ended: list[Ended] = field(default_factory=list)
    moments: list[Moment] = field(default_factory=list)
    calls: int = 0
    # By how many documents the provider's rate made to come back later.
    sent_back: int = 0

    @property
    def backlog_peak(self) -> int:
        return max((one.backlog for one in self.moments), default=0)

    @property
    def replica_hours(self) -> float:
        return sum(one.replicas for one in self.moments) / 60

    def waits(self, *, urgent: bool) -> Sequence[float]:
        return sorted(one.wait_s for one in self.ended if one.is_urgent == urgent)

    def wholes(self, *, urgent: bool) -> Sequence[float]:
        return sorted(one.whole_s for one in self.ended if one.is_urgent == urgent)

    def replicas_in(self, hour: int) -> int:
        """The most there were."""
        return max(
            (m.replicas for m in self.moments if hour <= m.at_s / 3600 < hour + 1), default=0
        )

    def backlog_in(self, hour: int) -> int:
        return max(
            (m.backlog for m in self.moments if hour <= m.at_s / 3600 < hour + 1), default=0
        )


def quantile(ordered: Sequence[float], share: float) -> float:
    """The smallest of which so large a share is no more; nothing at all is no time."""
    if not ordered:
        return 0.0
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]

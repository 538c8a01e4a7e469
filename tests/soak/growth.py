"""Does it grow? What a soak has seen of processes and connections, judged by stated bounds.

Every restart begins a new process, so memory is followed within each life: one line is fitted
through all of them, each about its own mean, once the life is warm. What merely goes up and
down is judged by its most: that of the second half against that of the first.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import TypeAlias

HOUR_S = 3_600.0
# A process is warm after a third of its life: it has loaded what it needs and filled its
# caches and pools by then. In a long life that is certain after ten minutes.
WARM_AFTER, WARM_S_MAX = 1 / 3, 600.0
# Of a short life most of what is seen is the allocator settling, and of a long one that has
# ended long ago: so much in any life, and so much more for each hour of it.
SETTLES_MB, MB_PER_HOUR = 5.0, 12.0
# A pool is not full in the first minutes.
MOST_TIMES_MAX, MOST_MORE_MAX = 1.25, 8


@dataclass(frozen=True, slots=True)
class Seen:
    """One look at a process, so many seconds after the soak began."""

    at_s: float
    service: str
    pid: int
    resident_mb: float
    descriptors: int
    threads: int


@dataclass(frozen=True, slots=True)
class Counted:
    """How many there were of something that is counted for the whole stack."""

    at_s: float
    connections: Mapping[str, int]


Life: TypeAlias = Sequence[Seen]


@dataclass(frozen=True, slots=True)
class Growth:
    """Of the memory of one service, over all its lives."""

    lives: int
    # Once warm: in the first life, and in the last.
    first_mb: float
    last_mb: float
    mb_per_hour: float
    # How long the longest life was warm.
    longest_s: float

    @property
    def gained_mb(self) -> float:
        """In that one, by the fitted line."""
        return self.mb_per_hour * self.longest_s / HOUR_S

    @property
    def allowed_mb(self) -> float:
        return SETTLES_MB + MB_PER_HOUR * self.longest_s / HOUR_S

    @property
    def is_bounded(self) -> bool:
        return self.gained_mb <= self.allowed_mb


@dataclass(frozen=True, slots=True)
class Most:
    """The most there was of something in each half."""

    earlier: int
    later: int

    @property
    def is_bounded(self) -> bool:
        return self.later <= self.earlier * MOST_TIMES_MAX + MOST_MORE_MAX


def lives_of(service: str, seen: Iterable[Seen]) -> list[Life]:
    """What was seen of each of its processes, the first of them first."""
    found: dict[int, list[Seen]] = defaultdict(list)
    for one in seen:
        if one.service == service:
            found[one.pid].append(one)
    return list(found.values())


def growth_of(lives: Iterable[Life]) -> Growth:
    warm = [part for one in lives if len(part := _warm(one)) > 1]
    if not warm:
        raise ValueError("no life was long enough to say anything of it")
    about_means = [_about_mean(one) for one in warm]
    spread = sum(t * t for part in about_means for t, _ in part)
    per_s = sum(t * mb for part in about_means for t, mb in part) / spread
    longest_s = max(one[-1].at_s - one[0].at_s for one in warm)
    return Growth(
        lives=len(warm),
        first_mb=median(one.resident_mb for one in warm[0]),
        last_mb=median(one.resident_mb for one in warm[-1]),
        mb_per_hour=per_s * HOUR_S,
        longest_s=longest_s,
    )


def most_of(values: Sequence[int]) -> Most:
    half = len(values) // 2
    if not half:
        raise ValueError("too little was seen to say anything of it")
    return Most(max(values[:half]), max(values[half:]))


def _warm(life: Life) -> Life:
    began, ended = life[0].at_s, life[-1].at_s
    since = began + min((ended - began) * WARM_AFTER, WARM_S_MAX)
    return [one for one in life if one.at_s >= since]


def _about_mean(life: Life) -> list[tuple[float, float]]:
    at_s, mb = fmean(one.at_s for one in life), fmean(one.resident_mb for one in life)
    return [(one.at_s - at_s, one.resident_mb - mb) for one in life]

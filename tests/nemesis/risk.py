"""Which answers of the provider may have been lost, so that they may be paid for once more.

Only those that were on their way, or were being kept, while something happened that can lose
one. Were every trouble an excuse, an answer that is paid for twice would always have one.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tests.gemini_double.ledger import Call
from tests.nemesis.plan import Trouble

# Between an answer and its being kept, where nothing holds it up; and before its call begins.
IN_HAND_S, BEFORE_S = 1.0, 1.0
# What an answer passes on its way to where it is kept, beside the extractor that holds it.
WAY = frozenset(("provider", "postgres", "store"))
# Nothing is lost by these; whoever holds an answer only holds it longer.
HOLDS_UP = frozenset(("network_slow", "store_is_slow"))
LOSES = {"network": WAY, "store": WAY, "bytes": WAY, "database": frozenset(("",))}
ENDS_THE_READER = frozenset(("killed", "frozen"))


@dataclass(frozen=True, slots=True)
class Time:
    began: float
    ended: float

    def touches(self, since: float, until: float) -> bool:
        return self.began <= until and since <= self.ended


@dataclass(frozen=True, slots=True)
class Risk:
    """In seconds since the epoch, as the ledger of the provider counts."""

    loses: list[Time] = field(default_factory=list)
    holds_up: list[Time] = field(default_factory=list)

    def note(self, trouble: Trouble, began: float, ended: float) -> None:
        if may_lose(trouble):
            self.loses.append(Time(began, ended))
        if trouble.kind in HOLDS_UP and trouble.target in WAY:
            self.holds_up.append(Time(began, ended))

    def forget(self) -> None:
        self.loses.clear()
        self.holds_up.clear()

    def lost(self, calls: Iterable[Call]) -> Iterator[tuple[Call, float]]:
        """Those that may be, and when they were answered."""
        for call in calls:
            ended = call.at + (call.seconds or 0)
            kept_by = self._kept_by(ended)
            if any(one.touches(call.at - BEFORE_S, kept_by) for one in self.loses):
                yield call, ended

    def _kept_by(self, ended: float) -> float:
        until = ended + IN_HAND_S
        for one in sorted(self.holds_up, key=lambda time: time.began):
            if one.touches(ended, until):
                until = max(until, one.ended + IN_HAND_S)
        return until


def may_lose(trouble: Trouble) -> bool:
    if trouble.kind in HOLDS_UP:
        return False
    if trouble.kind in ENDS_THE_READER:
        return trouble.target.startswith("extractor")
    family = "database" if trouble.kind == "sessions_ended" else trouble.kind.partition("_")[0]
    return trouble.target in LOSES.get(family, ())

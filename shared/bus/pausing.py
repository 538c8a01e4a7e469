"""When a queue should stop being consumed, and how it begins again.

A dependency that is away, or a deploy that breaks every document, must not turn the backlog
into dead letters. A paused queue is probed with one delivery at a time until one succeeds.
"""

from collections import deque

from shared.bus.decision import DeadLetter, Decision

WINDOW = 50
DELIVERIES_MIN = 10
DEATHS_RATIO_MAX = 0.2
DEADLY = ("bug", "exhausted")

PROTECTIVE_STOP = "protective_stop"
PROTECTIVE_PROBE_EVERY_S = 60.0
DEPENDENCY_PROBE_EVERY_S = 2.0


class Protection:
    """Trips when too many of a queue's last deliveries died of what looks like our fault."""

    def __init__(self) -> None:
        self._deaths: deque[bool] = deque(maxlen=WINDOW)

    def note(self, decision: Decision) -> None:
        self._deaths.append(isinstance(decision, DeadLetter) and decision.category in DEADLY)

    @property
    def tripped(self) -> bool:
        if len(self._deaths) < DELIVERIES_MIN:
            return False
        return sum(self._deaths) > DEATHS_RATIO_MAX * len(self._deaths)

    @property
    def detail(self) -> str:
        return f"{sum(self._deaths)} of the last {len(self._deaths)} deliveries died"

    def reset(self) -> None:
        self._deaths.clear()

"""How many replicas a cluster runs: what KEDA says of a queue, and what is made of that.

As they are written. KEDA (ExpectedQueueConsumptionTime) divides what lies in the queue, in hand
or not, by the rate at which it is taken, and says nothing where nothing is taken. An autoscaler
takes that as `Value`, in proportion to the pods there are, or as `AverageValue`, as if each
pod had its share of the seconds: which makes no sense of a time, and is the default.
"""

import math
from collections import deque
from dataclasses import dataclass
from typing import Literal

TOLERANCE = 0.1
# The broker's own samples, of which KEDA reads the last.
SAMPLE_S = 5.0
# An autoscaler's usual pace upwards: so many more, or as many again.
PODS_UP = 4


@dataclass(frozen=True, slots=True)
class Scaling:
    replicas_min: int
    replicas_max: int
    # Seconds that the queue may take to be emptied.
    target_s: float = math.inf
    measure: Literal["Value", "AverageValue"] = "Value"
    # `excludeUnacknowledged`: what is in hand does not wait.
    waiting_only: bool = True
    every_s: float = 15.0
    # From being asked for to taking documents: scheduled, started, connected.
    start_s: float = 20.0
    stabilise_s: float = 300.0
    down_every_s: float = 60.0


def fixed(replicas: int) -> Scaling:
    return Scaling(replicas, replicas)


class Autoscaler:
    """Asked every `every_s`, with how the queue stands."""

    def __init__(self, terms: Scaling) -> None:
        self._terms = terms
        self._wanted: deque[tuple[float, int]] = deque()
        self._last_down_s = -math.inf

    def replicas(self, now_s: float, current: int, ready: int, seconds: float) -> int:
        recommended = self._recommended(current, ready, seconds)
        self._wanted.append((now_s, recommended))
        while self._wanted[0][0] < now_s - self._terms.stabilise_s:
            self._wanted.popleft()
        if recommended > current:
            return min(recommended, max(2 * current, current + PODS_UP))
        # Down only to what was never exceeded for a while, and one at a time.
        steady = max(wanted for _, wanted in self._wanted)
        if steady < current and now_s - self._last_down_s >= self._terms.down_every_s:
            self._last_down_s = now_s
            return current - 1
        return current

    def _recommended(self, current: int, ready: int, seconds: float) -> int:
        terms = self._terms
        if terms.measure == "Value":
            ratio = seconds / terms.target_s
            wanted = math.ceil(ready * ratio)
        else:
            ratio = seconds / (terms.target_s * current)
            wanted = math.ceil(seconds / terms.target_s)
        if abs(ratio - 1) <= TOLERANCE:
            wanted = current
        return min(terms.replicas_max, max(terms.replicas_min, wanted))


def seconds_to_empty(messages: int, published_per_s: float, taken_per_s: float) -> float:
    """KEDA's formula, as it is written there."""
    if not taken_per_s:
        return 0.0
    return (published_per_s - taken_per_s + messages) / taken_per_s

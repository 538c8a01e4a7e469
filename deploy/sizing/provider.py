"""The provider as the extractor meets it: so many calls a second, and each takes its time."""

import math
import random
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Latency:
    """Of one call. `lognormal` has the tail that providers have; the others are for proofs."""

    mean_s: float
    shape: Literal["constant", "exponential", "lognormal"] = "lognormal"
    sigma: float = 0.4

    def draw(self, dice: random.Random) -> float:
        match self.shape:
            case "constant":
                return self.mean_s
            case "exponential":
                return dice.expovariate(1 / self.mean_s)
            case "lognormal":
                # The mean of a lognormal law is above its middle.
                return dice.lognormvariate(
                    math.log(self.mean_s) - self.sigma**2 / 2, self.sigma
                )


@dataclass(frozen=True, slots=True)
class Provider:
    latency: Latency
    calls_per_s: float = math.inf


class Rate:
    """The bucket that all replicas share: a second's worth at once, then one after another.
    Who is refused is sent behind those who were refused before."""

    def __init__(self, calls_per_s: float) -> None:
        self._calls_per_s = calls_per_s
        self._capacity = 0.0 if calls_per_s == math.inf else max(1.0, float(round(calls_per_s)))
        self._tokens, self._at_s, self._refused = self._capacity, 0.0, 0

    def take(self, now_s: float) -> float:
        """Zero: go. Otherwise after how many seconds asking again is worth it."""
        if self._calls_per_s == math.inf:
            return 0.0
        gained = (now_s - self._at_s) * self._calls_per_s
        self._tokens, self._at_s = min(self._capacity, self._tokens + gained), now_s
        if self._tokens >= 1 - 1e-9:
            self._tokens -= 1
            self._refused = 0
            return 0.0
        wait_s = (1 - self._tokens + self._refused) / self._calls_per_s
        self._refused += 1
        return wait_s

"""When documents come in: a day has its hours, and now and then somebody empties a drawer."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

HOUR_S = 3600.0
# Shares of a working day by hour: little at night, a hill before noon, one after it, and what
# is scanned and sent in batches in the evening.
WORKING_DAY = (
    *(0.2, 0.2, 0.2, 0.2, 0.3, 0.5, 1.0, 2.0, 3.5, 4.5, 4.5, 3.5),
    *(2.5, 3.5, 4.0, 4.0, 3.5, 2.5, 1.5, 1.0, 0.8, 0.5, 0.3, 0.2),
)


@dataclass(frozen=True, slots=True)
class Kind:
    """What a document needs of a slot: processor time, then maybe an answer of the provider."""

    name: str
    cpu_s: float
    asks: bool = False


@dataclass(frozen=True, slots=True)
class Burst:
    at_s: float
    documents: int
    # How fast they are handed in.
    per_s: float = 50.0


@dataclass(frozen=True, slots=True)
class Arrival:
    at_s: float
    kind: Kind
    is_urgent: bool = False


@dataclass(frozen=True, slots=True)
class Load:
    per_hour: float
    kinds: Sequence[tuple[Kind, float]]
    urgent: float = 0.0
    hours: Sequence[float] = (1.0,)
    bursts: Sequence[Burst] = ()

    @property
    def peak_per_hour(self) -> float:
        """Of its busiest hour, without bursts."""
        return self.per_hour * max(self.hours) * len(self.hours) / sum(self.hours)

    def arrivals(self, dice: random.Random) -> Iterator[Arrival]:
        """In their order. Within an hour they come as they like (Poisson)."""
        times = [*self._by_the_hour(dice), *self._at_once()]
        kinds, shares = zip(*self.kinds, strict=True)
        for at_s in sorted(times):
            [kind] = dice.choices(kinds, shares)
            yield Arrival(at_s, kind, dice.random() < self.urgent)

    def _by_the_hour(self, dice: random.Random) -> Iterator[float]:
        mean = sum(self.hours) / len(self.hours)
        for hour, share in enumerate(self.hours):
            per_s = self.per_hour * share / mean / HOUR_S
            at_s = hour * HOUR_S
            while per_s and (at_s := at_s + dice.expovariate(per_s)) < (hour + 1) * HOUR_S:
                yield at_s

    def _at_once(self) -> Iterator[float]:
        for burst in self.bursts:
            for number in range(burst.documents):
                yield burst.at_s + number / burst.per_s

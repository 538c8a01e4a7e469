"""Several systems on one and the same work: what is compared, round by round.

A ratio is taken within a round, so that what else the machine does falls on all alike; told is
the median of the rounds. What disturbed a round is told too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from tests.bench._shared.report import say
from tests.bench._shared.used import DISTURBED, SERVERS, Spent
from tests.system.stack import SERVICES

# The columns of a table; whoever has other servers shows them under the first that fits.
PARTS = ("workers", "broker", "database")
STORES = {"redis": "broker"}


@dataclass(frozen=True, slots=True)
class Measured:
    """Documents a second, and CPU µs of one by part."""

    rate: float
    parts_us: Mapping[str, float]
    others: float

    @property
    def cpu_us(self) -> float:
        return sum(self.parts_us.values())


Round = Mapping[str, Measured]


def measured(count: int, rate: float, spent: Spent) -> Measured:
    """Processes of the services are workers, as those of everybody else are."""
    parts = dict.fromkeys(PARTS, 0.0)
    for name, used_s in spent.cpu_s.items():
        parts[name if name in SERVERS else "workers"] += used_s / count * 1e6
    return Measured(rate, parts, spent.others)


def service_parts(count: int, spent: Spent) -> Mapping[str, float]:
    """CPU µs of one document by service."""
    return {name: spent.cpu_s[name] / count * 1e6 for name in SERVICES}


def names(rounds: Sequence[Round]) -> list[str]:
    """Of all that came to an end in every round."""
    return [name for name in rounds[0] if all(name in one for one in rounds)]


def medians(rounds: Sequence[Round], name: str) -> dict[str, Any]:
    every = [one[name] for one in rounds]
    parts = dict.fromkeys(PARTS, 0.0)
    for part in {part for one in every for part in one.parts_us}:
        middle = median(one.parts_us.get(part, 0.0) for one in every)
        parts[STORES.get(part, part)] += middle
    return {
        "documents_per_s": round(median(one.rate for one in every), 1),
        "cpu_us": round(median(one.cpu_us for one in every)),
        **{f"{part}_us": round(us) for part, us in parts.items()},
        "others": round(max(one.others for one in every), 2),
    }


def ratio_of_cpu(rounds: Sequence[Round], name: str, to: str) -> float:
    return median(one[name].cpu_us / one[to].cpu_us for one in rounds)


def ratio_of_rate(rounds: Sequence[Round], name: str, to: str) -> float:
    return median(one[name].rate / one[to].rate for one in rounds)


def say_how_quiet(rounds: Sequence[Round]) -> None:
    worst = {
        name: most
        for name in names(rounds)
        if (most := max(one[name].others for one in rounds)) > DISTURBED
    }
    for name, most in worst.items():
        say(f"NOT QUIET during {name}: others used up to {most:.2f} of a processor")

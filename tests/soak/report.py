"""What a soak has found, as a table for a person and as what is out of its bounds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.nemesis.results import in_columns
from tests.soak.growth import (
    MB_PER_HOUR,
    MOST_MORE_MAX,
    MOST_TIMES_MAX,
    SETTLES_MB,
    Growth,
    Most,
    growth_of,
    lives_of,
    most_of,
)
from tests.soak.looking import Looks
from tests.system.stack import SERVICES

HEADS = ("", "lives", "warm MB", "last MB", "MB an hour", "gained MB", "allowed")


@dataclass(frozen=True, slots=True)
class Report:
    memory: Mapping[str, Growth]
    most: Mapping[str, Most]
    poison: int
    approved: int
    restarts: int

    @classmethod
    def of(cls, looks: Looks, poison: int, approved: int, restarts: int) -> "Report":
        memory = {one: growth_of(lives_of(one, looks.seen)) for one in SERVICES}
        most: dict[str, Most] = {}
        for service in SERVICES:
            own = [one for one in looks.seen if one.service == service]
            most[f"{service} descriptors"] = most_of([one.descriptors for one in own])
            most[f"{service} threads"] = most_of([one.threads for one in own])
        for name in looks.counted[0].connections:
            most[name] = most_of([one.connections[name] for one in looks.counted])
        return cls(memory, most, poison, approved, restarts)

    @property
    def unbounded(self) -> list[str]:
        grown = [f"memory of {name}" for name, one in self.memory.items() if not one.is_bounded]
        return [*grown, *(name for name, one in self.most.items() if not one.is_bounded)]

    def lines(self) -> Sequence[str]:
        rows = [
            (
                *(name, str(one.lives), f"{one.first_mb:.1f}", f"{one.last_mb:.1f}"),
                *(f"{one.mb_per_hour:+.1f}", f"{one.gained_mb:+.1f}", f"{one.allowed_mb:.1f}"),
            )
            for name, one in self.memory.items()
        ]
        most = [(name, str(one.earlier), str(one.later)) for name, one in self.most.items()]
        return [
            f"{self.restarts} restarts, {self.poison} poisoned, {self.approved} approved",
            f"resident, once warm; allowed in a life: {SETTLES_MB:g} MB to settle,"
            f" and {MB_PER_HOUR:g} MB an hour",
            *in_columns([HEADS, *rows]),
            f"the most there was, in each half; allowed in the second: {MOST_TIMES_MAX:g} times"
            f" that of the first, and {MOST_MORE_MAX}",
            *in_columns([("", "first", "second"), *most]),
        ]

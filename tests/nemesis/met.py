"""How often each trouble struck each of its targets, and whom it never met.

By kind alone a trouble that meets one of four hides that it never meets the other three.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from tests.nemesis.plan import LANES

# So often in one run a trouble may find nobody to strike, when it never finds anybody: who asks
# a provider that has just failed waits before he asks again. Over all runs each pair counts.
MISSES_MAX = 4


@dataclass(slots=True)
class Met:
    struck: int = 0
    # Of those, how many found nobody.
    missed: int = 0
    # Planned, and come too late to strike anybody.
    late: int = 0

    @property
    def nobody(self) -> bool:
        return self.struck == self.missed

    def __str__(self) -> str:
        return f"struck {self.struck} times and met nobody, {self.late} too late"


@dataclass(slots=True)
class Meetings:
    """By pair, as "network_slow store"."""

    of: dict[str, Met] = field(default_factory=dict)

    def __getitem__(self, pair: str) -> Met:
        return self.of.setdefault(pair, Met())

    @property
    def never(self) -> Sequence[str]:
        """Those that struck again and again and met nobody: they are none."""
        return [pair for pair, met in self.of.items() if met.nobody and met.struck > MISSES_MAX]

    def told(self) -> dict[str, dict[str, int]]:
        return {pair: asdict(met) for pair, met in sorted(self.of.items())}


def together(told: Iterable[Mapping[str, Mapping[str, int]]]) -> Meetings:
    """Of several runs."""
    found = Meetings()
    for one in told:
        for pair, counts in one.items():
            met = found[pair]
            met.struck += counts["struck"]
            met.missed += counts["missed"]
            met.late += counts["late"]
    return found


def met_nobody(found: Meetings) -> list[str]:
    """A sentence for each pair there is that struck nobody in all these runs."""
    pairs = [
        f"{kind} {target}".strip()
        for lane in LANES.values()
        for kind in lane.kinds
        for target in lane.targets
    ]
    return [
        f"{pair}: {found.of.get(pair, 'never drawn')}"
        for pair in pairs
        if pair not in found.of or found.of[pair].nobody
    ]

"""Which trouble comes when. All of it follows from the seed, so that a failure can be repeated.

Each lane strikes one thing at a time, and the lanes do not wait for each other: a service dies
while the broker is frozen and the provider hangs.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from deploy.local.credentials import SERVICES


@dataclass(frozen=True, slots=True)
class Lane:
    kinds: Sequence[str]
    # How long it lets go between two troubles.
    rest_s: tuple[float, float]
    lasts_s: tuple[float, float] = (0.5, 8.0)
    # What it strikes, where that is one of several.
    targets: Sequence[str] = ("",)


LANES: Mapping[str, Lane] = {
    "services": Lane(
        ("killed", "stopped", "frozen"), rest_s=(1, 6), lasts_s=(0, 8), targets=SERVICES
    ),
    "broker": Lane(
        (
            "broker_killed",
            "broker_restarted",
            "broker_frozen",
            "broker_blocks",
            "connections_closed",
        ),
        rest_s=(6, 30),
    ),
    "database": Lane(
        ("database_killed", "database_restarted", "database_frozen", "sessions_ended"),
        rest_s=(8, 40),
        lasts_s=(0.5, 5),
    ),
    "provider": Lane(
        (
            "provider_fails",
            "provider_is_spent",
            "provider_hangs",
            "provider_babbles",
            "provider_resets",
            "provider_is_slow",
            "provider_drips",
        ),
        rest_s=(2, 15),
    ),
    "messages": Lane(("messages_doubled",), rest_s=(4, 20), lasts_s=(1, 4)),
    # Between the services and everything they speak to, one way there at a time.
    "network": Lane(
        ("network_slow", "network_silent", "network_one_way", "network_resets"),
        rest_s=(2, 15),
        targets=("amqp", "postgres", "store", "provider"),
    ),
    # Only where bytes have a digest or a form that is checked: what altered bytes of AMQP or
    # PostgreSQL would be taken for is prevented by TCP, or by TLS, and by nobody behind them.
    "bytes": Lane(("bytes_flipped",), rest_s=(5, 20), targets=("store", "provider")),
    "clocks": Lane(
        ("clock_ahead", "clock_behind"), rest_s=(10, 40), lasts_s=(3, 10), targets=SERVICES
    ),
}


# For which reasons a good document may be given up meanwhile: it was in the hands of who died
# too often. An outage is no reason: what waits for it costs no attempt.
MAY_DIE_OF = frozenset({"poison"})


@dataclass(frozen=True, slots=True)
class Trouble:
    at_s: float
    kind: str
    target: str
    lasts_s: float

    def __str__(self) -> str:
        return f"{self.kind} {self.target}".strip() + f" for {self.lasts_s:.1f} s"


def plan(seed: int, length_s: float, lanes: Sequence[str]) -> dict[str, list[Trouble]]:
    return {name: list(_of_lane(seed, length_s, name)) for name in lanes}


def _of_lane(seed: int, length_s: float, name: str) -> Iterator[Trouble]:
    # By its name: another lane more or less moves nothing in this one.
    dice, lane = Random(f"{seed} {name}"), LANES[name]
    # Even a short run is struck by all of them.
    at_s = dice.uniform(0.5, min(lane.rest_s[1], length_s / 3))
    while at_s < length_s:
        lasts_s = dice.uniform(*lane.lasts_s)
        yield Trouble(at_s, dice.choice(lane.kinds), dice.choice(lane.targets), lasts_s)
        at_s += lasts_s + dice.uniform(*lane.rest_s)

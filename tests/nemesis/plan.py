"""Which trouble comes when. All of it follows from the seed, so that a failure can be repeated.

Each lane strikes one thing at a time, and the lanes do not wait for each other: a service dies
while the broker is frozen and the provider hangs. They rest long enough for documents to pass
in between: where nothing moves, nothing can be lost. Most troubles are shorter than anybody's
patience; of those that say nothing, one in eight outlasts every timeout and every heartbeat.

What is not here: a network that is cut between three brokers has its own tier (`./paperline
test brokers --part cuts`), since here is one broker. And the object store is never killed: to
those who use it that is a refusal, and what it keeps of an answered write is its own promise.
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


# Longer than a statement (30 s), a read of the store (20 s), a confirmed publish (10 s) and the
# heartbeats of a broker (35 s) are waited for.
LONG_S, LONG_SHARE = (15.0, 45.0), 1 / 8
SILENT = frozenset(
    (
        *("frozen", "broker_frozen", "database_frozen", "broker_blocks", "broker_is_full"),
        *("network_silent", "network_one_way", "network_loses", "provider_hangs"),
    )
)
# So much of a run is left behind the end of a long trouble: it is to be survived under load.
THEN_S = 10.0

LANES: Mapping[str, Lane] = {
    "services": Lane(
        ("killed", "stopped", "frozen"), rest_s=(3, 15), lasts_s=(0, 8), targets=SERVICES
    ),
    "broker": Lane(
        (
            "broker_killed",
            "broker_restarted",
            "broker_frozen",
            "broker_blocks",
            "broker_is_full",
            "connections_closed",
        ),
        rest_s=(15, 50),
    ),
    "database": Lane(
        ("database_killed", "database_restarted", "database_frozen", "sessions_ended"),
        rest_s=(20, 60),
        lasts_s=(0.5, 5),
    ),
    "provider": Lane(
        (
            "provider_fails",
            "provider_is_spent",
            "provider_hints",
            "provider_hangs",
            "provider_babbles",
            "provider_stops_short",
            "provider_objects",
            "provider_resets",
            "provider_is_slow",
            "provider_drips",
        ),
        rest_s=(10, 40),
    ),
    # Alone nobody has an heir: these two are the second of their service.
    "seconds": Lane(
        ("killed", "stopped", "frozen"), rest_s=(8, 30), targets=("extractor-2", "monitor-2")
    ),
    "store": Lane(
        ("store_is_busy", "store_fails", "store_is_slow"), rest_s=(15, 50), targets=("store",)
    ),
    "messages": Lane(("messages_doubled",), rest_s=(4, 20), lasts_s=(1, 4)),
    # Between the services and everything they speak to, one way there at a time.
    "network": Lane(
        (
            "network_slow",
            "network_silent",
            "network_loses",
            "network_one_way",
            "network_resets",
            "network_refuses",
        ),
        rest_s=(10, 40),
        targets=("amqp", "postgres", "store", "provider"),
    ),
    # Only where bytes have a digest or a form that is checked: what altered bytes of AMQP or
    # PostgreSQL would be taken for is prevented by TCP, or by TLS, and by nobody behind them.
    "bytes": Lane(("bytes_flipped",), rest_s=(15, 50), targets=("store", "provider")),
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

    @property
    def pair(self) -> str:
        """What strikes whom."""
        return f"{self.kind} {self.target}".strip()

    def __str__(self) -> str:
        return f"{self.pair} for {self.lasts_s:.1f} s"


def plan(seed: int, length_s: float, lanes: Sequence[str]) -> dict[str, list[Trouble]]:
    return {name: list(_of_lane(seed, length_s, name)) for name in lanes}


def _of_lane(seed: int, length_s: float, name: str) -> Iterator[Trouble]:
    # By its name: another lane more or less moves nothing in this one.
    dice, lane = Random(f"{seed} {name}"), LANES[name]
    # Even a short run is struck by all of them.
    at_s = dice.uniform(0.5, min(lane.rest_s[1], length_s / 3))
    while at_s < length_s:
        lasts_s = dice.uniform(*lane.lasts_s)
        kind, target = dice.choice(lane.kinds), dice.choice(lane.targets)
        is_long, long_s = dice.random() < LONG_SHARE, dice.uniform(*LONG_S)
        if is_long and kind in SILENT and at_s + long_s + THEN_S <= length_s:
            lasts_s = long_s
        yield Trouble(at_s, kind, target, lasts_s)
        at_s += lasts_s + dice.uniform(*lane.rest_s)

"""The delay ladder's arithmetic: any wait, without one message blocking another.

A wait is a number of 250 ms units, written as 16 bits into the routing key. Rung NN holds a
message for its bit's worth of time and hands it down; a zero bit falls through. Each rung
has one TTL, so the order in its queue is the order of expiry.
"""

from dataclasses import dataclass
from math import ceil

RUNGS = 16
UNIT_S = 0.25
UNITS_MAX = (1 << RUNGS) - 1
DELAY_S_MAX = UNITS_MAX * UNIT_S
HOME = "delay.home"


@dataclass(frozen=True, slots=True)
class Rest:
    """Where to publish a message so that it comes home to its queue after the wait."""

    exchange: str
    routing_key: str


def rung_name(level: int) -> str:
    return f"delay.{level:02d}"


def units(delay_s: float) -> int:
    # Rounded up, never early; the tolerance keeps 3.75 s from becoming 4 s by a float's dust.
    count: int = ceil(delay_s / UNIT_S - 1e-9)
    return min(max(count, 1), UNITS_MAX)


def rest(delay_s: float, queue_name: str) -> Rest:
    count = units(delay_s)
    bits = ".".join(f"{count:016b}")
    return Rest(rung_name(count.bit_length() - 1), f"{bits}.{queue_name}")


def rests_key(level: int) -> str:
    """Binds a rung's exchange to its queue: the rung's own bit is 1."""
    return "*." * (RUNGS - 1 - level) + "1.#"


def falls_key(level: int) -> str:
    """Binds a rung's exchange to the next one down: the rung's own bit is 0."""
    return "*." * (RUNGS - 1 - level) + "0.#"


def home_key(queue_name: str) -> str:
    # Not `#.<queue>`: that would also catch a longer name with the same ending.
    return "*." * RUNGS + queue_name

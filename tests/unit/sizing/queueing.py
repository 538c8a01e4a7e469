"""What queueing theory says of lines that it can solve, to hold the simulation against."""

import math


def waits_of_many(per_s: float, mean_s: float, servers: int) -> float:
    """M/M/c, after Erlang: the mean wait."""
    load = per_s * mean_s
    idle = sum(load**k / math.factorial(k) for k in range(servers))
    full = load**servers / math.factorial(servers) * servers / (servers - load)
    return full / (idle + full) * mean_s / (servers - load)


def share_that_waits(per_s: float, mean_s: float, servers: int) -> float:
    """Erlang's C."""
    load = per_s * mean_s
    return waits_of_many(per_s, mean_s, servers) * (servers - load) / mean_s


def waits_of_one(per_s: float, constant_s: float) -> float:
    """M/D/1, after Pollaczek and Khinchine: the mean wait."""
    busy = per_s * constant_s
    return busy * constant_s / (2 * (1 - busy))

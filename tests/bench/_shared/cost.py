"""What a piece of work costs: time on the clock, and CPU of everybody who took part.

Rates move with the machine and with what else runs on it; CPU per envelope moves least. The
servers are read from /proc by the pids of their state folder; of servers that are not ours
nothing is known, and nothing is guessed.
"""

import gc
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from deploy.local.state import State, read_json

PROC = Path("/proc")
TICKS_PER_S = os.sysconf("SC_CLK_TCK")


@dataclass(slots=True)
class Cost:
    """Of `count` envelopes. None for a server that is not on this machine or not ours."""

    count: int
    seconds: float = 0.0
    client_s: float = 0.0
    broker_s: float | None = None
    database_s: float | None = None

    @property
    def rate(self) -> float:
        return self.count / self.seconds

    def us(self, seconds: float | None) -> float | None:
        return None if seconds is None else seconds / self.count * 1e6

    @property
    def cpu_s(self) -> float:
        """Of the client and of every server that can be read."""
        return self.client_s + (self.broker_s or 0) + (self.database_s or 0)

    @property
    def figures(self) -> dict[str, float | None]:
        return {
            "rate": self.rate,
            "client_us": self.us(self.client_s),
            "broker_us": self.us(self.broker_s),
            "database_us": self.us(self.database_s),
        }


class Meter:
    def __init__(self, servers: State | None) -> None:
        self._broker = pid_of(servers, "rabbitmq")
        self._database = pid_of(servers, "postgres")

    @contextmanager
    def measure(self, count: int) -> Iterator[Cost]:
        """The cost is complete when the block has ended."""
        gc.collect()
        cost = Cost(count)
        broker, database = tree_cpu_s(self._broker), tree_cpu_s(self._database)
        client, began = time.process_time(), time.monotonic()
        yield cost
        cost.seconds = time.monotonic() - began
        cost.client_s = time.process_time() - client
        cost.broker_s = _since(broker, tree_cpu_s(self._broker))
        cost.database_s = _since(database, tree_cpu_s(self._database))


def pid_of(servers: State | None, component: str) -> int | None:
    recorded = read_json(servers.record(component)).get("pid") if servers else None
    return recorded if isinstance(recorded, int) else None


def _since(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else after - before


def tree_cpu_s(root: int | None) -> float | None:
    """Of a process, its descendants, and the children it has already buried."""
    if root is None:
        return None
    ticks, parents = {}, {}
    for folder in PROC.glob("[0-9]*"):
        try:
            # The name stands in brackets and may hold spaces; what follows it does not.
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        pid = int(folder.name)
        parents[pid] = int(fields[1])
        ticks[pid] = sum(map(int, fields[11:15]))
    if root not in ticks:
        return None
    members = [pid for pid in ticks if root in _line_of(pid, parents)]
    return sum(ticks[pid] for pid in members) / TICKS_PER_S


def _line_of(pid: int, parents: dict[int, int]) -> Iterator[int]:
    while pid in parents:
        yield pid
        pid = parents[pid]

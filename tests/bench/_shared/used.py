"""What a stack has used until a moment, part by part: its services, its broker, its database.

Two moments and what happened between them give what something costs. Whatever else the machine
did meanwhile is told with it, since a figure that was disturbed is no figure.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from deploy.local.state import State
from tests.bench._shared.cost import TICKS_PER_S, pid_of, tree_cpu_s
from tests.eventually import eventually

SERVERS: Mapping[str, str] = {"broker": "rabbitmq", "database": "postgres"}
# So much of a processor in other hands, and a figure is spoiled.
DISTURBED = 0.2


@dataclass(frozen=True, slots=True)
class Used:
    at_s: float
    cpu_s: Mapping[str, float]
    # By everybody on this machine.
    busy_s: float

    def since(self, before: "Used") -> "Spent":
        return Spent(
            seconds=self.at_s - before.at_s,
            cpu_s={name: used - before.cpu_s[name] for name, used in self.cpu_s.items()},
            busy_s=self.busy_s - before.busy_s,
        )


@dataclass(frozen=True, slots=True)
class Spent:
    seconds: float
    cpu_s: Mapping[str, float]
    busy_s: float

    @property
    def total_s(self) -> float:
        return sum(self.cpu_s.values())

    @property
    def others(self) -> float:
        """Processors that somebody else used meanwhile, whoever measures among them."""
        return max(0.0, self.busy_s - self.total_s) / self.seconds


def used_by(state: State, components: Mapping[str, str]) -> Used:
    """Of the processes of a stack and their children, dead ones too, by the names given."""
    cpu_s = {name: _cpu_s(state, component) for name, component in components.items()}
    return Used(time.monotonic(), cpu_s, _busy_s())


async def rest(seconds: float) -> None:
    """Nothing is asked of anybody meanwhile."""
    ends_at = time.monotonic() + seconds
    await eventually(lambda: time.monotonic() >= ends_at, within_s=seconds + 60, every_s=0.5)


def _cpu_s(state: State, component: str) -> float:
    return tree_cpu_s(pid_of(state, component)) or 0.0


def _busy_s() -> float:
    first, *_ = Path("/proc/stat").read_text().splitlines()
    user, nice, system, _idle, _waits, *interrupts = map(int, first.split()[1:8])
    return (user + nice + system + sum(interrupts)) / TICKS_PER_S

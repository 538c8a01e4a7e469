"""A process of the extractor and its parsers' children, told apart: processor time and memory.

Read from /proc, as the costs of the servers are. What a child used that has ended is found with
its parent, so nothing is lost when children are replaced.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench._shared.cost import PROC, TICKS_PER_S

CHILD = "services.extractor.adapters.parser.child"
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
MEBIBYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Child:
    pid: int
    # What it may reserve: this is how the two sorts of them differ.
    memory_bytes: int
    resident_bytes: int
    cpu_s: float


@dataclass(frozen=True, slots=True)
class Household:
    resident_bytes: int
    cpu_s: float
    buried_cpu_s: float
    children: Sequence[Child]

    @property
    def children_cpu_s(self) -> float:
        return self.buried_cpu_s + sum(one.cpu_s for one in self.children)

    def largest(self, memory_bytes: int) -> int:
        """Of the children that may reserve so much."""
        sizes = (c.resident_bytes for c in self.children if c.memory_bytes == memory_bytes)
        return max(sizes, default=0)


def household_of(pid: int) -> Household:
    fields = _fields(pid)
    assert fields is not None, f"process {pid} has ended"
    own, buried = sum(fields[11:13]) / TICKS_PER_S, sum(fields[13:15]) / TICKS_PER_S
    children = [child for one in _children_of(pid) if (child := _child(one)) is not None]
    return Household(_resident_bytes(pid), own, buried, children)


def _children_of(pid: int) -> Sequence[int]:
    return [
        int(one)
        for task in (PROC / str(pid) / "task").iterdir()
        for one in (task / "children").read_text().split()
    ]


def _child(pid: int) -> Child | None:
    fields, words = _fields(pid), _command(pid)
    if fields is None or CHILD not in words:
        return None
    reserved = int(words[words.index(CHILD) + 1])
    return Child(pid, reserved, _resident_bytes(pid), sum(fields[11:15]) / TICKS_PER_S)


def _fields(pid: int) -> Sequence[int] | None:
    """Behind the name, which may hold spaces. None when it has ended."""
    told = _read(pid, "stat").rpartition(")")[2].split()
    return [0, *map(int, told[1:])] if told else None


def _command(pid: int) -> Sequence[str]:
    return _read(pid, "cmdline").split("\0")


def _resident_bytes(pid: int) -> int:
    told = _read(pid, "statm").split()
    return int(told[1]) * PAGE_BYTES if told else 0


def _read(pid: int, what: str) -> str:
    try:
        return Path(PROC / str(pid) / what).read_text()
    except OSError:
        # It has ended meanwhile.
        return ""

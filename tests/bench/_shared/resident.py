"""Memory of a service's process, and of the children that it has opened files in, told apart.

Resident counts what processes share once for each of them, proportional only once; goals are
about the first, which is what a limit of a container sees at the least.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.bench._shared.cost import PROC

MEGABYTE = 1_000_000
KIBIBYTE = 1_024
# The kernel's word for it: the highest resident size is what it is now.
FORGET = "5"


@dataclass(frozen=True, slots=True)
class Resident:
    own_mb: float
    proportional_mb: float
    children_mb: float


def resident(pid: int) -> Resident:
    own = _rollup(pid)
    children = [_rollup(one) for one in _descendants(pid)]
    return Resident(
        own.get("Rss", 0.0), own.get("Pss", 0.0), sum(one.get("Rss", 0.0) for one in children)
    )


def forget_peak(pid: int) -> None:
    """From now on only."""
    Path(PROC / str(pid) / "clear_refs").write_text(FORGET)


def peak_mb(pid: int) -> float:
    """The most that the process itself has held; nobody who looks now and then sees that."""
    lines = Path(PROC / str(pid) / "status").read_text().splitlines()
    [told] = [line.split()[1] for line in lines if line.startswith("VmHWM:")]
    return int(told) * KIBIBYTE / MEGABYTE


def _rollup(pid: int) -> dict[str, float]:
    """Nothing of what has ended meanwhile."""
    try:
        lines = Path(PROC / str(pid) / "smaps_rollup").read_text().splitlines()[1:]
    except OSError:
        return {}
    words = (line.split() for line in lines)
    return {one[0].rstrip(":"): int(one[1]) * KIBIBYTE / MEGABYTE for one in words}


def _descendants(pid: int) -> Iterator[int]:
    try:
        told = [
            (task / "children").read_text() for task in (PROC / str(pid) / "task").iterdir()
        ]
    except OSError:
        return
    for child in (int(one) for text in told for one in text.split()):
        yield child
        yield from _descendants(child)

"""Whether a trouble found whom it was to strike: a plan that strikes nobody proves nothing.

What was there and was not struck is a defect of the test and fails it. What was not there at
that moment, since something else had struck it, has been missed, and the table says how often.
"""

import json
import socket
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

# Stopped by a signal, or gone meanwhile.
HELD = "TtZX"


@dataclass(slots=True)
class Blow:
    # Why nobody was struck; empty when somebody was.
    missed: str = ""
    # Asked at its end, where that is seen only when somebody comes by.
    is_met: Callable[[], bool] = lambda: True
    # Where it was over at once, and only what it did lasted: when, since the epoch.
    over_at: float = 0


def is_held(pid: int) -> bool:
    try:
        told = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return True
    return told.rpartition(")")[2].split()[0] in HELD


def listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wrote_with(lines: Iterable[str], skew: str, now: float) -> bool:
    """Whether somebody with such a clock, as +2h, wrote one of these lines about now."""
    off_s = int(skew.removesuffix("h")) * 3600
    return any(abs(at - now - off_s) < abs(off_s) / 2 for at in _times(lines))


def _times(lines: Iterable[str]) -> Iterable[float]:
    for line in lines:
        try:
            yield datetime.fromisoformat(json.loads(line)["time"]).timestamp()
        except (ValueError, TypeError, KeyError):
            # Not every line of a process is one of its log.
            continue

"""Named places where a test may kill, stop or delay a process.

A crash test that cannot choose its instant proves nothing about the instant that matters.
Unarmed, a failpoint is one dictionary look-up; arming is done by the process at start from
its settings, as `name:action[:nth]` with the actions kill, raise, stop, hold and delay. `stop`
freezes the process; `hold` keeps only the one task, while all others go on, until SIGCONT.
"""

import asyncio
import logging
import os
import signal
from dataclasses import dataclass

DELAY_S = 2.0

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Armed:
    action: str
    hits_left: int


_armed: dict[str, _Armed] = {}


class FailpointHit(Exception):
    """Raised by the action `raise`: stands for a crash that the process survives."""


def arm(specification: str) -> None:
    for part in filter(None, specification.split(",")):
        name, action, *nth = part.split(":")
        if action not in ("kill", "raise", "stop", "hold", "delay"):
            raise ValueError(f"failpoint {name}: unknown action {action!r}")
        _armed[name] = _Armed(action, int(nth[0]) if nth else 1)


def disarm() -> None:
    _armed.clear()


async def failpoint(name: str) -> None:
    armed = _armed.get(name)
    if armed is None:
        return
    armed.hits_left -= 1
    if armed.hits_left != 0:
        return
    # A test whose instant never came has proved nothing, and finds out by this line.
    log.warning("failpoint_reached", extra={"failpoint": name, "action": armed.action})
    match armed.action:
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "stop":
            os.kill(os.getpid(), signal.SIGSTOP)
        case "raise":
            raise FailpointHit(name)
        case "hold":
            released = asyncio.Event()
            asyncio.get_running_loop().add_signal_handler(signal.SIGCONT, released.set)
            await released.wait()
        case _:
            await asyncio.sleep(DELAY_S)

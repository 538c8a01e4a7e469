"""How a process of the stack is told where to die: at its start, or while it runs.

All of them run with a file in which they are told later, so that only those are started anew
which have died, which need other settings, or which have to meet what is redelivered at once.
"""

import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from deploy.local.errors import StackError
from tests.eventually import eventually
from tests.system.stack import Stack

VARIABLE = "PAPERLINE_FAILPOINT"
MET_WITHIN_S = 60.0
NONE = ""


def listening(stack: Stack) -> str:
    return f"@{_file(stack)}"


def _file(stack: Stack) -> Path:
    return stack.state.root / "failpoint"


async def armed(stack: Stack, service: str, failpoint: str) -> None:
    """While it runs."""
    file = _file(stack)
    whole = file.with_suffix(".new")
    whole.write_text(failpoint)
    whole.replace(file)
    stack.send_signal(service, signal.SIGUSR1)
    await eventually(lambda: not file.exists())


async def started(
    stack: Stack, service: str, failpoint: str = NONE, settings: Mapping[str, str] | None = None
) -> None:
    """If it does not run already with just these."""
    told = ",".join(filter(None, (failpoint, listening(stack))))
    with pytest.MonkeyPatch.context() as surroundings:
        for name, text in {**(settings or {}), VARIABLE: told}.items():
            surroundings.setenv(name, text)
        try:
            await stack.start(service)
        except StackError:
            # What it was to die of may come before it is ready.
            if not failpoint:
                raise


@dataclass(frozen=True, slots=True)
class Log:
    """What a service has written since a moment."""

    path: Path
    since: int
    began_at: float

    @classmethod
    def of(cls, stack: Stack, service: str) -> "Log":
        path = stack.state.log(service)
        return cls(path, path.stat().st_size if path.exists() else 0, time.time())

    def lines(self) -> list[str]:
        """Also when that began a new file."""
        if not self.path.exists():
            return []
        with self.path.open("rb") as log:
            if os.fstat(log.fileno()).st_size >= self.since:
                log.seek(self.since)
            return log.read().decode(errors="replace").splitlines()


async def require_met(point: str, told: Callable[[], Sequence[str]]) -> None:
    def by_now() -> bool:
        return any("failpoint_reached" in one and point in one for one in told())

    try:
        await eventually(by_now, within_s=MET_WITHIN_S, every_s=0.05)
    except AssertionError as error:
        raise AssertionError(f"{point} was never met") from error

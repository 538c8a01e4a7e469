"""Processes that outlive the command which started them: found again, and stopped by pid only.

A pid alone proves nothing, since numbers are used again; pid and start time together do.
Every process carries the stack's folder in its environment, so that what a `kill -9` or a
deleted state folder left behind is recognised as ours, and nothing else ever is.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from deploy.local.account import Account, rights_of
from deploy.local.state import State, read_json, write_json

STACK = "PAPERLINE_STACK"
COMPONENT = "PAPERLINE_COMPONENT"
POLL_S = 0.05
SEEN_S = 1.0
KILLED_WITHIN_S = 10.0
LOG_BYTES_MAX = 20 * 1024**2


@dataclass(frozen=True, slots=True)
class Launch:
    """What to start, as whom, and what it was started from."""

    component: str
    command: Sequence[str]
    environment: Mapping[str, str]
    folder: Path
    account: Account | None = None
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class Running:
    pid: int
    ticks: int
    since: float
    fingerprint: str


def start(state: State, launch: Launch) -> Running:
    """Detached from the terminal: Ctrl-C ends the command that watches, not the stack."""
    environment = {**launch.environment, STACK: str(state.root), COMPONENT: launch.component}
    _set_aside(state.log(launch.component))
    with state.log(launch.component).open("ab") as log:
        child = subprocess.Popen(
            launch.command,
            env=environment,
            cwd=launch.folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            **rights_of(launch.account),
        )
    # A program has begun a moment before the kernel shows its surroundings, and whoever looks
    # for it by its mark in between would leave it running.
    wait_until(lambda: bool(_environment(child.pid) - {b""}) or not _ticks(child.pid), SEEN_S)
    running = Running(child.pid, _ticks(child.pid) or 0, time.time(), launch.fingerprint)
    write_json(state.record(launch.component), asdict(running))
    # The child is nobody's to wait for: it must outlive us. Liveness is read from /proc.
    child.returncode = 0
    return running


def _set_aside(log: Path) -> None:
    if log.exists() and log.stat().st_size > LOG_BYTES_MAX:
        log.replace(log.with_suffix(".log.1"))


def running(state: State, component: str) -> Running | None:
    record = read_json(state.record(component))
    if not record:
        return None
    found = Running(**record)
    return found if alive(found) else None


def alive(process: Running) -> bool:
    return _ticks(process.pid) == process.ticks


def stop(state: State, component: str, *, patience_s: float) -> bool:
    """Ask, wait, then force. True when something ran."""
    process = running(state, component)
    if process is not None:
        _signal(process.pid, signal.SIGTERM)
        if not wait_until(lambda: not alive(process), patience_s):
            _signal(process.pid, signal.SIGKILL)
            wait_until(lambda: not alive(process), KILLED_WITHIN_S)
    sweep(state, component)
    state.record(component).unlink(missing_ok=True)
    return process is not None


def kill(state: State, component: str) -> None:
    """As a crash would: no warning. What it leaves behind is swept at the next start."""
    process = running(state, component)
    if process is not None:
        _signal(process.pid, signal.SIGKILL)
        wait_until(lambda: not alive(process), KILLED_WITHIN_S)


def sweep(state: State, component: str) -> int:
    """End what an earlier run of this component left behind; how many there were."""
    left = leftovers(state, component)
    for pid in left:
        _signal(pid, signal.SIGKILL)
    wait_until(lambda: not any(_ticks(pid) for pid in left), KILLED_WITHIN_S)
    return len(left)


def leftovers(state: State, component: str) -> list[int]:
    ours = {f"{STACK}={state.root}".encode(), f"{COMPONENT}={component}".encode()}
    return [pid for pid in _pids() if ours <= _environment(pid)]


def wait_until(holds: Callable[[], bool], patience_s: float) -> bool:
    deadline = time.monotonic() + patience_s
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_S)
    return True


def family(state: State, component: str) -> set[int]:
    """The recorded process and everything that inherited its mark."""
    process = running(state, component)
    return {*leftovers(state, component), *([process.pid] if process else [])}


def working_in(folder: Path) -> list[int]:
    return [pid for pid in _pids() if _link(pid, "cwd") == str(folder)]


def program(pid: int) -> str:
    return Path(_link(pid, "exe")).name


def _link(pid: int, name: str) -> str:
    try:
        # The kernel marks what was deleted meanwhile; it is still where the process works.
        return str(Path(f"/proc/{pid}/{name}").readlink()).removesuffix(" (deleted)")
    except OSError:
        return ""


def _signal(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def _pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _environment(pid: int) -> set[bytes]:
    try:
        return set(Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"))
    except OSError:
        return set()


def _ticks(pid: int) -> int | None:
    """Start time in clock ticks since boot; None for a process that is gone or a zombie."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    state, *fields = text.rpartition(")")[2].split()
    return None if state in "ZX" else int(fields[18])

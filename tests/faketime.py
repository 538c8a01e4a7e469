"""Processes with another clock: a library that stands between them and the system's.

It comes with Debian's package `libfaketime`, which is not installed for this: unpacked beside
what a test makes, it changes nothing on the machine.
"""

import asyncio
import shutil
import subprocess
from pathlib import Path

from deploy.local import packages, processes, services
from deploy.local.endpoints import endpoints
from deploy.local.state import REPOSITORY
from tests.system.stack import Stack

PACKAGE = "libfaketime"
CACHE = Path("/var/cache/apt/archives")
LIBRARY = "lib/*/faketime/libfaketime.so.1"
ABSENT = f"no {PACKAGE}, neither installed nor to be had from Debian"
FETCHED_WITHIN_S = 60


def faketime(folder: Path) -> Path | None:
    """The library; None where it cannot be had."""
    return (
        next(Path("/usr").glob(LIBRARY), None)
        or next(folder.glob(f"usr/{LIBRARY}"), None)
        or _unpacked(folder)
    )


def _unpacked(folder: Path) -> Path | None:
    if shutil.which("dpkg") is None:
        return None
    package = next(CACHE.glob(f"{PACKAGE}_*.deb"), None) or _fetched(folder)
    if package is None:
        return None
    subprocess.run(["dpkg", "-x", str(package), str(folder)], check=True)
    return next(folder.glob(f"usr/{LIBRARY}"), None)


def _fetched(folder: Path) -> Path | None:
    try:
        subprocess.run(
            ["apt-get", "-qq", "download", PACKAGE],
            cwd=folder,
            capture_output=True,
            timeout=FETCHED_WITHIN_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return next(folder.glob(f"{PACKAGE}_*.deb"), None)


def clock(skew: str, library: Path) -> dict[str, str]:
    """What a process is told that has it; `skew` as +2h or -2h. Its own durations stay right,
    and so do the times of files: hours apart are only the clocks on the walls."""
    return {
        "LD_PRELOAD": str(library),
        "FAKETIME": skew,
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "DONT_FAKE_MONOTONIC": "1",
        "NO_FAKE_STAT": "1",
    }


async def start_skewed(stack: Stack, service: str, skew: str, library: Path) -> None:
    """In the place of the one that runs; `stack.start` brings that one back."""
    state = stack.state
    await stack.stop(service)
    told = services.environment(state, service, endpoints(state)) | clock(skew, library)
    command = [str(packages.PYTHON), "-m", f"services.{service}", "all"]
    launch = processes.Launch(service, command, told, REPOSITORY, fingerprint=skew)
    await asyncio.to_thread(processes.start, state, launch)
    await asyncio.to_thread(services.wait_ready, state, service)

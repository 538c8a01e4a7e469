"""Installing Debian packages without letting them take over the machine.

A server's package starts a daemon on the default port, now and at every boot. A stack wants
the programs only, so both are prevented while we install, and only then.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# A machine that has just been started often installs its own updates first.
LOCK_WAIT_S = 300
POLICY = Path("/usr/sbin/policy-rc.d")

_OPTIONS = ("-o", "Dpkg::Use-Pty=0", "-o", f"DPkg::Lock::Timeout={LOCK_WAIT_S}")


def usable() -> bool:
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def install(packages: list[str]) -> bool:
    with _nothing_starts():
        # Fresh lists cost seconds and are needed on a fresh machine only.
        installed = _install(packages) or (_apt(["update"]) and _install(packages))
    if installed:
        _disable_at_boot(packages)
    return installed


def _install(packages: list[str]) -> bool:
    return _apt(["install", "-y", "--no-install-recommends", *packages])


def _apt(arguments: list[str]) -> bool:
    attempt = subprocess.run(
        ["apt-get", "-qq", *_OPTIONS, *arguments],
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return attempt.returncode == 0


@contextmanager
def _nothing_starts() -> Iterator[None]:
    """Debian asks this file before a package starts a daemon; a present one is respected."""
    if POLICY.exists():
        yield
        return
    POLICY.write_text("#!/bin/sh\nexit 101\n")
    POLICY.chmod(0o755)
    try:
        yield
    finally:
        POLICY.unlink()


def _disable_at_boot(packages: list[str]) -> None:
    if shutil.which("systemctl") is None:
        return
    for package in packages:
        subprocess.run(["systemctl", "disable", package], capture_output=True, check=False)

"""Debian trees below the state folder: what another suite offers, beside the machine's own.

They come from the mirror of the machine's own packages, are made once and kept, and change
nothing of the machine. A server of a tree runs with the tree's `/usr` in the place of ours,
which only it and its children see: all other paths stay, and so does whoever looks at it.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from deploy.local import apt
from deploy.local.account import Account, dropping_to
from deploy.local.errors import StackError
from deploy.local.report import step

AUTHORITIES = Path("/usr/local/share/ca-certificates")
SOURCES = Path("/etc/apt")
NAMED = "PAPERLINE_DEBIAN_MIRROR"
# A mirror behind an authority of its own is reached from inside as from outside.
TRUSTING = (
    f'mkdir -p "$1{AUTHORITIES}"; cp {AUTHORITIES}/* "$1{AUTHORITIES}/" 2>/dev/null; '
    'chroot "$1" sh -c "command -v update-ca-certificates && update-ca-certificates" '
    ">/dev/null 2>&1; true"
)
# Libraries are looked up, and some commands chosen, by files outside of /usr.
WITH_ITS_PROGRAMS = """
set -e
tree=$1; shift
for path in /etc/ld.so.cache /etc/alternatives /usr; do mount --bind "$tree$path" "$path"; done
exec "$@"
"""


class NoTree(StackError):
    """It cannot be had on this machine; the message says why."""


def require_usable() -> None:
    if not apt.usable():
        raise NoTree("a Debian tree is made and entered by root on Debian or Ubuntu only")
    attempt = subprocess.run(["unshare", "--mount", "true"], check=False, capture_output=True)
    if attempt.returncode:
        raise NoTree("a Debian tree is entered in a mount namespace, which is not allowed here")


def made(tree: Path, suite: str, packages: Sequence[str], *hooks: str) -> Path:
    """Where it is; made when it is not there yet. Hooks are shell, with the tree as `$1`."""
    require_usable()
    if tree.exists():
        return tree
    named = f" with {', '.join(packages)}" if packages else ""
    with step(f"Debian {suite}{named}, into {tree.name}"):
        unfinished = tree.with_name(f"{tree.name}.unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        tree.parent.mkdir(parents=True, exist_ok=True)
        bootstrap(unfinished, suite, packages, *hooks)
        # mmdebstrap leaves it as it was when it began, closed to everybody but root.
        unfinished.chmod(0o755)
        unfinished.replace(tree)
    return tree


def bootstrap(target: Path, suite: str, packages: Sequence[str], *hooks: str) -> None:
    """A folder, or a tar file when the target is called so."""
    if shutil.which("mmdebstrap") is None and not apt.install(["mmdebstrap"]):
        raise NoTree("mmdebstrap cannot be installed with apt")
    command = [
        "mmdebstrap",
        "--quiet",
        "--variant=minbase",
        *([f"--include={','.join(packages)}"] if packages else []),
        '--aptopt=APT::Install-Recommends "false"',
        # Cut off, it is made anew: nothing has to be on the disk before the end.
        "--dpkgopt=force-unsafe-io",
        # A mirror's copy of a moving suite may be some days old.
        '--aptopt=Acquire::Check-Valid-Until "false"',
        *(f"--customize-hook={hook}" for hook in (TRUSTING, *hooks)),
        *(suite, str(target), mirror()),
    ]
    attempt = subprocess.run(
        command, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    if attempt.returncode:
        last = "\n".join(attempt.stderr.strip().splitlines()[-5:])
        raise NoTree(f"no tree of Debian {suite} could be fetched:\n{last}")


def mirror(sources: Path = SOURCES) -> str:
    """The one that this machine's own packages come from, unless another is named."""
    if named := os.environ.get(NAMED):
        return named
    for path in sorted(sources.glob("sources.list.d/debian*.sources")):
        if told := re.search(r"^URIs:\s*(\S+)", path.read_text(), re.MULTILINE):
            return told[1]
    for path in (sources / "sources.list", *sorted(sources.glob("sources.list.d/debian*"))):
        text = path.read_text() if path.exists() else ""
        if told := re.search(r"^deb\s+(?:\[.*?\]\s+)?(\S+/debian/?)\s", text, re.MULTILINE):
            return told[1]
    raise NoTree(f"apt has no archive of Debian among its sources: name one in {NAMED}")


def with_programs_of(tree: Path, account: Account | None) -> list[str]:
    """What stands before a command, so that its programs and libraries are the tree's."""
    if not all(Path(f"/{name}").is_symlink() for name in ("bin", "lib", "sbin")):
        raise NoTree("a tree's programs need /bin, /lib and /sbin to lie below /usr (usrmerge)")
    entering = ["unshare", "--mount", "--propagation", "private", "sh", "-c"]
    return [*entering, WITH_ITS_PROGRAMS, "sh", str(tree), *dropping_to(account)]

"""Under which account the private servers run.

PostgreSQL refuses root, and a broker has no use for it: as root both drop to an account
without rights. That account must be able to reach its own folder, which it cannot when the
checkout lies below a closed home; the folder then moves to where it can.
"""

import os
import pwd
import shutil
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from deploy.local.report import say
from deploy.local.state import State, write_private

CANDIDATES = ("postgres", "nobody")
ELSEWHERE = Path("/var/lib")
# Two servers start side by side; the second must not take what the first just made for old.
_forgetting = threading.Lock()


@dataclass(frozen=True, slots=True)
class Account:
    name: str
    uid: int
    gid: int


class Rights(TypedDict):
    """As `subprocess` calls them."""

    user: int | None
    group: int | None
    extra_groups: list[int] | None


def node_account() -> Account | None:
    """None when we have no root rights to drop."""
    if os.geteuid() != 0:
        return None
    for name in CANDIDATES:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(name, entry.pw_uid, entry.pw_gid)
    return Account("65534", 65534, 65534)


def rights_of(account: Account | None) -> Rights:
    """Of a program that is started: that account's and nothing of ours, or all of ours."""
    if account is None:
        return {"user": None, "group": None, "extra_groups": None}
    return {"user": account.uid, "group": account.gid, "extra_groups": []}


def dropping_to(account: Account | None) -> list[str]:
    """What stands before a command that begins with our rights and is to go on without."""
    if account is None:
        return []
    rights = (f"--reuid={account.uid}", f"--regid={account.gid}", "--clear-groups")
    return ["setpriv", *rights, "--"]


def node_folder(state: State, component: str, account: Account | None) -> Path:
    """A folder only that account may enter, inside the state folder wherever possible."""
    folder = state.root / component
    if account is None or folder.exists() or _enters(account, state.root):
        return _owned(folder, account)
    folder = ELSEWHERE / f"paperline-{state.name}" / component
    forget_a_deleted_stack(state, folder.parent)
    say(
        f"  … {component} keeps its data in {folder}: {account.name} may not enter {state.root}"
    )
    return _owned(folder, account)


def forget_a_deleted_stack(state: State, elsewhere: Path) -> None:
    """What lies outside the state folder must not outlive it: passwords would not match."""
    mark = state.root / "elsewhere"
    with _forgetting:
        if not mark.exists():
            shutil.rmtree(elsewhere, ignore_errors=True)
            elsewhere.mkdir(parents=True)
            write_private(mark, f"{elsewhere}\n")


def _enters(account: Account, folder: Path) -> bool:
    attempt = subprocess.run(
        ["/bin/sh", "-c", 'cd -- "$1"', "sh", str(folder)],
        **rights_of(account),
        cwd="/",
        capture_output=True,
        check=False,
    )
    return attempt.returncode == 0


def _owned(folder: Path, account: Account | None) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    if account is not None:
        os.chown(folder, account.uid, account.gid)
    folder.chmod(0o700)
    return folder

"""Of which revision a figure is, where that can be told."""

import shutil
import subprocess

from deploy.local.state import REPOSITORY

CHARS = 12
DIRTY = "-dirty"


def revision() -> str:
    """With a mark when what ran is not what was committed."""
    # A bare machine with a copy of the sources has no git.
    git = shutil.which("git")
    commit = _said(git, "rev-parse", f"--short={CHARS}", "HEAD") if git else ""
    if git is None or not commit:
        return "unknown"
    return commit + (DIRTY if _said(git, "status", "--porcelain") else "")


def _said(git: str, *words: str) -> str:
    done = subprocess.run(
        [git, *words], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    return done.stdout.strip()

"""Of which revision a figure is, where that can be told."""

import shutil
import subprocess

from deploy.local.state import REPOSITORY

CHARS = 12


def revision() -> str:
    # A bare machine with a copy of the sources has no git.
    git = shutil.which("git")
    if git is None:
        return "unknown"
    done = subprocess.run(
        [git, "rev-parse", f"--short={CHARS}", "HEAD"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip() or "unknown"

"""The browser in which the pages are tested: the machine's own Chromium, found or installed.

A test without a browser is left out and says so; everything else runs without one.
"""

import os
import shutil
import subprocess
from pathlib import Path

from deploy.local import apt
from deploy.local.report import say, step

NAMES = ("chromium", "chromium-browser", "google-chrome")
# Without a font every letter is the same box; the last is wanted by the program that drives the
# browser, and a bare Debian has it not.
PACKAGES = ["chromium", "fonts-liberation", "libatomic1"]
ADVICE = "apt-get install chromium, or set PAPERLINE_CHROMIUM to the program"


def browser_program() -> Path | None:
    told = os.environ.get("PAPERLINE_CHROMIUM")
    found = [told] if told else [shutil.which(name) for name in NAMES]
    return next((Path(one) for one in found if one and _starts(one)), None)


def install_browser() -> None:
    if browser_program() is not None:
        say("  ✓ Chromium: the program is there")
    elif not apt.usable():
        say(f"  … no Chromium, so the pages are not tested: {ADVICE}")
    else:
        with step("Chromium with apt") as work:
            if not apt.install(PACKAGES):
                work.note(f"could not be had, so the pages are not tested: {ADVICE}")


def _starts(program: str) -> bool:
    """Where a distribution ships it otherwise, the name may stand for an advice only."""
    try:
        attempt = subprocess.run([program, "--version"], capture_output=True, check=False)
    except OSError:
        return False
    return attempt.returncode == 0

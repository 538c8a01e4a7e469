"""Prometheus and its promtool, for tests of rules and dashboards: found or installed.

A test without them is left out and says so; the stack itself runs without.
"""

import os
import shutil
from pathlib import Path

from deploy.local import apt
from deploy.local.report import say, step

PACKAGE = "prometheus"
ADVICE = (
    "apt-get install prometheus, or set PAPERLINE_PROMETHEUS_BIN to the folder "
    "of prometheus and promtool"
)


def prometheus_program(name: str = "prometheus") -> Path | None:
    """`promtool` comes with it."""
    told = os.environ.get("PAPERLINE_PROMETHEUS_BIN")
    found = shutil.which(name, path=told)
    return Path(found) if found else None


def install_prometheus() -> None:
    if prometheus_program() and prometheus_program("promtool"):
        say("  ✓ Prometheus: the programs are there")
    elif not apt.usable():
        say(f"  … no Prometheus, so rules and dashboards are not tested: {ADVICE}")
    else:
        with step("Prometheus with apt") as work:
            if not apt.install([PACKAGE]):
                work.note(f"could not be had, so rules and dashboards are not tested: {ADVICE}")

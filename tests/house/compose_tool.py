"""The real compose tool: `./paperline check` installs one beside the other tools of the
checkout, and a machine may have its own. It needs no engine to judge a file.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tests.house.repository import ROOT

INSTALLED = Path(sys.executable).with_name("docker-compose")
PROFILES = ("core", "observability", "gemini-double")


@cache
def compose_tool() -> Sequence[str] | None:
    return next((one for one in _known() if _is_current(one)), None)


def _known() -> Iterator[list[str]]:
    yield [str(INSTALLED)]
    yield ["docker", "compose"]
    yield ["docker-compose"]


def _is_current(command: Sequence[str]) -> bool:
    """The first generation, a program in Python, refuses what the second made usual."""
    if shutil.which(command[0]) is None:
        return False
    said = subprocess.run(
        [*command, "version", "--short"], check=False, capture_output=True, text=True
    )
    return said.returncode == 0 and not said.stdout.lstrip("v").startswith("1.")


def read_by(tool: Sequence[str], *files: str) -> dict[str, Any]:
    """All of a stack as the tool understands it; what it refuses or doubts is an error."""
    words = [word for file in files for word in ("--file", file)]
    words += [word for one in PROFILES for word in ("--profile", one)]
    said = subprocess.run(
        [*tool, *words, "config", "--format", "json"],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )
    assert said.returncode == 0, said.stderr
    assert not said.stderr, said.stderr
    told = json.loads(said.stdout)
    assert isinstance(told, dict)
    return told

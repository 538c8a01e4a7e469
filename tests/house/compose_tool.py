"""The real compose tool, wherever this machine has one; it needs no engine to judge a file.

The engine that the tests of containers install brings one along, which is found here too.
"""

import json
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from tests.house.repository import ROOT

INSTALLED = ROOT / ".paperline/containers/engine/usr/libexec/docker/cli-plugins/docker-compose"
PROFILES = ("core", "observability", "gemini-double")


@cache
def compose_tool() -> Sequence[str] | None:
    return next((one for one in _known() if _is_current(one)), None)


def _known() -> Iterator[list[str]]:
    yield ["docker", "compose"]
    yield ["docker-compose"]
    yield [str(INSTALLED)]


def _is_current(command: Sequence[str]) -> bool:
    """The first generation, a program in Python, refuses what the second made usual."""
    if shutil.which(command[0]) is None:
        return False
    said = subprocess.run(
        [*command, "version", "--short"], check=False, capture_output=True, text=True
    )
    return said.returncode == 0 and not said.stdout.lstrip("v").startswith("1.")


def read_by(tool: Sequence[str], *files: str) -> dict[str, Any]:
    """All of a stack as the tool understands it; what it refuses is an error."""
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
    told = json.loads(said.stdout)
    assert isinstance(told, dict)
    return told

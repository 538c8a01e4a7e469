"""The engine of the tests of containers: what they bring up is what is in the checkout."""

from pathlib import Path

import pytest
import yaml

from tests.containers.engine import STAND_INS, engine
from tests.house.repository import ROOT, SERVICES

# A machine on which docker answers, and all that it is asked.
DOCKER = """#!/bin/sh
echo "$@" >>{asked}
"""


async def test_services_are_built_with_the_machines_own_engine_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = tmp_path / "asked"
    docker = tmp_path / "bin" / "docker"
    docker.parent.mkdir()
    docker.write_text(DOCKER.format(asked=asked))
    docker.chmod(0o755)
    monkeypatch.setenv("PATH", str(docker.parent), prepend=":")

    async with engine(tmp_path / "private"):
        before_the_stack = asked.read_text().splitlines()

    built = [line for line in before_the_stack if line.startswith("build ")]
    for service in SERVICES:
        [line] = [one for one in built if f"--tag paperline-{service} " in one]
        assert f"--file services/{service}/Dockerfile ." in line
    # Servers are not stood in for where they can be pulled.
    assert len(built) == len(SERVICES)
    assert not (tmp_path / "private").exists()


def test_what_the_stack_runs_is_built_or_stood_in_for() -> None:
    told = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    images = {one["image"] for one in told.values() if "core" in one["profiles"]}

    assert images == {*(f"paperline-{service}" for service in SERVICES), *STAND_INS}

"""The engine of the tests of containers: what they bring up is what is in the checkout."""

from pathlib import Path

import pytest
import yaml

from tests.containers.engine import PROJECT, STAND_INS, Engine, engine
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

    built = [line for line in before_the_stack if " build" in line]
    assert built == [f"compose --profile {one} build" for one in ("core", "gemini-double")]
    # Servers are not stood in for where they can be pulled.
    assert not [line for line in before_the_stack if line.startswith("build ")]
    assert not (tmp_path / "private").exists()


def test_what_the_stack_runs_is_built_or_stood_in_for() -> None:
    told = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    images = {one["image"] for one in told.values() if "core" in one["profiles"]}

    assert images == {*(f"paperline-{service}" for service in SERVICES), *STAND_INS}


def test_what_a_guide_shows_is_typed_at_the_stack_of_the_tests(tmp_path: Path) -> None:
    """Whatever files and name the stack of somebody beside it has."""
    over = str(tmp_path / "over.yml")
    said = Engine(files=("docker-compose.yml", over)).types(
        'echo "$COMPOSE_PROJECT_NAME" $COMPOSE_FILE | tr : " "'
    )

    assert said.split() == [PROJECT, "docker-compose.yml", over]
    with pytest.raises(AssertionError, match="no-such-thing"):
        Engine().types("no-such-thing; true")

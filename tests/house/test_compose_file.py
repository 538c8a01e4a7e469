"""The compose file is one that compose takes: judged by its own tool where there is one, and
word by word where there is none."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.house.compose_tool import compose_tool, read_by
from tests.house.repository import ROOT

FILE, REPLICAS = "docker-compose.yml", "deploy/compose/replicas.yml"
# Of the specification, as far as it is used here: what is misspelt is in no list.
WORDS: dict[str, set[str]] = {
    "": {"name", "services", "volumes"},
    "service": {
        *("build", "cap_drop", "command", "depends_on", "entrypoint", "environment"),
        *("healthcheck", "hostname", "image", "init", "ports", "profiles", "read_only"),
        *("restart", "security_opt", "stop_grace_period", "tmpfs", "volumes"),
    },
    "build": {"args", "context", "dockerfile"},
    "healthcheck": {"disable", "interval", "retries", "start_period", "test", "timeout"},
    "condition": {"condition"},
}
CONDITIONS = {"service_healthy", "service_completed_successfully"}


@cache
def _file() -> dict[str, Any]:
    told = yaml.safe_load((ROOT / FILE).read_text())
    assert isinstance(told, dict)
    return told


@pytest.fixture(scope="module")
def tool() -> Sequence[str]:
    found = compose_tool()
    if found is None:
        pytest.skip("no compose tool of the second generation: only its words were judged")
    return found


def _unknown(kind: str, told: dict[str, Any]) -> set[str]:
    return {one for one in told if not one.startswith("x-")} - WORDS[kind]


def test_every_word_is_one_of_compose() -> None:
    assert _unknown("", _file()) == set()
    for name, one in _file()["services"].items():
        assert _unknown("service", one) == set(), name
        assert _unknown("build", one.get("build", {})) == set(), name
        assert _unknown("healthcheck", one.get("healthcheck", {})) == set(), name
        for condition in one.get("depends_on", {}).values():
            assert _unknown("condition", condition) == set(), name


def test_a_service_waits_for_what_is_there_and_will_be() -> None:
    services = _file()["services"]
    for name, one in services.items():
        for other, told in one.get("depends_on", {}).items():
            assert told["condition"] in CONDITIONS, name
            waited_for = services[other]
            assert set(one["profiles"]) <= set(waited_for["profiles"]), (name, other)
            ends = waited_for["restart"] == "on-failure:5"
            assert ends == (told["condition"] == "service_completed_successfully"), (
                name,
                other,
            )
            assert ends or "test" in waited_for["healthcheck"], (name, other)


def test_a_volume_is_one_that_is_declared_or_a_file_that_exists() -> None:
    used = set()
    for one in _file()["services"].values():
        for volume in one.get("volumes", []):
            source = volume.split(":")[0]
            if not source.startswith("./"):
                used.add(source)
            elif not source.startswith("./secrets/"):
                assert (ROOT / source).exists(), source

    assert used == set(_file()["volumes"])


def test_replicas_take_ports_from_services_that_have_some() -> None:
    class _Reset(yaml.SafeLoader):
        pass

    _Reset.add_constructor("!reset", lambda _loader, node: node.value)
    laid_over = yaml.load((ROOT / REPLICAS).read_text(), _Reset)["services"]  # noqa: S506

    assert laid_over
    for name, one in laid_over.items():
        assert one == {"ports": []}
        assert _file()["services"][name]["ports"]


def test_the_tool_takes_the_file_and_understands_what_is_meant(tool: Sequence[str]) -> None:
    told = read_by(tool, FILE)["services"]

    assert set(told) == set(_file()["services"])
    for name, one in _file()["services"].items():
        meant = one.get("environment") or {}
        # What the shell does not set is not passed on.
        given = {key for key, value in meant.items() if value is not None}
        assert given <= set(told[name].get("environment") or {}) <= set(meant), name
        assert len(told[name].get("ports", [])) == len(one.get("ports", [])), name
        assert all(port["host_ip"] == "127.0.0.1" for port in told[name].get("ports", []))


def test_the_tool_takes_the_replicas(tool: Sequence[str]) -> None:
    told = read_by(tool, FILE, REPLICAS)["services"]

    published = {name for name, one in told.items() if one.get("ports")}
    assert published.isdisjoint({"ingest", "storage", "review", "monitor"})


@pytest.mark.parametrize("mistake", ["resart: always", "depends_on: [nobody]"])
def test_the_tool_refuses_a_mistake(tool: Sequence[str], tmp_path: Path, mistake: str) -> None:
    bad = tmp_path / "docker-compose.yml"
    bad.write_text(f"services:\n  one:\n    image: one\n    {mistake}\n")

    with pytest.raises(AssertionError, match=r"resart|nobody"):
        read_by(tool, str(bad))

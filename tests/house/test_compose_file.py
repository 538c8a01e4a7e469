"""The compose files are such that compose takes them: judged by its own tool, which
`./paperline check` installs where it can, and word by word where there is none."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.house.compose_files import MAIN, REPLICAS, TLS, read, services, size_bytes
from tests.house.compose_tool import compose_tool, read_by
from tests.house.repository import ROOT, SERVICES, SERVICES_WITH_AN_API

# Of the specification, as far as it is used here: what is misspelt is in no list.
WORDS: dict[str, set[str]] = {
    "": {"name", "services", "volumes"},
    "service": {
        *("build", "cap_add", "cap_drop", "command", "depends_on", "entrypoint"),
        *("environment", "healthcheck", "hostname", "image", "init", "logging"),
        *("mem_limit", "pids_limit", "ports", "profiles", "read_only", "restart"),
        *("security_opt", "shm_size", "stop_grace_period", "tmpfs", "volumes"),
    },
    "logging": {"driver", "options"},
    "build": {"args", "context", "dockerfile"},
    "healthcheck": {"disable", "interval", "retries", "start_period", "test", "timeout"},
    "condition": {"condition"},
}
CONDITIONS = {"service_healthy", "service_completed_successfully"}


@pytest.fixture(scope="module")
def tool() -> Sequence[str]:
    found = compose_tool()
    if found is None:
        pytest.skip(
            "no compose tool of the second generation, and `./paperline check` could install"
            " none: only the words of the files were judged"
        )
    return found


def _unknown(kind: str, told: dict[str, Any]) -> set[str]:
    return {one for one in told if not one.startswith("x-")} - WORDS[kind]


def test_every_word_is_one_of_compose() -> None:
    assert _unknown("", read(MAIN)) == set()
    for name, one in services().items():
        assert _unknown("service", one) == set(), name
        assert _unknown("build", one.get("build", {})) == set(), name
        assert _unknown("logging", one.get("logging", {})) == set(), name
        assert _unknown("healthcheck", one.get("healthcheck", {})) == set(), name
        for condition in one.get("depends_on", {}).values():
            assert _unknown("condition", condition) == set(), name


def test_a_service_waits_for_what_is_there_and_will_be() -> None:
    for name, one in services().items():
        for other, told in one.get("depends_on", {}).items():
            assert told["condition"] in CONDITIONS, name
            waited_for = services()[other]
            assert set(one["profiles"]) <= set(waited_for["profiles"]), (name, other)
            ends = waited_for["restart"] == "on-failure:5"
            assert ends == (told["condition"] == "service_completed_successfully"), (
                name,
                other,
            )
            assert ends or "test" in waited_for["healthcheck"], (name, other)


def test_a_volume_is_one_that_is_declared_or_a_file_that_exists() -> None:
    used = set()
    for one in services().values():
        for volume in one.get("volumes", []):
            source = volume.split(":")[0]
            if not source.startswith("./"):
                used.add(source)
            elif not source.startswith("./secrets/"):
                assert (ROOT / source).exists(), source

    assert used == set(read(MAIN)["volumes"])


def test_replicas_take_ports_from_services_that_have_some() -> None:
    laid_over = services(REPLICAS)

    assert laid_over
    for name, one in laid_over.items():
        assert one == {"ports": []}
        assert services()[name]["ports"]


@pytest.mark.parametrize("file", [REPLICAS, TLS])
def test_what_is_laid_over_is_laid_over_something(file: str) -> None:
    for name, one in services(file).items():
        assert name in services()
        assert _unknown("service", one) == set(), name
        assert _unknown("healthcheck", one.get("healthcheck", {})) == set(), name


def test_every_compose_file_is_one_of_these() -> None:
    assert {MAIN, REPLICAS, TLS} == {
        MAIN,
        *(f"deploy/compose/{one.name}" for one in (ROOT / "deploy/compose").glob("*.y*ml")),
    }


def test_the_tool_takes_the_file_and_understands_what_is_meant(tool: Sequence[str]) -> None:
    told = read_by(tool, MAIN)["services"]

    assert set(told) == set(services())
    for name, one in services().items():
        meant = one.get("environment") or {}
        # What the shell does not set is not passed on.
        given = {key for key, value in meant.items() if value is not None}
        assert given <= set(told[name].get("environment") or {}) <= set(meant), name
        assert len(told[name].get("ports", [])) == len(one.get("ports", [])), name
        assert all(port["host_ip"] == "127.0.0.1" for port in told[name].get("ports", []))
        assert int(told[name]["mem_limit"]) == size_bytes(one["mem_limit"]), name


def test_the_tool_takes_the_replicas(tool: Sequence[str]) -> None:
    told = read_by(tool, MAIN, REPLICAS)["services"]

    published = {name for name, one in told.items() if one.get("ports")}
    assert published.isdisjoint(SERVICES)
    assert published >= {"broker", "database"}


def test_the_tool_takes_the_ways_that_are_closed(tool: Sequence[str]) -> None:
    told = read_by(tool, MAIN, TLS)["services"]

    ports = [port["target"] for one in ("broker", "database") for port in told[one]["ports"]]
    assert ports == [5671, 15671, 5432]
    for service in SERVICES:
        mounted = {one["target"] for one in told[service]["volumes"]}
        assert {"/run/secrets", "/run/tls"} <= mounted
        environment = told[service]["environment"]
        assert environment["PAPERLINE_PLAINTEXT_HOSTS"] == "jaeger,gemini-double"
        assert "https://127.0.0.1:9090" in told[service]["healthcheck"]["test"][-1]
    for service in SERVICES_WITH_AN_API:
        assert all(port["host_ip"] == "127.0.0.1" for port in told[service]["ports"])


@pytest.mark.parametrize("mistake", ["resart: always", "depends_on: [nobody]"])
def test_the_tool_refuses_a_mistake(tool: Sequence[str], tmp_path: Path, mistake: str) -> None:
    bad = tmp_path / "docker-compose.yml"
    bad.write_text(f"services:\n  one:\n    image: one\n    {mistake}\n")

    with pytest.raises(AssertionError, match=r"resart|nobody"):
        read_by(tool, str(bad))

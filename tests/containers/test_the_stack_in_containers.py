"""The compose file and the images, brought up for real: what dies comes back."""

import json
import re
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

from deploy.local.credentials import READER
from deploy.local.roles import LIMITS, SERVICE_CONNECTIONS_MAX, SERVICE_ROLES
from shared.client.answers import ENDED
from tests.containers.conftest import CONTAINERS, first_key
from tests.containers.documents import (
    DEMO,
    ENDS_WITHIN_S,
    fresh,
    hand_in,
    paperline,
    standing,
)
from tests.containers.engine import Engine
from tests.eventually import eventually
from tests.house.compose_files import services, size_bytes
from tests.house.guides import shown_in
from tests.house.repository import ROOT, SERVICES

HEALS_WITHIN_S = 120
RUNBOOK = ROOT / "deploy" / "RUNBOOK.md"


@pytest.fixture(scope="module")
def key_file(stack: Engine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return first_key(stack, tmp_path_factory.mktemp("key"))


def _ids(stack: Engine, service: str) -> list[str]:
    return stack.compose("ps", "--all", "--quiet", service).split()[:1]


def _state(stack: Engine, service: str) -> dict[str, object]:
    [told] = json.loads(stack.docker("inspect", *_ids(stack, service)))
    return {
        "pid": told["State"]["Pid"],
        "well": told["State"].get("Health", {}).get("Status") == "healthy",
        "restarts": told["RestartCount"],
    }


def test_the_documents_of_the_demo_end(stack: Engine, key_file: Path) -> None:
    said = paperline(stack, key_file, "submit", "--wait", *map(str, DEMO))

    ended = re.findall(r"reading \d+/\d+: (\S+) (\w+)$", said, re.MULTILINE)
    assert {name for name, _ in ended} == {one.name for one in DEMO}
    assert {status for _, status in ended} <= {"completed", "duplicate"}, said


def _of_the_runbook() -> list[str]:
    shown = [one.text for one in shown_in(RUNBOOK.read_text(), "RUNBOOK.md")]
    return [one for one in shown if one.startswith("docker compose ")]


@pytest.mark.parametrize("command", _of_the_runbook())
def test_a_module_is_run_as_the_runbook_says(stack: Engine, command: str) -> None:
    stack.types(command)


def test_apis_can_have_replicas_behind_a_proxy(stack: Engine) -> None:
    over = ("-f", "docker-compose.yml", "-f", "deploy/compose/replicas.yml")
    told = json.loads(
        stack.docker("compose", *over, "--profile", "core", "config", "--format=json")
    )

    published = [name for name, one in told["services"].items() if one.get("ports")]
    assert published == ["broker", "database"]


def test_every_way_can_be_closed(stack: Engine) -> None:
    over = ("-f", "docker-compose.yml", "-f", "deploy/compose/tls.yml")
    told = json.loads(
        stack.docker("compose", *over, "--profile", "core", "config", "--format=json")
    )["services"]

    published = [
        port["target"] for name in ("broker", "database") for port in told[name]["ports"]
    ]
    assert published == [5671, 15671, 5432]
    for service in SERVICES:
        mounted = {one["target"] for one in told[service]["volumes"]}
        assert {"/run/secrets", "/run/tls"} <= mounted
        # With these two nobody speaks who has not been told to by the shell.
        plain = told[service]["environment"]["PAPERLINE_PLAINTEXT_HOSTS"]
        assert plain == "jaeger,gemini-double"
        assert "https://127.0.0.1:9090" in told[service]["healthcheck"]["test"][-1]


def test_every_port_is_on_loopback(stack: Engine) -> None:
    listening = stack.beside("ss", "--listening", "--tcp", "--numeric", "--no-header")
    published = [line.split()[3] for line in listening.splitlines()]

    assert [one for one in published if one.startswith("127.0.0.1:8080")]
    assert [one for one in published if not one.startswith(("127.0.0.", "[::1]"))] == []


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_is_nobody_and_writes_nowhere(stack: Engine, service: str) -> None:
    said = stack.compose("exec", service, "id", "--user")
    assert said.strip() == "10001"

    tried = "from pathlib import Path; Path('/app/x').write_text('')"
    with pytest.raises(AssertionError, match="Read-only file system"):
        stack.compose("exec", service, "python", "-c", tried)


@pytest.mark.parametrize("role", [*SERVICE_ROLES, READER])
def test_a_role_of_the_database_has_its_limits(stack: Engine, role: str) -> None:
    asked = f"SELECT rolconfig, rolconnlimit FROM pg_roles WHERE rolname = '{role}'"

    said = _ask_database(stack, asked)
    assert [one for one in LIMITS if f"{one}={LIMITS[one]}" not in said] == []
    assert said.strip().endswith(f"|{SERVICE_CONNECTIONS_MAX}")


@pytest.mark.parametrize("name", sorted(CONTAINERS))
def test_a_container_is_held_to_its_limits(stack: Engine, name: str) -> None:
    [told] = json.loads(stack.docker("inspect", *_ids(stack, name)))
    meant, held = services()[name], told["HostConfig"]

    assert held["Memory"] == size_bytes(meant["mem_limit"])
    assert held["PidsLimit"] == meant["pids_limit"]
    assert held["LogConfig"]["Config"] == meant["logging"]["options"]


@pytest.mark.parametrize("service", SERVICES)
def test_an_image_carries_the_bill_of_what_is_in_it(stack: Engine, service: str) -> None:
    said = stack.compose("exec", service, "cat", "/usr/share/paperline/sbom.cdx.json")
    bill = json.loads(said)

    held = {one.get("purl", "").partition("/")[0] for one in bill["components"]}
    assert {"pkg:pypi", "pkg:deb", "pkg:generic"} <= held
    assert bill["metadata"]["component"]["name"] == f"paperline-{service}"
    asked = "import importlib.metadata as m; print(*{d.name for d in m.distributions()})"
    installed = stack.compose(
        "exec", service, "/opt/venv/bin/python", "-I", "-c", asked
    ).split()
    names = {one["name"] for one in bill["components"]}
    assert {canonicalize_name(one) for one in installed} <= names


@pytest.mark.parametrize("service", [*SERVICES, "broker", "database", "objects"])
async def test_what_is_killed_comes_back_and_all_that_was_under_way_ends(
    stack: Engine, key_file: Path, service: str, tmp_path: Path
) -> None:
    letters = _letters(stack)
    before = _state(stack, service)
    ids = hand_in(stack, key_file, fresh(tmp_path))
    under_way = [one for one in standing(stack, key_file, ids).values() if one not in ENDED]

    stack.kill(int(str(before["pid"])))

    assert under_way, "all had ended before anything was killed: more documents are needed"
    await eventually(
        lambda: (
            _state(stack, service)["restarts"] != before["restarts"]
            and _state(stack, service)["well"]
        ),
        within_s=HEALS_WITHIN_S,
        every_s=0.5,
    )
    await eventually(
        lambda: {*standing(stack, key_file, ids).values()} <= ENDED,
        within_s=ENDS_WITHIN_S,
        every_s=2,
    )
    assert standing(stack, key_file, ids) == dict.fromkeys(ids, "completed")
    assert _letters(stack) == letters


def _letters(stack: Engine) -> list[str]:
    """That somebody would have to look at."""
    asked = "SELECT origin_queue, reason, message FROM monitor.dead_letters ORDER BY arrived_at"
    return _ask_database(stack, asked).strip().splitlines()


def _ask_database(stack: Engine, asked: str) -> str:
    words = ("psql", "--username=postgres", "--dbname=paperline", "--tuples-only", "--no-align")
    return stack.compose("exec", "--no-TTY", "database", *words, "--command", asked)

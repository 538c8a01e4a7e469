"""The compose file and the images, brought up for real: what dies comes back."""

import json
import sys
from pathlib import Path

import pytest

from tests.containers.engine import Engine
from tests.eventually import eventually
from tests.house.repository import ROOT, SERVICES

API = "http://127.0.0.1:8080"
HEALS_WITHIN_S = 120
SAMPLES = sorted((ROOT / "deploy" / "samples").glob("*.pdf"))


@pytest.fixture(scope="module")
def key_file(stack: Engine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    issue = ("-m", "shared.access", "issue", "--owner", "local", "--role", "admin")
    said = stack.compose("run", "--rm", "--entrypoint", "python", "ingest", *issue)
    file = tmp_path_factory.mktemp("key") / "key"
    file.write_text(said.split()[-1])
    return file


def _submit(stack: Engine, key_file: Path, *files: Path) -> str:
    command = [sys.executable, "-m", "deploy.local", "submit", *map(str, files), "--wait"]
    return stack.beside(*command, "--url", API, "--key-file", str(key_file))


def _state(stack: Engine, service: str) -> dict[str, object]:
    names = stack.compose("ps", "--all", "--quiet", service).split()
    [told] = json.loads(stack.docker("inspect", names[0]))
    return {
        "pid": told["State"]["Pid"],
        "well": told["State"].get("Health", {}).get("Status") == "healthy",
        "restarts": told["RestartCount"],
    }


def test_the_documents_of_the_demo_end(stack: Engine, key_file: Path) -> None:
    said = _submit(stack, key_file, *SAMPLES)

    assert said.count("completed") + said.count("duplicate") >= len(SAMPLES)


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
        assert told[service]["environment"]["PAPERLINE_PLAINTEXT_HOSTS"] == ""
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


@pytest.mark.parametrize("service", [*SERVICES, "broker", "database"])
async def test_what_is_killed_comes_back_and_reads_on(
    stack: Engine, key_file: Path, service: str, tmp_path: Path
) -> None:
    before = _state(stack, service)

    stack.kill(int(str(before["pid"])))

    await eventually(
        lambda: (
            _state(stack, service)["restarts"] != before["restarts"]
            and _state(stack, service)["well"]
        ),
        within_s=HEALS_WITHIN_S,
        every_s=0.5,
    )
    fresh = tmp_path / f"{service}.pdf"
    fresh.write_bytes(SAMPLES[0].read_bytes() + f"%{service}\n".encode())
    assert "completed" in _submit(stack, key_file, fresh)

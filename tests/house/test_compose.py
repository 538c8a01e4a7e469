"""The compose stack is as closed as the local one: loopback only, no secret with a default."""

import re
from functools import cache
from typing import Any

import pytest
import yaml

from tests.house.repository import ROOT, SERVICES, SERVICES_WITH_AN_API


@cache
def _services() -> dict[str, Any]:
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    assert isinstance(services, dict)
    return services


def test_every_published_port_is_on_loopback() -> None:
    ports = [port for one in _services().values() for port in one.get("ports", [])]

    assert ports
    assert not [port for port in ports if not str(port).startswith("127.0.0.1:")]


def test_no_password_has_a_default() -> None:
    text = (ROOT / "docker-compose.yml").read_text()
    used = re.findall(r"\$\{(\w*(?:PASSWORD|SECRET)\w*)(:?[-?]?)", text)

    assert used
    assert {guard for _, guard in used} == {":?"}


def test_every_secret_of_the_stack_is_generated() -> None:
    text = (ROOT / "docker-compose.yml").read_text()
    script = (ROOT / "deploy" / "compose" / "secrets.sh").read_text()
    made = {*re.findall(r"secret ([A-Z_]+)$", script, re.MULTILINE)} | {
        f"{kind}_{service.upper()}_PASSWORD"
        for kind in ("DATABASE", "BROKER")
        for service in SERVICES
    }

    assert set(re.findall(r"\$\{(\w*(?:PASSWORD|SECRET)\w*)", text)) == made


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_starts_after_its_migration_and_the_queues(service: str) -> None:
    waits_for = _services()[service]["depends_on"]

    assert waits_for[f"migrate-{service}"]["condition"] == "service_completed_successfully"
    assert waits_for["topology"]["condition"] == "service_completed_successfully"


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_listens_outside_only_when_it_has_an_api(service: str) -> None:
    assert ("ports" in _services()[service]) == (service in SERVICES_WITH_AN_API)


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_is_built_from_its_own_dockerfile(service: str) -> None:
    migration, one = _services()[f"migrate-{service}"], _services()[service]

    assert migration["build"]["dockerfile"] == f"services/{service}/Dockerfile"
    assert migration["image"] == one["image"] == f"paperline-{service}"
    assert one["read_only"] is True
    assert one["cap_drop"] == ["ALL"]

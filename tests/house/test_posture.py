"""What we deliver stands as closed as the code demands: tried with the settings it is given."""

import importlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml

from deploy.certificates.making import SERVERS
from deploy.k8s import __main__ as base
from deploy.secrets.files import COMPOSE, Hosts, folders, passwords
from services.monitor.settings import Settings as Monitor
from shared.process.posture import unsafe
from shared.process.settings import ENV_PREFIX, ProcessSettings
from shared.topology.settings import TopologySettings
from tests.fakes.certificates import authority_for
from tests.house.repository import ROOT, SERVICES

TRIAL = Hosts("database-rw.paperline-database.svc", "broker.paperline-broker.svc")
PRODUCTION = Hosts(TRIAL.database, TRIAL.broker, tls=True, authority="-")
CLOSED = Hosts(COMPOSE.database, COMPOSE.broker, tls=True, authority="-")
HOSTS = {"compose": COMPOSE, "tls": CLOSED, "trial": TRIAL, "production": PRODUCTION}
PAIR = ("PAPERLINE_TLS_CERTIFICATE_FILE", "PAPERLINE_TLS_KEY_FILE")

every_service = pytest.mark.parametrize("service", SERVICES)
every_place = pytest.mark.parametrize("place", HOSTS)


@pytest.fixture
def authority(tmp_path: Path) -> Path:
    return authority_for(tmp_path)


@cache
def _variables(place: str, container: str) -> Mapping[str, str]:
    """Of that container, as compose or the cluster set them."""
    if place in ("compose", "tls"):
        told = _compose("docker-compose.yml", container)
        over = _compose("deploy/compose/tls.yml", container) if place == "tls" else {}
        return {name: text for name, text in {**told, **over}.items() if text is not None}
    [own] = [one for one in base.files()["settings.yaml"] if one["kind"] == "ConfigMap"]
    overlay = ROOT / "deploy" / "k8s" / "overlays" / place / "kustomization.yaml"
    [merged] = yaml.safe_load(overlay.read_text())["configMapGenerator"]
    return {**own["data"], **dict(one.split("=", 1) for one in merged["literals"])}


def _compose(file: str, container: str) -> dict[str, str | None]:
    read = yaml.load((ROOT / file).read_text(), Loader=Loader)  # noqa: S506 -- a safe one
    told: dict[str, str | None] = read["services"][container].get("environment") or {}
    return told


class Loader(yaml.SafeLoader):
    """Knows compose's own tags, by which an overlay takes something away."""


def _overriding(loader: Loader, node: yaml.SequenceNode) -> list[object]:
    return list(loader.construct_sequence(node))


Loader.add_constructor("!override", _overriding)


def _told(place: str, container: str, authority: Path) -> dict[str, str]:
    secrets = folders(passwords({}), HOSTS[place])[container]
    told = {**_variables(place, container), **secrets}
    if "PAPERLINE_CA_FILE" in told:
        assert Path(told["PAPERLINE_CA_FILE"]).name in secrets
        told["PAPERLINE_CA_FILE"] = str(authority)
    told |= {name: str(authority.with_name("server.pem")) for name in PAIR if name in told}
    known = {name.lower(): text for name, text in told.items()}
    prefix = ENV_PREFIX.lower()
    return {
        name.removeprefix(prefix): text
        for name, text in known.items()
        if name.startswith(prefix)
    }


def _settings(service: str) -> type[ProcessSettings]:
    found: type[ProcessSettings] = importlib.import_module(
        f"services.{service}.settings"
    ).Settings
    return found


@every_place
@every_service
def test_a_service_starts_as_it_is_delivered(place: str, service: str, authority: Path) -> None:
    told = _told(place, service, authority)

    assert unsafe(_settings(service)(**told)) == []  # type: ignore[arg-type]  # texts, as found


@every_place
@every_service
def test_its_migration_starts_too(place: str, service: str, authority: Path) -> None:
    told = _told(place, f"migrate-{service}", authority)

    assert unsafe(_settings(service)(**told)) == []  # type: ignore[arg-type]  # as above


@every_place
def test_the_queues_are_declared(place: str, authority: Path) -> None:
    told = _told(place, "topology", authority)

    assert TopologySettings(**told).unsafe() == []  # type: ignore[arg-type]  # as above


@pytest.mark.parametrize("place", ["compose", "trial"])
@every_service
def test_what_is_open_is_open_because_it_is_said(
    place: str, service: str, authority: Path
) -> None:
    told = _told(place, service, authority) | {"plaintext_hosts": ""}

    said = unsafe(_settings(service)(**told))  # type: ignore[arg-type]  # as above

    named = [sentence.split()[0] for sentence in said]
    wanted = {"HOST", "DATABASE_URL", "AMQP_URL", "S3_ENDPOINT"}
    assert {f"{ENV_PREFIX}{name}" for name in wanted} <= set(named)


@pytest.mark.parametrize(
    "offered",
    ["PAPERLINE_OTLP_ENDPOINT=http://jaeger:4318", "GEMINI_BASE_URL=http://gemini-double:8090"],
)
@pytest.mark.parametrize("place", ["compose", "tls"])
def test_what_compose_offers_to_be_set_in_the_shell_is_allowed(
    place: str, offered: str, authority: Path
) -> None:
    name, url = offered.split("=")
    told = _told(place, "extractor", authority)
    told[name.removeprefix(ENV_PREFIX).lower() if name.startswith(ENV_PREFIX) else name] = url

    assert offered in (ROOT / "docker-compose.yml").read_text()
    assert unsafe(_settings("extractor")(**told)) == []  # type: ignore[arg-type]  # as above
    told["plaintext_hosts"] = "0.0.0.0,broker,database,objects"
    assert len(unsafe(_settings("extractor")(**told))) == 1  # type: ignore[arg-type]  # as above


def test_every_certificate_of_a_closed_stack_is_watched(authority: Path) -> None:
    told = _told("tls", "monitor", authority)
    watched = Monitor(**told).watched_addresses()  # type: ignore[arg-type]  # as above

    assert {urlsplit(f"//{one.rpartition('/')[2]}").hostname for one in watched} == {*SERVERS}


@every_service
def test_where_traces_go_counts_for_a_migration_too(service: str, authority: Path) -> None:
    """It is told the same, and would end with 78 before anything has started."""
    for place in ("compose", "tls"):
        told = _told(place, f"migrate-{service}", authority)
        told["otlp_endpoint"] = "http://jaeger:4318"

        assert unsafe(_settings(service)(**told)) == []  # type: ignore[arg-type]  # as above


@every_service
def test_a_production_speaks_tls_with_everybody(service: str, authority: Path) -> None:
    for place in ("production", "tls"):
        told = _told(place, service, authority)
        # Of compose those two that only the shell may name.
        allowed = {one for one in told.get("plaintext_hosts", "").split(",") if one}
        assert allowed == ({"jaeger", "gemini-double"} if place == "tls" else set())
        assert told["environment"] == "production"
        assert unsafe(_settings(service)(**told | {"plaintext_hosts": ""})) == []  # type: ignore[arg-type]  # as above

    told = _told("production", service, authority)
    assert unsafe(_settings(service)(**told | {"trusted_proxies": ""})) != []  # type: ignore[arg-type]  # as above

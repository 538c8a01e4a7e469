"""The compose stack is as closed as the local one, and says only what the code understands."""

import json
import re
from dataclasses import replace
from functools import cache
from urllib.parse import urlsplit

import pytest
import yaml

from deploy.certificates.making import ALSO
from deploy.k8s.table import API_PORT, OPS_PORT
from deploy.local.broker_limits import OF_A_NODE
from deploy.local.broker_users import VHOST
from deploy.local.credentials import READER
from deploy.secrets.files import COMPOSE, Hosts, folders, passwords
from shared.process.settings import ProcessSettings
from tests.contract.env_example import render
from tests.house.compose_files import MAIN, TLS, services
from tests.house.repository import ROOT, SERVICES, SERVICES_WITH_AN_API

SERVERS = ("broker", "database", "objects")
OBSERVERS = ("prometheus", "alertmanager", "grafana", "jaeger")
CONFIGURED_IN = {
    "broker": "compose/rabbitmq.conf",
    "prometheus": "prometheus/prometheus.yml",
}
GEMINI_DOUBLE_PORT = 8090
JOBS = ("topology", *(f"migrate-{service}" for service in SERVICES))


@cache
def _told() -> dict[str, dict[str, str]]:
    return folders(passwords({}), COMPOSE)


def _secrets_of(service: str) -> str:
    mounted = [one for one in services()[service]["volumes"] if one.startswith("./secrets/")]
    assert len(mounted) == 1, f"{service} mounts {mounted}"
    folder, place, mode = mounted[0].removeprefix("./secrets/").split(":")
    assert (place, mode) == ("/run/secrets", "ro")
    return str(folder)


def test_the_profiles_hold_what_they_are_named_for() -> None:
    profiles = {name: one["profiles"] for name, one in services().items()}

    assert {name: " ".join(one) for name, one in profiles.items()} == {
        **dict.fromkeys((*SERVERS, *JOBS, *SERVICES), "core"),
        **dict.fromkeys(OBSERVERS, "observability"),
        "gemini-double": "gemini-double",
    }


def test_every_published_port_is_on_loopback() -> None:
    ports = [port for one in services().values() for port in one.get("ports", [])]

    assert ports
    assert not [port for port in ports if not str(port).startswith("127.0.0.1:")]


def test_published_ports_do_not_meet() -> None:
    taken: list[int] = []
    for one in services().values():
        for port in one.get("ports", []):
            first, _, last = str(port).split(":")[1].partition("-")
            taken.extend(range(int(first), int(last or first) + 1))

    assert len(taken) == len(set(taken))


@pytest.mark.parametrize("service", [*SERVICES, *JOBS])
def test_a_container_is_told_its_own_secrets_and_no_others(service: str) -> None:
    assert _secrets_of(service) == service
    assert _told()[service]


@pytest.mark.parametrize("server", ["broker", "database", "objects", "grafana", "prometheus"])
def test_a_server_finds_the_file_that_it_is_pointed_to(server: str) -> None:
    named = re.findall(r"/run/secrets/([\w.]+)", yaml.dump(services()[server]))
    if server in CONFIGURED_IN:
        configuration = (ROOT / "deploy" / CONFIGURED_IN[server]).read_text()
        named = re.findall(r"/run/secrets/([\w.]+)", configuration)

    assert named
    assert set(named) <= set(_told()[_secrets_of(server)])


def test_the_database_makes_a_role_for_each_password_it_was_given() -> None:
    script = (ROOT / "deploy" / "compose" / "database.sh").read_text()
    found = re.search(r"for service in (.*); do", script)
    assert found
    made = {"paperline", READER, *(f"paperline_{one}" for one in found[1].split())}

    assert f"role {READER}" in script
    assert made | {"postgres"} == set(_told()["database"])


@pytest.mark.parametrize("configuration", ["compose/rabbitmq.conf", "k8s/examples/broker.yaml"])
def test_the_broker_lets_nobody_in_without_a_password(configuration: str) -> None:
    said = (ROOT / "deploy" / configuration).read_text()

    assert re.findall(r"auth_mechanisms\.\d = (\w+)", said) == ["PLAIN"]


@pytest.mark.parametrize("configuration", ["compose/rabbitmq.conf", "k8s/examples/broker.yaml"])
def test_the_broker_limits_what_a_client_takes_as_the_local_one(configuration: str) -> None:
    said = (ROOT / "deploy" / configuration).read_text()

    for name, limit in OF_A_NODE.items():
        assert re.findall(rf"^ *{name} = (.*)$", said, re.MULTILINE) == [str(limit)]


@pytest.mark.parametrize("service", [*SERVICES, *JOBS])
def test_every_variable_and_secret_is_a_setting_of_the_code(service: str) -> None:
    known = render() + "PAPERLINE_TOPOLOGY_AMQP_URL=\nPAPERLINE_TOPOLOGY_API_URL=\n"
    told = [*(services()[service].get("environment") or {}), *_told()[service]]

    assert [name for name in told if f"{name.upper()}=" not in known] == []


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_starts_after_its_migration_and_the_queues(service: str) -> None:
    waits_for = services()[service]["depends_on"]

    assert waits_for[f"migrate-{service}"]["condition"] == "service_completed_successfully"
    assert waits_for["topology"]["condition"] == "service_completed_successfully"
    assert waits_for["objects"]["condition"] == "service_healthy"


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_listens_where_it_is_asked(service: str) -> None:
    one = services()[service]

    assert one["environment"]["PAPERLINE_API_PORT"] == str(API_PORT)
    assert one["environment"]["PAPERLINE_OPS_PORT"] == str(OPS_PORT)
    assert f":{OPS_PORT}/readyz" in one["healthcheck"]["test"][-1]
    ports = [port.split(":")[-1] for port in one.get("ports", [])]
    assert ports == ([str(API_PORT)] if service in SERVICES_WITH_AN_API else [])


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_is_built_from_its_own_dockerfile(service: str) -> None:
    migration, one = services()[f"migrate-{service}"], services()[service]

    assert migration["build"]["dockerfile"] == f"services/{service}/Dockerfile"
    assert migration["image"] == one["image"] == f"paperline-{service}"
    assert one["read_only"] is True
    assert one["cap_drop"] == ["ALL"]


def test_an_image_is_built_by_one_service_alone() -> None:
    """Where two build the same name at once, an engine may refuse the second: it is there."""
    built = [one["image"] for one in services().values() if "build" in one]
    named = {
        one["image"] for one in services().values() if one["image"].startswith("paperline-")
    }

    assert sorted(built) == sorted(named)


def test_what_falls_over_is_started_again() -> None:
    restarted = {name: one["restart"] for name, one in services().items()}

    # A job that has done its work must not be started again.
    assert restarted == {
        **dict.fromkeys(services(), "unless-stopped"),
        **dict.fromkeys(JOBS, "on-failure:5"),
    }


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_is_asked_for_its_health_as_its_image_says(service: str) -> None:
    dockerfile = (ROOT / "services" / service / "Dockerfile").read_text()
    asked = services()[service]["healthcheck"]

    assert "/readyz" in asked["test"][-1]
    assert "/readyz" in dockerfile
    said = f"--interval={asked['interval']} --timeout={asked['timeout']}"
    assert f"{said} --retries={asked['retries']} " in dockerfile
    assert f"--start-period={asked['start_period']}" in dockerfile


@pytest.mark.parametrize("service", [*SERVICES, *JOBS])
def test_a_container_is_let_in_by_the_servers_under_its_own_name(service: str) -> None:
    told, users = _told()[service], json.loads(_told()["broker"]["definitions.json"])["users"]
    own = service.removeprefix("migrate-")

    for name, url in told.items():
        if name.endswith("_amqp_url") or name.endswith("_broker_api_url"):
            where = urlsplit(url)
            assert (where.hostname, where.username) == ("broker", own)
            assert where.username in {one["name"] for one in users}
            assert where.scheme == "http" or where.path == f"/{VHOST}"
        if name.endswith("_database_url"):
            assert urlsplit(url).username == f"paperline_{own}"
        if name.endswith("_migrate_url"):
            assert urlsplit(url).username == "paperline"
            assert service.startswith("migrate-")


@pytest.mark.parametrize(
    ("file", "tls", "scheme"), [(MAIN, False, "amqp"), (TLS, True, "amqps")]
)
def test_a_program_outside_is_told_where_the_broker_is_published(
    file: str, tls: bool, scheme: str
) -> None:
    told = folders(passwords({}), replace(COMPOSE, tls=tls, authority="-- ours --"))
    where = urlsplit(told["publisher"]["amqp_url"])
    published = [one.split(":") for one in services(file)["broker"]["ports"]]

    assert (where.scheme, where.username) == (scheme, "publisher")
    assert [where.hostname, str(where.port), str(where.port)] in published
    # By that name its certificate is believed, and by whom it was made.
    assert where.hostname in ALSO
    assert told["publisher"]["ca.pem"] == "-- ours --"


def test_a_program_in_a_cluster_calls_the_broker_by_its_name() -> None:
    told = folders(passwords({}), Hosts("database.one.svc", "broker.one.svc"))

    assert urlsplit(told["publisher"]["amqp_url"]).hostname == "broker.one.svc"
    assert set(told["publisher"]) == {"amqp_url"}


def test_prometheus_scrapes_every_service_and_tells_the_alert_manager() -> None:
    told = yaml.safe_load((ROOT / "deploy/prometheus/prometheus.yml").read_text())
    [scraped] = told["scrape_configs"]
    [names] = scraped["dns_sd_configs"]

    assert (set(names["names"]), names["port"]) == (set(SERVICES), OPS_PORT)
    assert told["alerting"]["alertmanagers"] == [
        {"static_configs": [{"targets": [f"alertmanager:{_port_of('alertmanager')}"]}]}
    ]


def _port_of(service: str) -> int:
    """Inside, where the other containers reach it."""
    [published] = services()[service]["ports"]
    return int(published.rpartition(":")[2])


def test_grafana_finds_its_sources_where_they_listen() -> None:
    folder = ROOT / "deploy/grafana/provisioning/datasources"
    told = [yaml.safe_load(one.read_text()) for one in folder.glob("*.yml")]
    found = {urlsplit(one["url"]).netloc for each in told for one in each["datasources"]}

    assert found == {f"{name}:{_port_of(name)}" for name in ("prometheus", "jaeger")}


@pytest.mark.parametrize(
    "server", ["prometheus", "alertmanager", "grafana", "jaeger", "gemini-double"]
)
def test_what_is_looked_at_is_asked_at_the_port_it_has(server: str) -> None:
    one = services()[server]
    [port] = re.findall(r"http://127\.0\.0\.1:(\d+)/", " ".join(one["healthcheck"]["test"]))

    listens = _port_of(server) if "ports" in one else GEMINI_DOUBLE_PORT
    assert int(port) == listens


def test_the_double_is_where_the_extractor_is_told_to_look() -> None:
    dockerfile = (ROOT / "tests/gemini_double/Dockerfile").read_text()

    assert f'"--port", "{GEMINI_DOUBLE_PORT}"' in dockerfile
    said = (ROOT / "docker-compose.yml").read_text()
    assert f"GEMINI_BASE_URL=http://gemini-double:{GEMINI_DOUBLE_PORT}" in said


@pytest.mark.parametrize("service", [*SERVERS, *SERVICES, *OBSERVERS, "gemini-double"])
def test_what_goes_on_running_says_when_it_is_well(service: str) -> None:
    assert services()[service]["healthcheck"]["test"]


@pytest.mark.parametrize("service", SERVICES)
def test_a_container_is_given_longer_than_its_drain(service: str) -> None:
    grace = services()[service]["stop_grace_period"]

    assert int(grace.removesuffix("s")) > ProcessSettings.model_fields["drain_s"].default + 5

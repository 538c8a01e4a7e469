"""Where services speak TLS they are scraped as they are elsewhere, and by their names."""

from functools import cache
from typing import Any

import yaml

from deploy.certificates.making import SERVERS
from deploy.secrets.files import COMPOSE, Hosts, folders, passwords
from tests.house.repository import ROOT, SERVICES
from tests.house.test_posture import Loader

HEAD = ("global", "rule_files", "alerting")


@cache
def _told(name: str) -> dict[str, Any]:
    told = yaml.safe_load((ROOT / "deploy" / "prometheus" / name).read_text())
    assert isinstance(told, dict)
    return told


@cache
def _scraped(name: str) -> dict[str, Any]:
    [one] = _told(name)["scrape_configs"]
    assert isinstance(one, dict)
    return one


def _compose(name: str) -> list[str]:
    read = yaml.load((ROOT / name).read_text(), Loader)  # noqa: S506 -- a safe one
    command: list[str] = read["services"]["prometheus"]["command"]
    return command


def test_all_but_the_way_there_is_the_same() -> None:
    plain, closed = _told("prometheus.yml"), _told("prometheus-tls.yml")

    assert {name: closed[name] for name in HEAD} == {name: plain[name] for name in HEAD}
    for one in closed["scrape_configs"]:
        assert one["authorization"] == _scraped("prometheus.yml")["authorization"]
        assert one["relabel_configs"] == [
            *_scraped("prometheus.yml")["relabel_configs"],
            # What rules and panels ask for, however it is scraped.
            {"target_label": "job", "replacement": _scraped("prometheus.yml")["job_name"]},
        ]


def test_a_service_is_expected_under_the_name_of_its_certificate() -> None:
    [plain] = _scraped("prometheus.yml")["dns_sd_configs"]
    expected = set()
    for one in _told("prometheus-tls.yml")["scrape_configs"]:
        [found] = one["dns_sd_configs"]
        [name] = found["names"]
        assert found == {**plain, "names": [name]}
        assert one["scheme"] == "https"
        assert one["tls_config"] == {"ca_file": "/run/secrets/ca.pem", "server_name": name}
        expected.add(name)

    assert expected == set(SERVICES) == set(plain["names"])
    assert expected <= set(SERVERS)


def test_it_is_given_whom_to_believe() -> None:
    closed = Hosts(COMPOSE.database, COMPOSE.broker, tls=True, authority="-- ours --")

    assert folders(passwords({}), closed)["prometheus"]["ca.pem"] == "-- ours --"
    assert set(folders(passwords({}), COMPOSE)["prometheus"]) == {"metrics_secret"}


def test_it_is_started_with_that_file_and_otherwise_as_ever() -> None:
    plain, closed = _compose("docker-compose.yml"), _compose("deploy/compose/tls.yml")

    assert closed == [one.replace("prometheus.yml", "prometheus-tls.yml") for one in plain]
    assert closed != plain

"""What our pods have to reach, a policy lets them: by a namespace's label, or by a network.

A server that no policy names is silence: connections are dropped, not refused, and every pod
waits for the end of its patience.
"""

from collections.abc import Iterator, Mapping
from ipaddress import ip_network
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from deploy.k8s import __main__ as base
from deploy.k8s.network import ROLE
from deploy.k8s.workloads import PART_OF
from deploy.secrets.files import Hosts, folders, passwords
from tests.house.kubernetes_schemas import complaints
from tests.house.repository import ROOT
from tests.house.test_k8s import VERSIONS

K8S = ROOT / "deploy" / "k8s"
HOSTS = {
    "trial": Hosts("database-rw.paperline-database.svc", "broker.paperline-broker.svc"),
    "production": Hosts(
        "database-rw.paperline-database.svc", "broker.paperline-broker.svc", tls=True
    ),
}
PORTS = {"https": 443, "http": 80}
# Of all namespaces, those that the guide labels because they belong to others.
OF_OTHERS = {"ingress", "monitoring"}
# Who is told of a server that no pod opens a connection to.
FOR_BROWSERS = ("REVIEW_URL", "CONSOLE_URL", "SIGN_IN_URL")

every_overlay = pytest.mark.parametrize("overlay", HOSTS)


def _manifests(name: str) -> list[dict[str, Any]]:
    return [*yaml.safe_load_all((K8S / name).read_text())]


def _roles() -> Mapping[str, str]:
    """Of the namespaces that the examples make."""
    return {
        one["metadata"]["name"]: one["metadata"]["labels"][ROLE]
        for one in _manifests("examples/namespaces.yaml")
    }


def _addresses(overlay: str) -> Iterator[str]:
    """All that an installation of the examples is told to speak to."""
    [kustomization] = _manifests(f"overlays/{overlay}/kustomization.yaml")
    [merged] = kustomization["configMapGenerator"]
    told = dict(one.split("=", 1) for one in merged["literals"])
    for folder in folders(passwords({}), HOSTS[overlay]).values():
        told |= folder
    for name, text in told.items():
        if "://" in text and not name.endswith(FOR_BROWSERS):
            yield text


def _rules(overlay: str) -> Iterator[dict[str, Any]]:
    """Of policies that hold for every pod of ours."""
    [kustomization] = _manifests(f"overlays/{overlay}/kustomization.yaml")
    own = [
        one
        for name in kustomization["resources"]
        if name.endswith(".yaml")
        for one in _manifests(f"overlays/{overlay}/{name}")
    ]
    for one in (*base.files()["network.yaml"], *own):
        if one["kind"] == "NetworkPolicy" and one["spec"]["podSelector"] == {
            "matchLabels": PART_OF
        }:
            yield from one["spec"].get("egress", [])


def _is_reached(host: str, port: int, overlay: str) -> bool:
    inside = host.endswith(".svc")
    role = _roles().get(host.split(".")[-2]) if inside else None
    return any(
        port in {one["port"] for one in rule["ports"]}
        and (_names(to, role) if inside else "ipBlock" in to)
        for rule in _rules(overlay)
        for to in rule["to"]
    )


def _names(to: dict[str, Any], role: str | None) -> bool:
    labels: dict[str, str] = to.get("namespaceSelector", {}).get("matchLabels", {})
    return role is not None and labels.get(ROLE) == role


@every_overlay
def test_every_server_that_is_named_can_be_reached(overlay: str) -> None:
    parts = [urlsplit(one) for one in _addresses(overlay)]
    places = {(one.hostname or "", one.port or PORTS[one.scheme]) for one in parts}

    assert len(places) > 3
    assert [place for place in places if not _is_reached(*place, overlay)] == []


def test_a_server_that_no_policy_names_is_found() -> None:
    assert not _is_reached("database.elsewhere.svc", 5432, "trial")
    assert not _is_reached("objects.example", 443, "trial")
    assert not _is_reached("database.example", 5432, "production")


def test_outside_is_not_everywhere_and_not_inside() -> None:
    [policy] = _manifests("overlays/production/outside.yaml")
    networks = [
        ip_network(to["ipBlock"]["cidr"])
        for rule in policy["spec"]["egress"]
        for to in rule["to"]
    ]

    assert networks
    assert policy["spec"]["policyTypes"] == ["Egress"]
    assert not any(one.prefixlen == 0 for one in networks)


def test_every_role_is_that_of_a_namespace() -> None:
    """A label that nobody carries would let through nobody."""
    text = (K8S / "base" / "network.yaml").read_text()
    wanted = {
        line.partition(":")[2].strip() for line in text.splitlines() if f"{ROLE}:" in line
    }
    guide = (K8S / "README.md").read_text()

    assert wanted == set(_roles().values()) | OF_OTHERS
    assert all(f"{ROLE}={role}" in guide for role in OF_OTHERS)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["namespaces.yaml", "network.yaml", "objects.yaml"])
def test_kubernetes_takes_an_example(name: str, version: str) -> None:
    own = _manifests(f"examples/{name}")

    assert [said for one in own for said in complaints(one, version)] == []

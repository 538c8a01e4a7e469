"""The servers of the examples are entered by whom they are for, and by nobody else.

What the base lets our pods leave for is no use where the server's own namespace refuses them,
and no protection where it lets everybody in.
"""

from typing import Any, Literal
from urllib.parse import urlsplit

import pytest
import yaml

from deploy.k8s.network import BACKENDS, ROLE
from deploy.k8s.workloads import PART_OF
from tests.house.test_k8s_foreign import Part
from tests.house.test_k8s_guide import GUIDE, _commands
from tests.house.test_k8s_reach import K8S, PORTS, _addresses, _manifests, every_overlay

OURS = {
    "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "paperline"}},
    "podSelector": {"matchLabels": PART_OF},
}
AMONG_THEMSELVES: dict[str, dict[str, Any]] = {"podSelector": {}}
SERVERS = ("broker", "database", "objects")
# By port, whom else they cannot do without.
OPERATORS = {
    "paperline-broker": {"keda": {15671, 15672}, "rabbitmq-system": {15671, 15672}},
    "paperline-database": {"cnpg-system": {8000, 5432}},
    "paperline-objects": {},
}


class Listeners(Part):
    disableNonTLSListeners: Literal[True]


class ClosedBroker(Part):
    tls: Listeners


class Rules(Part):
    pg_hba: list[Literal["hostnossl all all all reject"]]


class ClosedDatabase(Part):
    postgresql: Rules


PATCHES: dict[str, type[Part]] = {"broker": ClosedBroker, "database": ClosedDatabase}


def _policies() -> dict[str, list[dict[str, Any]]]:
    """What comes in, by namespace."""
    made = _manifests("examples/network.yaml")
    for one in made:
        assert one["spec"]["podSelector"] == {}
        assert one["spec"]["policyTypes"] == ["Ingress"]
    return {one["metadata"]["namespace"]: one["spec"]["ingress"] for one in made}


def _ports(rule: dict[str, Any]) -> set[int]:
    return {one["port"] for one in rule["ports"]}


def _for_ours(namespace: str) -> set[int]:
    return set().union(*(_ports(one) for one in _policies()[namespace] if OURS in one["from"]))


def _namespaces_of_servers() -> set[str]:
    return {
        one["metadata"]["namespace"]
        for name in SERVERS
        for one in _manifests(f"examples/{name}.yaml")
    }


def test_every_server_of_the_examples_is_closed() -> None:
    assert set(_policies()) == _namespaces_of_servers() == set(OPERATORS)


@every_overlay
def test_every_server_that_is_named_is_there_and_lets_our_pods_in(overlay: str) -> None:
    """A collector that nobody installs would be asked for ever, and say nothing."""
    places = [urlsplit(one) for one in _addresses(overlay)]
    inside = [one for one in places if (one.hostname or "").endswith(".svc")]

    assert len(inside) > 2
    for one in inside:
        namespace = (one.hostname or "").split(".")[-2]
        assert namespace in _namespaces_of_servers(), one.hostname
        assert (one.port or PORTS[one.scheme]) in _for_ours(namespace), one.hostname


def test_our_pods_enter_by_no_port_that_they_may_not_leave_for() -> None:
    left_for = dict(BACKENDS)
    for one in _manifests("examples/namespaces.yaml"):
        name, role = one["metadata"]["name"], one["metadata"]["labels"][ROLE]
        if name in _policies():
            assert _for_ours(name) <= set(left_for[role]), name


@pytest.mark.parametrize("namespace", OPERATORS)
def test_nobody_else_enters_but_operators_and_publishers(namespace: str) -> None:
    others: dict[str, set[int]] = {}
    for rule in _policies()[namespace]:
        for one in rule["from"]:
            if one in (AMONG_THEMSELVES, OURS):
                continue
            [(key, name)] = one["namespaceSelector"]["matchLabels"].items()
            assert set(one) == {"namespaceSelector"}
            assert key in (ROLE, "kubernetes.io/metadata.name")
            others[name] = others.get(name, set()) | _ports(rule)

    publishers = {"publisher": {5671, 5672}} if namespace == "paperline-broker" else {}
    assert others == OPERATORS[namespace] | publishers
    assert f"{ROLE}: publisher" in GUIDE


def test_the_store_is_nobody_in_particular_and_started_again_when_it_hangs() -> None:
    [pod] = [
        one["spec"]["template"]["spec"]
        for one in _manifests("examples/objects.yaml")
        if one["kind"] == "StatefulSet"
    ]
    [container] = pod["containers"]

    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    # Or its volume would be root's.
    assert pod["securityContext"]["fsGroup"] == pod["securityContext"]["runAsUser"] != 0
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
    }
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        assert container[probe]["httpGet"] == {"path": "/healthz", "port": "s3"}


@pytest.mark.parametrize("server", PATCHES)
def test_productions_servers_hear_nothing_in_the_clear(server: str) -> None:
    told = yaml.safe_load((K8S / "examples" / f"{server}-patch.yaml").read_text())
    patched = f"--patch-file=deploy/k8s/examples/{server}-patch.yaml"

    PATCHES[server].model_validate(told["spec"])
    assert [patched in " ".join(_commands(one)) for one in ("trial", "production")] == [
        False,
        True,
    ]


def test_operators_are_of_versions_that_the_guide_names() -> None:
    """The newest of all may want something that is not here: cert-manager, for instance."""
    assert "releases/latest" not in GUIDE
    assert "/cluster-operator/releases/download/v" in GUIDE

"""Who may talk to whom: nobody, but for what is listed here."""

from typing import Any

from deploy.k8s.table import API_PORT, OPS_PORT, WORKLOADS
from deploy.k8s.workloads import PART_OF, Manifest, labels, manifest

# Labels that an installation puts on the namespaces around this one.
ROLE = "paperline.example/role"
BACKENDS: tuple[tuple[str, tuple[int, ...]], ...] = (
    ("broker", (5671, 5672, 15671, 15672)),
    ("database", (5432,)),
    ("object-store", (443, 8333, 9000)),
    ("telemetry", (4318,)),
)
# Addresses that are nobody's on the Internet: a webhook must not find what lies inside.
NOT_OUTSIDE = (
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.168.0.0/16",
)
OUTSIDE_PORTS = (443,)


def policies() -> list[Manifest]:
    return [_closed(), _backends(), _monitored(), *_entered(), *_leaving()]


def _policy(name: str, pods: dict[str, str], **rules: object) -> Manifest:
    kinds = [kind.capitalize() for kind in ("ingress", "egress") if kind in rules]
    selector: dict[str, Any] = {"matchLabels": pods}
    return manifest(
        "NetworkPolicy",
        "networking.k8s.io/v1",
        name,
        spec={"podSelector": selector, "policyTypes": kinds, **rules},
    )


def _closed() -> Manifest:
    return _policy("closed", PART_OF, ingress=[], egress=[])


def _ports(*numbers: int, protocol: str = "TCP") -> list[Manifest]:
    return [{"protocol": protocol, "port": number} for number in numbers]


def _role(name: str) -> Manifest:
    return {"namespaceSelector": {"matchLabels": {ROLE: name}}}


def _backends() -> Manifest:
    names = {
        "to": [
            {
                "namespaceSelector": {
                    "matchLabels": {"kubernetes.io/metadata.name": "kube-system"}
                }
            }
        ],
        "ports": [*_ports(53), *_ports(53, protocol="UDP")],
    }
    reached = [{"to": [_role(name)], "ports": _ports(*ports)} for name, ports in BACKENDS]
    return _policy("to-backends", PART_OF, egress=[names, *reached])


def _monitored() -> Manifest:
    rule = {"from": [_role("monitoring")], "ports": _ports(OPS_PORT)}
    return _policy("from-prometheus", PART_OF, ingress=[rule])


def _entered() -> list[Manifest]:
    rule = {"from": [_role("ingress")], "ports": _ports(API_PORT)}
    return [
        _policy(f"to-{one.name}", labels(one.service, one.door), ingress=[rule])
        for one in WORKLOADS
        if one.has_api
    ]


def _leaving() -> list[Manifest]:
    return [
        _policy(f"from-{one.name}", labels(one.service, one.door), egress=[_outside()])
        for one in WORKLOADS
        if one.reaches
    ]


def _outside() -> Manifest:
    block = {"cidr": "0.0.0.0/0", "except": list(NOT_OUTSIDE)}
    return {"to": [{"ipBlock": block}], "ports": _ports(*OUTSIDE_PORTS)}

"""The way in from outside: words that the Gateway API knows, and places that the services tell.

Its schemas are its own; here is the part of them that the example uses.
"""

from typing import Any, Literal
from urllib.parse import urlsplit

import pytest
import yaml
from pydantic import BaseModel, ConfigDict, Field

from deploy.k8s.network import ROLE
from deploy.k8s.workloads import front
from tests.house.repository import ROOT, SERVICES_WITH_AN_API

K8S = ROOT / "deploy" / "k8s"
EXAMPLE = (K8S / "examples" / "gateway.yaml").read_text()
WAY_IN = [*yaml.safe_load_all(EXAMPLE)]
# Where people find each, as its neighbours tell them.
URLS = {
    "ingest": "PAPERLINE_SIGN_IN_URL",
    "review": "PAPERLINE_REVIEW_URL",
    "monitor": "PAPERLINE_CONSOLE_URL",
}


class Part(BaseModel):
    """A word that is not listed is wrong."""

    model_config = ConfigDict(strict=True, extra="forbid")


class Reference(Part):
    name: str


class To(Part):
    name: str
    port: int | None = None
    sectionName: str | None = None


class Tls(Part):
    mode: Literal["Terminate"]
    certificateRefs: list[Reference] = Field(min_length=1)


class Listener(Part):
    name: str
    hostname: str
    port: int
    protocol: Literal["HTTPS"]
    tls: Tls


class Gateway(Part):
    gatewayClassName: str
    listeners: list[Listener]


class Header(Part):
    name: str
    value: str


class Headers(Part):
    set: list[Header]


class Filter(Part):
    type: Literal["RequestHeaderModifier"]
    requestHeaderModifier: Headers


class Timeouts(Part):
    request: Literal["0s"]


class Rule(Part):
    filters: list[Filter]
    timeouts: Timeouts
    backendRefs: list[To]


class Route(Part):
    parentRefs: list[To]
    rules: list[Rule]


KINDS: dict[str, type[Part]] = {"Gateway": Gateway, "HTTPRoute": Route}


@pytest.mark.parametrize(
    "told", WAY_IN, ids=lambda one: f"{one['kind']} {one['metadata']['name']}"
)
def test_the_gateway_api_knows_every_word(told: dict[str, Any]) -> None:
    assert told["apiVersion"] == "gateway.networking.k8s.io/v1"
    # Beside the services and the certificate: a route sends no one into another namespace.
    assert told["metadata"]["namespace"] == "paperline"
    KINDS[told["kind"]].model_validate(told["spec"])


def test_our_policies_let_its_namespace_in() -> None:
    assert f"`{ROLE}: ingress`" in EXAMPLE.replace("\n# ", " ")


def test_the_way_in_is_where_the_services_say_they_are() -> None:
    """Each at its port, told to it as people asked, and sent on to a service that listens."""
    [overlay] = yaml.safe_load((K8S / "overlays/production/kustomization.yaml").read_text())[
        "configMapGenerator"
    ]
    said = dict(one.split("=", 1) for one in overlay["literals"])
    [gateway] = [one for one in WAY_IN if one["kind"] == "Gateway"]
    routes = {
        one["metadata"]["name"]: one["spec"] for one in WAY_IN if one["kind"] != "Gateway"
    }
    listeners = {one["name"]: one for one in gateway["spec"]["listeners"]}

    assert set(routes) == set(listeners) == set(SERVICES_WITH_AN_API)
    for name, setting in {
        "ingest": "SIGN_IN",
        "review": "REVIEW",
        "monitor": "CONSOLE",
    }.items():
        url = urlsplit(said[f"PAPERLINE_{setting}_URL"])
        found = listeners[name]
        assert (url.scheme, url.hostname, url.port or 443) == (
            found["protocol"].lower(),
            found["hostname"],
            found["port"],
        )
    for name, route in routes.items():
        [rule] = route["rules"]
        [headers] = [one["requestHeaderModifier"]["set"] for one in rule["filters"]]
        place = listeners[name]
        port = "" if place["port"] == 443 else f":{place['port']}"
        assert route["parentRefs"] == [{"name": "paperline", "sectionName": name}]
        assert rule["backendRefs"] == [{"name": name, "port": _port(name)}]
        assert {one["name"]: one["value"] for one in headers} == {
            "X-Forwarded-Proto": "https",
            "X-Forwarded-Host": f"{place['hostname']}{port}",
        }


def _port(service: str) -> int:
    [port] = [one["port"] for one in front(service)["spec"]["ports"]]
    assert isinstance(port, int)
    return port

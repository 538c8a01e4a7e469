"""A cluster's Prometheus finds our pods, and calls them as rules and dashboards do.

The schemas are those of its operator; here is the part of them that the example uses.
"""

import re
from typing import Annotated, Any, Literal

import pytest
import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from deploy.k8s import __main__ as base
from deploy.secrets.files import COMPOSE, folders, passwords
from tests.house.repository import ROOT, SERVICES

EXAMPLE = yaml.safe_load((ROOT / "deploy/k8s/examples/scraping.yaml").read_text())
COMPOSE_SCRAPES = yaml.safe_load((ROOT / "deploy/prometheus/prometheus.yml").read_text())
# A label of a pod as its operator hands it on: whatever is no letter or digit is an underscore.
POD_LABEL = "__meta_kubernetes_pod_label_"


class Part(BaseModel):
    """A word that is not listed is wrong."""

    model_config = ConfigDict(strict=True, extra="forbid")


class Named(Part):
    name: str
    namespace: str


class Key(Part):
    name: str
    key: str


class Authorization(Part):
    credentials: Key


class Relabeling(Part):
    sourceLabels: list[str] = []
    targetLabel: str
    replacement: str = "$1"


class Endpoint(Part):
    port: str
    interval: Annotated[str, Field(pattern=r"^\d+s$")]
    authorization: Authorization
    relabelings: list[Relabeling]


class Namespaces(Part):
    matchNames: list[str]


class Labelled(Part):
    matchLabels: dict[str, str]


class Scraped(Part):
    namespaceSelector: Namespaces
    selector: Labelled
    podMetricsEndpoints: list[Endpoint] = Field(min_length=1, max_length=1)


class PodMonitor(Part):
    apiVersion: Literal["monitoring.coreos.com/v1"]
    kind: Literal["PodMonitor"]
    metadata: Named
    spec: Scraped


class Rule(Part):
    record: str | None = None
    alert: str | None = None
    expr: str
    # Named `for`, which is a word of Python.
    lasting: str | None = Field(default=None, alias="for")
    keep_firing_for: str | None = None
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}


class Group(Part):
    name: str
    interval: str | None = None
    rules: list[Rule]


class Rules(Part):
    """What is below `spec` of a PrometheusRule is what a file of rules holds, and no more."""

    groups: list[Group]


def _monitor() -> PodMonitor:
    return PodMonitor.model_validate(EXAMPLE)


def _workloads(kind: str) -> list[dict[str, Any]]:
    made = [one for each in base.files().values() for one in each]
    return [one["spec"]["template"] for one in made if one["kind"] == kind]


def _has_the_port(pod: dict[str, Any]) -> bool:
    [endpoint] = _monitor().spec.podMetricsEndpoints
    ports = [port for one in pod["spec"]["containers"] for port in one.get("ports", [])]
    return endpoint.port in {one["name"] for one in ports}


def _called(pod: dict[str, Any]) -> dict[str, str]:
    """The labels that a pod's metrics get."""
    known = {
        POD_LABEL + re.sub(r"\W", "_", name): value
        for name, value in pod["metadata"]["labels"].items()
    }
    [endpoint] = _monitor().spec.podMetricsEndpoints
    told = {}
    for one in endpoint.relabelings:
        found = ";".join(known[name] for name in one.sourceLabels)
        told[one.targetLabel] = one.replacement.replace("$1", found)
    return told


def test_every_process_is_scraped_and_no_job() -> None:
    spec = _monitor().spec
    wanted = spec.selector.matchLabels.items()

    for pod in _workloads("Deployment"):
        assert wanted <= pod["metadata"]["labels"].items()
        assert _has_the_port(pod)
    assert not any(_has_the_port(pod) for pod in _workloads("Job"))
    assert spec.namespaceSelector.matchNames == [base.namespace()["metadata"]["name"]]


def test_a_process_is_called_as_in_compose() -> None:
    [scraped] = COMPOSE_SCRAPES["scrape_configs"]
    called = [_called(pod) for pod in _workloads("Deployment")]

    assert {one["service"] for one in called} == set(SERVICES)
    assert {one["job"] for one in called} == {scraped["job_name"]}
    targets = {one["target_label"] for one in scraped["relabel_configs"]}
    assert {*targets, "job"} == set(called[0])
    [endpoint] = _monitor().spec.podMetricsEndpoints
    assert endpoint.interval == COMPOSE_SCRAPES["global"]["scrape_interval"]


def test_the_token_is_the_one_that_is_made() -> None:
    [endpoint] = _monitor().spec.podMetricsEndpoints

    assert (
        endpoint.authorization.credentials.key in folders(passwords({}), COMPOSE)["prometheus"]
    )


@pytest.mark.parametrize("file", COMPOSE_SCRAPES["rule_files"])
def test_a_file_of_rules_is_what_the_operator_takes(file: str) -> None:
    told = yaml.safe_load((ROOT / "deploy/prometheus" / file).read_text())

    assert Rules.model_validate(told).groups


def test_a_misspelt_word_is_seen() -> None:
    with pytest.raises(ValidationError, match="podMetricEndpoints"):
        Scraped.model_validate({**EXAMPLE["spec"], "podMetricEndpoints": []})

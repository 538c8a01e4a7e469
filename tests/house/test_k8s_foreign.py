"""What belongs to operators of others has its schemas with them: here it is held against the
part of those that we use, so that a misspelt word is not left out in silence."""

from typing import Any, Literal

import pytest
import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from deploy.secrets.files import Hosts, folders, passwords
from tests.house.compose_files import services
from tests.house.repository import ROOT

K8S = ROOT / "deploy" / "k8s"


class Part(BaseModel):
    """A number in quotes is none, and a word that is not listed is wrong."""

    model_config = ConfigDict(strict=True, extra="forbid")


class Named(Part):
    name: str
    namespace: str | None = None


class Reference(Part):
    name: str


class Key(Part):
    # Of KEDA's scaler of RabbitMQ, those that there are for a broker with a password.
    parameter: Literal["host", "tls", "ca"]
    name: str
    key: str


class Queue(Part):
    """All of it is text, as of every scaler."""

    protocol: Literal["http"]
    mode: Literal["ExpectedQueueConsumptionTime"]
    value: str = Field(pattern=r"^\d+(\.\d+)?$")
    excludeUnacknowledged: Literal["true", "false"]
    queueName: str
    vhostName: str


class Trigger(Part):
    type: Literal["rabbitmq"]
    metricType: Literal["Value", "AverageValue"]
    metadata: Queue
    authenticationRef: Reference


class Policy(Part):
    type: Literal["Pods", "Percent"]
    value: int
    periodSeconds: int = Field(gt=0, le=1800)


class Rules(Part):
    stabilizationWindowSeconds: int = Field(ge=0, le=3600)
    policies: list[Policy]


class Behavior(Part):
    scaleDown: Rules


class Autoscaler(Part):
    behavior: Behavior


class Advanced(Part):
    horizontalPodAutoscalerConfig: Autoscaler


class Scaled(Part):
    scaleTargetRef: Reference
    minReplicaCount: int = Field(ge=0)
    maxReplicaCount: int = Field(gt=0)
    cooldownPeriod: int
    advanced: Advanced | None = None
    triggers: list[Trigger] = Field(min_length=1)


class Authentication(Part):
    secretTargetRef: list[Key]


class Catalogued(Part):
    apiGroup: Literal["postgresql.cnpg.io"]
    kind: Literal["ClusterImageCatalog"]
    # That of the catalog in the guide.
    name: Literal["postgresql"]
    major: int


class Object(Part):
    apiVersion: str
    kind: str
    metadata: Named
    spec: dict[str, Any]


KINDS: dict[tuple[str, str], type[Part]] = {
    ("keda.sh/v1alpha1", "ScaledObject"): Scaled,
    ("keda.sh/v1alpha1", "TriggerAuthentication"): Authentication,
}
QUEUES = [*yaml.safe_load_all((K8S / "overlays/production/queues.yaml").read_text())]


@pytest.mark.parametrize(
    "told", QUEUES, ids=lambda one: f"{one['kind']} {one['metadata']['name']}"
)
def test_its_operator_knows_every_word(told: dict[str, Any]) -> None:
    one = Object.model_validate(told)

    KINDS[one.apiVersion, one.kind].model_validate(one.spec)


def test_a_misspelt_word_of_a_scaler_is_seen() -> None:
    wrong = {**QUEUES[0]["spec"], "maxReplicas": 6}

    with pytest.raises(ValidationError, match="maxReplicas"):
        Scaled.model_validate(wrong)


def test_a_scaler_that_measures_time_has_no_fallback() -> None:
    """KEDA refuses one beside `Value`: it only works for averages."""
    for one in QUEUES:
        triggers = one["spec"].get("triggers", [])
        assert "fallback" not in one["spec"]
        assert {told["metricType"] for told in triggers} <= {"Value"}


def test_servers_are_of_the_versions_that_compose_runs() -> None:
    broker, database = (
        yaml.safe_load((K8S / "examples" / f"{name}.yaml").read_text())["spec"]
        for name in ("broker", "database")
    )
    told = Catalogued.model_validate(database["imageCatalogRef"])
    name, _, version = services()["database"]["image"].partition(":")

    assert broker["image"] == services()["broker"]["image"]
    # By its catalog and not as an image: those of compose lack what copies its journal away.
    assert (name, version.partition("-")[0]) == ("postgres", str(told.major))
    assert "imageName" not in database
    assert "/ClusterImageCatalog-" in (K8S / "README.md").read_text()


@pytest.mark.parametrize("name", ["broker.yaml", "database.yaml"])
def test_an_example_is_one_object_with_a_place_of_its_own(name: str) -> None:
    [told] = yaml.safe_load_all((K8S / "examples" / name).read_text())
    one = Object.model_validate(told)

    assert (one.apiVersion, one.kind) in {
        ("rabbitmq.com/v1beta1", "RabbitmqCluster"),
        ("postgresql.cnpg.io/v1", "Cluster"),
    }
    assert one.metadata.namespace == f"paperline-{one.metadata.name}"


def test_a_scaler_is_told_whom_to_believe() -> None:
    """By its secret, in which each parameter has the key of its name."""
    [looks] = [one for one in QUEUES if one["kind"] == "TriggerAuthentication"]
    told = {one["parameter"]: one for one in looks["spec"]["secretTargetRef"]}
    made = folders(passwords({}), Hosts("database", "broker", tls=True, authority="-- ours --"))

    assert {one["key"] for one in told.values()} == set(made["scaler"]) == set(told)
    assert (made["scaler"]["tls"], made["scaler"]["ca"]) == ("enable", "-- ours --")
    assert made["scaler"]["host"].startswith("https://monitor:")

"""The cluster's manifests: made from the code, valid to Kubernetes, and as closed as said."""

import functools
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from deploy.k8s import __main__ as written
from deploy.k8s.table import API_PORT, OPS_PORT, SERVICES, WORKLOADS
from deploy.local.credentials import READER
from shared.process.settings import ENV_PREFIX, ProcessSettings
from shared.topology.plan import plan
from tests.contract.env_example import render
from tests.house.kubernetes_schemas import Manifest, complaints
from tests.house.repository import ROOT, SERVICES_WITH_AN_API
from tests.house.repository import SERVICES as ALL_SERVICES

K8S = ROOT / "deploy" / "k8s"
# The one that `./paperline check` installs.
KUSTOMIZE = Path(sys.executable).with_name("kustomize")
# The oldest that is still looked after, and the newest whose schemas we have.
VERSIONS = ("1.31.0", "1.37.0")
OVERLAYS = ("production", "trial")
# Made by operators that an installation brings along; their schemas are theirs.
FOREIGN = ("keda.sh/", "rabbitmq.com/", "postgresql.cnpg.io/")


@functools.cache
def _base() -> tuple[Manifest, ...]:
    made = written.files()
    return tuple(one for name in sorted(made) for one in made[name])


def _of(kind: str, manifests: tuple[Manifest, ...] | None = None) -> dict[str, Manifest]:
    return {one["metadata"]["name"]: one for one in manifests or _base() if one["kind"] == kind}


@functools.cache
def _built(overlay: str) -> tuple[Manifest, ...]:
    told = [*builder(), str(K8S / "overlays" / overlay)]
    text = subprocess.run(told, check=True, capture_output=True, text=True).stdout
    return tuple(yaml.safe_load_all(text))


def builder() -> list[str]:
    """What builds an overlay: the program, where it lies, and its words."""
    for program, word in (
        (str(KUSTOMIZE), "build"),
        ("kustomize", "build"),
        ("kubectl", "kustomize"),
    ):
        if there := shutil.which(program):
            return [there, word]
    pytest.skip(
        "neither kustomize nor kubectl is here to build the overlays, and `./paperline check`"
        " could install none"
    )


def _pods(manifests: tuple[Manifest, ...]) -> Iterator[tuple[str, Manifest]]:
    for one in manifests:
        if one["kind"] in {"Deployment", "Job"}:
            yield one["metadata"]["name"], one["spec"]["template"]


def test_the_base_is_what_the_table_says() -> None:
    made = {name: written.text_of(manifests) for name, manifests in written.files().items()}

    assert {one.name: one.read_text() for one in (K8S / "base").iterdir()} == made, (
        "run `python -m deploy.k8s`"
    )


@pytest.mark.parametrize("version", VERSIONS)
def test_kubernetes_takes_the_base(version: str) -> None:
    own = [one for one in _base() if one["kind"] != "Kustomization"]

    assert [said for one in own for said in complaints(one, version)] == []


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("overlay", OVERLAYS)
def test_kubernetes_takes_an_overlay(overlay: str, version: str) -> None:
    own = [one for one in _built(overlay) if not one["apiVersion"].startswith(FOREIGN)]

    assert own
    assert [said for one in own for said in complaints(one, version)] == []


def test_a_manifest_with_an_unknown_word_is_refused() -> None:
    wrong = {**_of("Deployment")["ingest-serve"], "spce": {}}

    assert "spce" in complaints(wrong, VERSIONS[0])[0]


def test_every_service_has_its_doors() -> None:
    doors = {
        *(f"{name}-work" for name in ALL_SERVICES),
        *(f"{name}-serve" for name in SERVICES_WITH_AN_API),
    }

    assert set(_of("Deployment")) == doors
    assert set(_of("Service")) == set(SERVICES_WITH_AN_API)
    assert set(_of("Job")) == {"topology", *(f"migrate-{name}" for name in ALL_SERVICES)}
    assert set(_of("PodDisruptionBudget")) == doors


def test_a_service_sends_to_pods_that_exist_and_listen() -> None:
    pods = dict(_pods(_base()))
    for name, one in _of("Service").items():
        pod = pods[f"{name}-serve"]
        ports = {
            port["name"]: port["containerPort"]
            for port in pod["spec"]["containers"][0]["ports"]
        }

        assert one["spec"]["selector"].items() <= pod["metadata"]["labels"].items()
        assert ports == {"api": API_PORT, "ops": OPS_PORT}


def test_every_setting_is_one_that_the_code_knows() -> None:
    known = render()
    told = [
        name
        for manifests in (_base(), *(_overlay_settings(one) for one in OVERLAYS))
        for one in manifests
        if one["kind"] == "ConfigMap"
        for name in one["data"]
    ]

    assert told
    assert [name for name in told if f"{name}=" not in known] == []
    assert all(name.startswith(ENV_PREFIX) for name in told)


def _overlay_settings(overlay: str) -> tuple[Manifest, ...]:
    """Read from the file itself, so that it is looked at where nothing can build it."""
    file = yaml.safe_load((K8S / "overlays" / overlay / "kustomization.yaml").read_text())
    return tuple(
        {"kind": "ConfigMap", "data": dict(one.split("=", 1) for one in each["literals"])}
        for each in file["configMapGenerator"]
    )


def test_no_pod_may_do_more_than_it_needs() -> None:
    for name, pod in _pods(_base()):
        spec = pod["spec"]

        assert spec["automountServiceAccountToken"] is False, name
        assert spec["securityContext"]["runAsNonRoot"] is True, name
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}, name
        for container in spec["containers"]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }, name
            assert container["resources"]["limits"]["memory"], name


def test_a_pod_gets_the_secrets_of_its_own_service_only() -> None:
    for name, pod in _pods(_base()):
        mounted = [
            one["secret"]["secretName"] for one in pod["spec"]["volumes"] if "secret" in one
        ]
        service = pod["metadata"]["labels"]["app.kubernetes.io/name"]

        assert mounted == [f"paperline-{service}"], name
        assert "env" not in pod["spec"]["containers"][0], name


def test_a_pod_is_given_longer_than_its_drain() -> None:
    drain_s = ProcessSettings.model_fields["drain_s"].default
    for name in _of("Deployment"):
        spec = dict(_pods(_base()))[name]["spec"]
        assert spec["terminationGracePeriodSeconds"] - _leaves_after_s(spec) > drain_s + 5


def test_who_answers_goes_on_answering_until_nobody_sends_to_it() -> None:
    """A pod that ends is told so while the proxies hear of it, and closes its port at once."""
    for name in _of("Deployment"):
        spec = dict(_pods(_base()))[name]["spec"]
        assert (_leaves_after_s(spec) >= 5) == name.endswith("-serve"), name


def _leaves_after_s(spec: Manifest) -> int:
    [container] = spec["containers"]
    hooks = container.get("lifecycle", {"preStop": {"sleep": {"seconds": 0}}})
    seconds: int = hooks["preStop"]["sleep"]["seconds"]
    return seconds


def test_nobody_talks_to_a_pod_unless_a_policy_says_so() -> None:
    policies = _of("NetworkPolicy")
    closed = policies["closed"]["spec"]

    assert closed["podSelector"]["matchLabels"] == {"app.kubernetes.io/part-of": "paperline"}
    assert closed["policyTypes"] == ["Ingress", "Egress"]
    assert closed["ingress"] == closed["egress"] == []
    for name, pod in _pods(_base()):
        labels = pod["metadata"]["labels"]
        assert closed["podSelector"]["matchLabels"].items() <= labels.items(), name


def test_only_who_has_to_leaves_the_cluster() -> None:
    leaving = {
        name.removeprefix("from-")
        for name, one in _of("NetworkPolicy").items()
        if "ipBlock" in str(one["spec"].get("egress"))
    }

    assert leaving == {one.name for one in WORKLOADS if one.reaches}
    assert "storage-work" not in leaving


@pytest.mark.parametrize("service", SERVICES)
def test_an_image_of_the_manifests_is_one_that_is_built(service: str) -> None:
    images = {
        container["image"]
        for _, pod in _pods(_base())
        for container in pod["spec"]["containers"]
        if pod["metadata"]["labels"]["app.kubernetes.io/name"] == service
    }

    assert images == {f"paperline-{service}"}
    assert (ROOT / "services" / service / "Dockerfile").exists()


def test_scalers_turn_what_exists_and_nothing_else_counts_it() -> None:
    built = _built("production")
    deployments = _of("Deployment", built)
    scaled = [
        one["spec"]["scaleTargetRef"]["name"]
        for one in built
        if one["kind"] in {"HorizontalPodAutoscaler", "ScaledObject"}
    ]

    assert len(scaled) == len(set(scaled))
    assert set(scaled) <= set(deployments)
    assert [name for name in scaled if "replicas" in deployments[name]["spec"]] == []


def test_a_scaler_reads_queues_of_the_topology() -> None:
    queues = {one.name for one in plan().queues}
    file = (K8S / "overlays" / "production" / "queues.yaml").read_text()
    read = [
        trigger["metadata"]["queueName"]
        for one in yaml.safe_load_all(file)
        if one["kind"] == "ScaledObject"
        for trigger in one["spec"]["triggers"]
    ]

    assert read
    assert set(read) <= queues


def test_the_examples_name_every_role_of_the_database() -> None:
    cluster = yaml.safe_load((K8S / "examples" / "database.yaml").read_text())
    roles = {one["name"] for one in cluster["spec"]["managed"]["roles"]}

    assert roles == {READER, *(f"paperline_{service}" for service in ALL_SERVICES)}

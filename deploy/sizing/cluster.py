"""What the production overlay says: how many of each may run, and how readers are scaled."""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from deploy.k8s.table import WORKLOADS
from deploy.sizing.scaling import Scaling

OVERLAY = Path(__file__).resolve().parents[1] / "k8s" / "overlays" / "production"
READERS = "extractor-work"


@cache
def replicas_max() -> Mapping[str, int]:
    """Of each deployment, the most there can be."""
    told = dict.fromkeys((one.name for one in WORKLOADS), 1)
    told |= {one["name"]: one["count"] for one in _kustomization()["replicas"]}
    for one in _manifests("autoscaling.yaml"):
        told[one["spec"]["scaleTargetRef"]["name"]] = one["spec"]["maxReplicas"]
    for one in _scaled():
        told[one["spec"]["scaleTargetRef"]["name"]] = one["spec"]["maxReplicaCount"]
    return told


def window() -> int:
    [settings] = _kustomization()["configMapGenerator"]
    told = dict(one.split("=", 1) for one in settings["literals"])
    return int(told["PAPERLINE_PIPELINE_WINDOW"])


def readers_scaling() -> Scaling:
    [spec] = [one["spec"] for one in _scaled() if one["metadata"]["name"] == READERS]
    [trigger] = spec["triggers"]
    told = trigger["metadata"]
    down = spec["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]["scaleDown"]
    [policy] = down["policies"]
    return Scaling(
        replicas_min=spec["minReplicaCount"],
        replicas_max=spec["maxReplicaCount"],
        target_s=float(told["value"]),
        measure=trigger.get("metricType", "AverageValue"),
        waiting_only=told.get("excludeUnacknowledged") == "true",
        stabilise_s=float(down["stabilizationWindowSeconds"]),
        down_every_s=policy["periodSeconds"] / policy["value"],
    )


def _scaled() -> Iterator[dict[str, Any]]:
    yield from (one for one in _manifests("queues.yaml") if one["kind"] == "ScaledObject")


def _kustomization() -> dict[str, Any]:
    [told] = _manifests("kustomization.yaml")
    return told


@cache
def _manifests(name: str) -> tuple[dict[str, Any], ...]:
    return tuple(yaml.safe_load_all((OVERLAY / name).read_text()))

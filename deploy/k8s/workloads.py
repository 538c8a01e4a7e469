"""Deployments, services and jobs as Kubernetes wants them said."""

from typing import Any

from deploy.k8s.table import (
    API_PORT,
    GRACE_S,
    IMAGE,
    LEAVES_AFTER_S,
    OPS_PORT,
    SECRETS,
    SERVICES,
    USER,
    Workload,
)

Manifest = dict[str, Any]
PART_OF = {"app.kubernetes.io/part-of": "paperline"}
# Its only writable place besides the object store; the size is a limit, not a wish.
SCRATCH = "2Gi"


def labels(service: str, door: str) -> dict[str, str]:
    return {
        **PART_OF,
        "app.kubernetes.io/name": service,
        "app.kubernetes.io/component": door,
    }


def manifest(kind: str, api: str, name: str, **rest: object) -> Manifest:
    metadata = {"name": name, "labels": dict(PART_OF)}
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **rest}


def _marked(marks: dict[str, str], kind: str, api: str, name: str, **rest: object) -> Manifest:
    """Known by them itself, and not only its pods: a release picks by them what comes next."""
    made = manifest(kind, api, name, **rest)
    made["metadata"]["labels"] |= marks
    return made


def deployment(one: Workload) -> Manifest:
    marks = labels(one.service, one.door)
    return _marked(
        marks,
        "Deployment",
        "apps/v1",
        one.name,
        spec={
            "replicas": 1,
            "selector": {"matchLabels": marks},
            # A new one is ready before an old one goes: documents keep moving while deploying.
            "strategy": {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
            "template": {
                "metadata": {"labels": marks},
                "spec": {
                    **_hardened(one.service),
                    # It counts from before the hook.
                    "terminationGracePeriodSeconds": GRACE_S + _leaves_after_s(one),
                    "topologySpreadConstraints": [
                        {
                            "maxSkew": 1,
                            "topologyKey": "kubernetes.io/hostname",
                            "whenUnsatisfiable": "ScheduleAnyway",
                            "labelSelector": {"matchLabels": marks},
                        }
                    ],
                    "containers": [_container(one)],
                },
            },
        },
    )


def _leaves_after_s(one: Workload) -> int:
    return LEAVES_AFTER_S if one.has_api else 0


def _container(one: Workload) -> Manifest:
    ports = [{"name": "ops", "containerPort": OPS_PORT}]
    if one.has_api:
        ports.insert(0, {"name": "api", "containerPort": API_PORT})
    hooks = {"preStop": {"sleep": {"seconds": _leaves_after_s(one)}}}
    return {
        "name": one.service,
        "image": IMAGE.format(service=one.service),
        "imagePullPolicy": "IfNotPresent",
        "args": [one.door],
        "ports": ports,
        **({"lifecycle": hooks} if one.has_api else {}),
        "envFrom": [{"configMapRef": {"name": "paperline"}}],
        # No limit of CPU: whoever is slowed down is late for its heartbeats.
        "resources": {
            "requests": {"cpu": one.room.cpu, "memory": one.room.memory},
            "limits": {"memory": one.room.memory_max},
        },
        "startupProbe": {**_probe("/startupz"), "periodSeconds": 2, "failureThreshold": 60},
        "livenessProbe": {**_probe("/livez"), "periodSeconds": 10, "failureThreshold": 3},
        "readinessProbe": {**_probe("/readyz"), "periodSeconds": 5, "failureThreshold": 2},
        "securityContext": _CLOSED,
        "volumeMounts": _MOUNTS,
    }


def _probe(path: str) -> Manifest:
    return {"httpGet": {"path": path, "port": "ops"}, "timeoutSeconds": 3}


_CLOSED: Manifest = {
    "allowPrivilegeEscalation": False,
    "readOnlyRootFilesystem": True,
    "capabilities": {"drop": ["ALL"]},
}
_MOUNTS: list[Manifest] = [
    {"name": "scratch", "mountPath": "/tmp"},  # noqa: S108 -- the container's own
    {"name": "secrets", "mountPath": SECRETS, "readOnly": True},
]


def _hardened(service: str) -> Manifest:
    return {
        # Nobody here talks to Kubernetes.
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": USER,
            "runAsGroup": USER,
            "fsGroup": USER,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "volumes": [
            {"name": "scratch", "emptyDir": {"sizeLimit": SCRATCH}},
            {
                "name": "secrets",
                "secret": {"secretName": f"paperline-{service}", "defaultMode": 0o440},
            },
        ],
    }


def front(service: str) -> Manifest:
    return manifest(
        "Service",
        "v1",
        service,
        spec={
            "selector": labels(service, "serve"),
            "ports": [{"name": "api", "port": 80, "targetPort": "api"}],
        },
    )


def disruption(one: Workload) -> Manifest:
    """A drained node takes one at a time; with a single replica it still can be drained."""
    return manifest(
        "PodDisruptionBudget",
        "policy/v1",
        one.name,
        spec={
            "maxUnavailable": 1,
            "selector": {"matchLabels": labels(one.service, one.door)},
        },
    )


def topology() -> Manifest:
    """The only program that may declare queues."""
    return _job(
        "topology", "topology", "ingest", ["python", "-m", "shared.topology"], ["apply"]
    )


def migration(service: str) -> Manifest:
    """Schemas only grow before a deploy, so old processes run on beside it."""
    return _job(f"migrate-{service}", f"migrate-{service}", service, None, ["migrate"])


def _job(
    name: str, secret: str, service: str, command: list[str] | None, arguments: list[str]
) -> Manifest:
    container: Manifest = {
        "name": name,
        "image": IMAGE.format(service=service),
        "imagePullPolicy": "IfNotPresent",
        "args": arguments,
        "envFrom": [{"configMapRef": {"name": "paperline"}}],
        "resources": {
            "requests": {"cpu": "100m", "memory": "256Mi"},
            "limits": {"memory": "256Mi"},
        },
        "securityContext": _CLOSED,
        "volumeMounts": _MOUNTS,
    }
    if command:
        container["command"] = command
    return _marked(
        labels(name, "job"),
        "Job",
        "batch/v1",
        name,
        spec={
            # Whatever it waits for may still be starting; exit 78 says that waiting is no use.
            "backoffLimit": 10,
            "podFailurePolicy": {
                "rules": [
                    {
                        "action": "FailJob",
                        "onExitCodes": {
                            "containerName": name,
                            "operator": "In",
                            "values": [78],
                        },
                    }
                ]
            },
            "ttlSecondsAfterFinished": 86400,
            "template": {
                "metadata": {"labels": labels(name, "job")},
                "spec": {
                    **_hardened(secret),
                    "restartPolicy": "Never",
                    "containers": [container],
                },
            },
        },
    )


def jobs() -> list[Manifest]:
    return [topology(), *(migration(service) for service in SERVICES)]

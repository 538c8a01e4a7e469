"""`python -m deploy.k8s` writes the base anew; a test compares it with what is committed."""

from pathlib import Path

import yaml

from deploy.k8s.network import policies
from deploy.k8s.table import API_PORT, OPS_PORT, SERVICES, WORKLOADS
from deploy.k8s.workloads import (
    PART_OF,
    Manifest,
    deployment,
    disruption,
    front,
    jobs,
    manifest,
)

FOLDER = Path(__file__).parent / "base"
HEAD = (
    "# Written by `python -m deploy.k8s`; changes belong into its table or into an overlay.\n"
)


def files() -> dict[str, list[Manifest]]:
    written = {f"{service}.yaml": _service(service) for service in SERVICES}
    # By itself: the secrets are put into it before anything else is applied.
    written["namespace.yaml"] = [namespace()]
    written["settings.yaml"] = [settings()]
    written["jobs.yaml"] = jobs()
    written["network.yaml"] = policies()
    written["kustomization.yaml"] = [_kustomization(sorted(written))]
    return written


def _service(service: str) -> list[Manifest]:
    own = [one for one in WORKLOADS if one.service == service]
    fronts = [front(service)] if any(one.has_api for one in own) else []
    return [*map(deployment, own), *fronts, *map(disruption, own)]


def namespace() -> Manifest:
    """It refuses whatever may be root, has capabilities or goes without a seccomp profile."""
    one = manifest("Namespace", "v1", "paperline")
    one["metadata"]["labels"] |= {"pod-security.kubernetes.io/enforce": "restricted"}
    return one


def settings() -> Manifest:
    """What every process is told; addresses with passwords in them are secrets."""
    return manifest(
        "ConfigMap",
        "v1",
        "paperline",
        data={
            "PAPERLINE_ENVIRONMENT": "production",
            "PAPERLINE_HOST": "0.0.0.0",  # noqa: S104 -- the pod's own; policies say who comes
            "PAPERLINE_API_PORT": str(API_PORT),
            "PAPERLINE_OPS_PORT": str(OPS_PORT),
            # On a cluster a classic queue would die with its node.
            "PAPERLINE_BROKER_WORK_QUEUES": "quorum",
            "PAPERLINE_BLOBS_URL": "s3://paperline",
        },
    )


def _kustomization(resources: list[str]) -> Manifest:
    return {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "labels": [{"pairs": PART_OF}],
        "resources": resources,
    }


def text_of(manifests: list[Manifest]) -> str:
    return HEAD + yaml.dump_all(manifests, Dumper=_Plain, sort_keys=False, width=100)


class _Plain(yaml.SafeDumper):
    """Without anchors: kustomize and people read each object by itself."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, manifests in files().items():
        (FOLDER / name).write_text(text_of(manifests))


if __name__ == "__main__":
    main()

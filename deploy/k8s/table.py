"""What runs on the cluster: one row per service and door, with what it needs and may reach."""

from dataclasses import dataclass
from typing import Literal

Reach = Literal["provider", "webhooks", "sign-in"]


@dataclass(frozen=True, slots=True)
class Room:
    """Of one container; the limit of memory is what it may never exceed, so it is asked for."""

    cpu: str
    memory: str


@dataclass(frozen=True, slots=True)
class Workload:
    service: str
    door: Literal["serve", "work"]
    room: Room
    # Beyond the database, the broker and the object store.
    reaches: tuple[Reach, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.service}-{self.door}"

    @property
    def has_api(self) -> bool:
        return self.door == "serve"


API = Room(cpu="500m", memory="512Mi")
MOVER = Room(cpu="250m", memory="512Mi")
# Two parsers and two recognisers, each with a limit of its own below this one.
READER = Room(cpu="2", memory="6Gi")
WRITER = Room(cpu="500m", memory="1Gi")

WORKLOADS: tuple[Workload, ...] = (
    Workload("ingest", "serve", API, ("sign-in",)),
    Workload("ingest", "work", MOVER, ("webhooks",)),
    Workload("extractor", "work", READER, ("provider",)),
    Workload("storage", "serve", API, ("sign-in",)),
    Workload("storage", "work", WRITER),
    Workload("review", "serve", WRITER, ("sign-in",)),
    Workload("review", "work", MOVER),
    Workload("monitor", "serve", API, ("sign-in",)),
    Workload("monitor", "work", MOVER),
)
# `access`, which every service reads, is migrated by ingest: it comes first.
SERVICES: tuple[str, ...] = ("ingest", "extractor", "storage", "review", "monitor")
API_PORT, OPS_PORT = 8080, 9090
# What an image is called; an overlay says from where and which.
IMAGE = "paperline-{service}"
# Below what the container may take to end: the drain, then closing connections.
GRACE_S = 40
USER = 10001
SECRETS = "/run/secrets"

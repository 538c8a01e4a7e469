"""What runs on the cluster: one row per service and door, with what it needs and may reach."""

from dataclasses import dataclass
from typing import Literal

Reach = Literal["provider", "webhooks", "sign-in"]


@dataclass(frozen=True, slots=True)
class Room:
    """Of one container: what everyday work takes, and so is asked for; what it never exceeds.

    Who opens a stranger's file does so in children with limits of their own. They count to the
    same container, and whoever exceeds that takes the whole of it along: so what all of them
    may take at once is below its limit, or a hostile file ends a pod instead of a child.
    """

    cpu: str
    memory: str
    memory_max: str


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


API = Room(cpu="500m", memory="512Mi", memory_max="512Mi")
MOVER = Room(cpu="250m", memory="512Mi", memory_max="512Mi")
WRITER = Room(cpu="500m", memory="1Gi", memory_max="1Gi")
# Two children that take locks off PDFs, 1 GiB each; likewise two that cut files into parts.
UNLOCKER = Room(cpu="500m", memory="512Mi", memory_max="2560Mi")
CUTTER = Room(cpu="250m", memory="512Mi", memory_max="2560Mi")
# Two parsers of 1 GiB and two recognisers of 3 GiB at their most.
READER = Room(cpu="2", memory="6Gi", memory_max="9Gi")
# Two painters of pages, 1 GiB each.
PAINTER = Room(cpu="500m", memory="1Gi", memory_max="3Gi")

WORKLOADS: tuple[Workload, ...] = (
    Workload("ingest", "serve", UNLOCKER, ("sign-in",)),
    Workload("ingest", "work", CUTTER, ("webhooks",)),
    Workload("extractor", "work", READER, ("provider",)),
    Workload("storage", "serve", API, ("sign-in",)),
    Workload("storage", "work", WRITER),
    Workload("review", "serve", PAINTER, ("sign-in",)),
    Workload("review", "work", MOVER),
    Workload("monitor", "serve", API, ("sign-in",)),
    Workload("monitor", "work", MOVER),
)
# `access`, which every service reads, is migrated by ingest: it comes first.
SERVICES: tuple[str, ...] = ("ingest", "extractor", "storage", "review", "monitor")
API_PORT, OPS_PORT = 8080, 9090
# What an image is called; an overlay says from where and which.
IMAGE = "paperline-{service}"
# Above what the container may take to end: the drain, then closing connections.
GRACE_S = 40
# Whoever answers is told to end only after so long: the proxies before it hear of it at the
# same time, and what they still send until then would meet a closed port.
LEAVES_AFTER_S = 10
USER = 10001
SECRETS = "/run/secrets"

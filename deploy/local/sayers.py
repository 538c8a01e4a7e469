"""Who says which fact: what the broker lets each service publish to `events`, and no more.

Names only, because rights are made before anything is installed; a test reads the contracts and
the code of the services and wants the same of both. A service that says something else is cut
off by the broker and its outbox stands still, so a new fact stands here before it is said.
"""

from collections.abc import Mapping

from deploy.local.credentials import SERVICES

EVERY_SERVICE = SERVICES

SAYERS: Mapping[str, tuple[str, ...]] = {
    "document.accepted": ("ingest",),
    "document.started": ("extractor",),
    "document.progress": ("extractor",),
    # Of the queues whose failure ends a document.
    "document.waiting": ("extractor", "storage"),
    "document.extracted": ("extractor",),
    # Ingest says it of those that nobody has heard of for too long.
    "document.failed": ("ingest", "extractor", "storage"),
    "document.stored": ("storage",),
    "document.finalised": ("storage",),
    "document.ended": ("ingest",),
    "document.cancelled": ("ingest",),
    "document.deleted": ("ingest",),
    "document.erased": ("extractor", "storage", "review", "monitor"),
    "document.split_failed": ("ingest",),
    "review.opened": ("review",),
    "review.claimed": ("review",),
    "review.released": ("review",),
    "review.decided": ("review",),
    "review.reopened": ("review",),
    "review.overdue": ("review",),
    "batch.completed": ("ingest",),
    "replay.settled": EVERY_SERVICE,
    "consumption.paused": EVERY_SERVICE,
    "consumption.resumed": EVERY_SERVICE,
    "consumption.steered": ("monitor",),
    "process.reported": EVERY_SERVICE,
    "service_level.breached": ("monitor",),
    "service_level.restored": ("monitor",),
}


def said_by(service: str) -> list[str]:
    return [fact for fact, sayers in SAYERS.items() if service in sayers]

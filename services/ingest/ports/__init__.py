"""What ingest's handlers need from outside, as Protocols, and the bundle that holds them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from services.ingest.domain.documents import NewDocument, Received
from services.ingest.ports.admissions import UNMETERED, Admission, Quotas
from services.ingest.ports.batches import Batches
from services.ingest.ports.documents import Documents, Moved, Page, Timelines
from services.ingest.ports.endings import Contents, Ending, Endings, Reopened, Reopening, Trail
from services.ingest.ports.erasing import Erasure, Erasures, Orphans, Walk
from services.ingest.ports.releases import (
    Leftovers,
    Released,
    Releases,
    Stuck,
    Sweeps,
    TakenIn,
)
from services.ingest.ports.retention import Retention
from services.ingest.ports.splitting import Cutter, Splits
from services.ingest.ports.uploads import Archives, Part, Parts, Unlocker, Upload
from services.ingest.ports.webhooks import DeliveryLog, WebhookRules, Webhooks
from shared.blobs.port import Blobs
from shared.blobs.source import Source
from shared.bus.jobs import Wake
from shared.clock import Clock
from shared.errors import Rejected
from shared.ledger.port import Ledger
from shared.ledger.together import Together

__all__ = [
    "UNMETERED",
    "Admission",
    "Archives",
    "Batches",
    "Contents",
    "Cutter",
    "DeliveryLog",
    "Documents",
    "Ending",
    "Endings",
    "Erasure",
    "Erasures",
    "Leftovers",
    "Moved",
    "Orphans",
    "Page",
    "Part",
    "Parts",
    "Ports",
    "Quotas",
    "Released",
    "Releases",
    "Reopened",
    "Reopening",
    "Retention",
    "Splits",
    "Stuck",
    "Sweeps",
    "TakenIn",
    "Timelines",
    "Trail",
    "Unlocker",
    "Upload",
    "Walk",
    "WebhookRules",
    "Webhooks",
]


@dataclass(frozen=True, slots=True)
class Ports:
    documents: Documents
    endings: Endings
    contents: Contents
    erasures: Erasures
    orphans: Orphans
    trail: Trail
    retention: Retention
    releases: Releases
    sweeps: Sweeps
    batches: Batches
    webhooks: Webhooks
    delivery_log: DeliveryLog
    webhook_rules: WebhookRules
    # After a commit that may let waiting documents go.
    ring: Wake
    # After a commit that deletes a document.
    wake_eraser: Wake
    blobs: Blobs
    unlocker: Unlocker
    cutter: Cutter
    splits: Splits
    archives: Archives
    ledger: Ledger
    clock: Clock
    upload_bytes_max: int
    idempotency_ttl_s: float
    # Of the request in whose name all this is done; each request brings its own.
    admission: Admission = UNMETERED
    # Uploads whose bytes are kept, and which want to be committed.
    together: Together[NewDocument, Received | Rejected] = field(default_factory=Together)
    # By the name under which a submission may refer to them.
    sources: Mapping[str, Source] = field(default_factory=dict)

    def of_request(self, admission: Admission) -> "Ports":
        """The same, in the name of one request. Every upload needs it, and the library's
        `replace` would look at each field three times."""
        bound = object.__new__(Ports)
        for name in Ports.__slots__:
            object.__setattr__(bound, name, getattr(self, name))
        object.__setattr__(bound, "admission", admission)
        return bound

"""What ingest's handlers need from outside, as Protocols, and the bundle that holds them."""

from dataclasses import dataclass

from services.ingest.ports.batches import Batches
from services.ingest.ports.documents import Documents, Moved, Page, Timelines
from services.ingest.ports.endings import Contents, Ending, Endings, Trail
from services.ingest.ports.releases import Released, Releases, Stuck, Sweeps
from services.ingest.ports.uploads import Upload
from shared.blobs.port import Blobs
from shared.bus.jobs import Wake
from shared.clock import Clock
from shared.ledger.port import Ledger

__all__ = [
    "Batches",
    "Contents",
    "Documents",
    "Ending",
    "Endings",
    "Moved",
    "Page",
    "Ports",
    "Released",
    "Releases",
    "Stuck",
    "Sweeps",
    "Timelines",
    "Trail",
    "Upload",
]


@dataclass(frozen=True, slots=True)
class Ports:
    documents: Documents
    endings: Endings
    contents: Contents
    trail: Trail
    releases: Releases
    sweeps: Sweeps
    batches: Batches
    # After a commit that may let waiting documents go.
    ring: Wake
    blobs: Blobs
    ledger: Ledger
    clock: Clock
    upload_bytes_max: int
    idempotency_ttl_s: float

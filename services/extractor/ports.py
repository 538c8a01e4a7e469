"""What extracting a document needs from the outside.

What keeps rows takes the unit of work in which it does so: the handler decides what commits
together, and nothing commits by itself behind its back.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol
from uuid import UUID

from services.extractor.domain.reading import Reading, Scan
from shared.blobs.port import Blobs
from shared.ledger.port import Ledger, Unit


class Progress(Protocol):
    """Told by whoever reads, so that a person who waits sees that something moves."""

    async def __call__(self, percent: int, stage: str) -> None: ...


class Engine(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def config(self) -> str:
        """Everything that changes an answer, as one short text: part of the cache's key."""
        ...

    async def read(self, scan: Scan, progress: Progress) -> Reading | None:
        """None when the document holds nothing for this engine, as one without XML does for the
        e-invoice engine. Raises Rejected for a scan that can never be read, Deferred when it
        should not be asked now, Retryable when it is away."""
        ...


@dataclass(frozen=True, slots=True)
class ContentKey:
    """The same bytes of the same owner, read in the same way, have one answer."""

    owner_id: str
    sha256: str
    config: str


@dataclass(frozen=True, slots=True)
class Processed:
    """An answer that is kept: for which document and job it was given, and where it lies."""

    document_id: UUID
    extraction_key: str
    # Unknown of answers that were kept before jobs were noted.
    job_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Lease:
    """The right of one delivery to have a content read, for a while and renewed."""

    content: ContentKey
    document_id: UUID
    job_id: UUID
    run: int
    # Another for each time it is taken. Whoever was taken for dead has the wrong one.
    token: UUID


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a content can never be read, in the words of the first who tried."""

    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Standing:
    """What keeps others from a content: somebody who reads it, or what became of that."""

    document_id: UUID
    job_id: UUID
    left_s: float
    refusal: Refusal | None = None


class ProcessedDocuments(Protocol):
    async def find_processed(
        self, unit: Unit, content: ContentKey, ttl_s: float
    ) -> Processed | None:
        """None also for an answer that is older than that."""
        ...

    async def keep_processed(self, unit: Unit, lease: Lease, extraction_key: str) -> bool:
        """Gives the lease up in the same breath, and replaces what was kept before. False when
        somebody took the lease over: then nothing is kept."""
        ...

    async def forget_processed(self, unit: Unit, document_ids: Sequence[UUID]) -> list[str]:
        """What was read for these documents serves nobody any more. Where it lies; twice is
        once."""
        ...

    async def purge_processed(self, unit: Unit, ttl_s: float, count: int) -> int:
        """Forgets so many of the answers older than that. How many there were."""
        ...


Taking = Literal["taken", "taken_over", "held"]


class Leases(Protocol):
    """One holder per content. Times are the database's, so that all replicas agree on them."""

    async def take_lease(self, unit: Unit, lease: Lease, lease_s: float) -> Taking:
        """Taken over is a lease that ran out without being given up: its holder has died."""
        ...

    async def find_lease(self, unit: Unit, content: ContentKey) -> Standing | None: ...

    async def renew_lease(self, unit: Unit, lease: Lease, lease_s: float) -> bool:
        """False when it is not ours any more."""
        ...

    async def give_up_lease(self, unit: Unit, lease: Lease) -> None:
        """The next may begin at once. Nothing happens when it is not ours any more."""
        ...

    async def refuse_copies(
        self, unit: Unit, lease: Lease, refusal: Refusal, refusal_s: float
    ) -> None:
        """Instead of giving it up: nobody takes it for so long, but for a later run."""
        ...

    async def purge_leases(self, unit: Unit, count: int) -> int:
        """Forgets so many of those that ran out long ago. How many there were."""
        ...


class Withdrawals(Protocol):
    async def find_withdrawn(self, unit: Unit, document_ids: Sequence[UUID]) -> set[UUID]: ...

    async def note_withdrawn(
        self, unit: Unit, document_ids: Sequence[UUID], reason: str
    ) -> None:
        """Twice is once; what was noted first stays."""
        ...


@dataclass(frozen=True, slots=True)
class Terms:
    """How long things hold."""

    cache_ttl_s: float
    lease_s: float
    refusal_s: float


@dataclass(frozen=True, slots=True)
class Ports:
    blobs: Blobs
    engine: Engine
    processed: ProcessedDocuments
    leases: Leases
    withdrawals: Withdrawals
    ledger: Ledger
    terms: Terms
    scan_bytes_max: int

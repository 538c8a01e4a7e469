"""What extracting a document needs from the outside.

What keeps rows takes the unit of work in which it does so: the handler decides what commits
together, and nothing commits by itself behind its back.
"""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, Protocol
from uuid import UUID

from services.extractor.domain.protection import Circuit, Reservation
from services.extractor.domain.reading import Reading, Scan
from services.extractor.domain.vendors import Memory, Sighting
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


class Charge(Protocol):
    """What one call of a provider cost; told as soon as it is known, also when the answer is
    of no use. Untold is unknown, and counts as much as had been estimated."""

    def tell(self, cost: Decimal) -> None: ...


class Gate(Protocol):
    """Stands before each call of a provider: `async with gate.call(owner, estimate) as charge`.

    What ends the block (`Away`, `Throttled`, `Misconfigured`, or its time running out) comes
    out as what the document does now: Deferred, Retryable, or NotAsked to go on without.
    """

    def call(self, owner_id: str, estimate: Decimal) -> AbstractAsyncContextManager[Charge]: ...


class Breaker(Protocol):
    """One for all replicas. Who was let through tells how it ended, with the probe it had."""

    async def admit(self) -> Circuit: ...

    async def note_answer(self, probe: UUID | None) -> None: ...

    async def note_failure(self, probe: UUID | None, reason: str) -> Circuit:
        """How it stands now."""
        ...

    async def trip_breaker(self, reason: str) -> Circuit:
        """Open until the provider's midnight, and nobody waits for it."""
        ...

    async def give_up_breaker_probe(self, probe: UUID, due_in_s: float) -> None:
        """It told neither the one nor the other."""
        ...


class Rate(Protocol):
    """Calls per second, of all replicas together."""

    async def take(self) -> float:
        """Zero: go. Otherwise the seconds after which asking again is worth it."""
        ...

    async def hold(self, for_s: float) -> None:
        """Nobody asks for so long. Never shortens a hold."""
        ...


class Spending(Protocol):
    async def reserve_spending(self, owner_id: str, amount: Decimal) -> Reservation | None:
        """None when that would be too much, for the owner or for all together."""
        ...

    async def settle_spending(self, reservation: Reservation, cost: Decimal) -> None: ...


class Pauses(Protocol):
    async def pause(self, detail: str) -> None:
        """Take nothing from the queue for now but a document now and again, to try. Raises
        nothing."""
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
    # Read while an engine was away: of use to its own job, and to no later upload.
    degraded: bool = False


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

    async def keep_processed(
        self, unit: Unit, lease: Lease, extraction_key: str, *, degraded: bool = False
    ) -> bool:
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


class Vendors(Protocol):
    """What earlier documents told of their issuers, for one owner and never for another."""

    async def recall_vendor(
        self, unit: Unit, owner_id: str, vendor_key: str, document_id: UUID
    ) -> Memory:
        """Of the latest documents, but for this one itself."""
        ...

    async def note_vendor(
        self, unit: Unit, owner_id: str, vendor_key: str, document_id: UUID, seen: Sighting
    ) -> None:
        """Twice is once; what is noted last stays."""
        ...

    async def forget_vendors(self, unit: Unit, document_ids: Sequence[UUID]) -> None: ...


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
    vendors: Vendors
    ledger: Ledger
    terms: Terms
    scan_bytes_max: int

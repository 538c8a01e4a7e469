"""What extracting a document needs from the outside.

What keeps rows takes the unit of work in which it does so: the handler decides what commits
together, and nothing commits by itself behind its back.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol
from uuid import UUID

from services.extractor.domain.reading import Reading, Scan
from services.extractor.domain.sightings import Sighting
from services.extractor.domain.terms import Terms
from services.extractor.domain.vendors import Memory
from services.extractor.ports.reading import (
    Answered,
    Asking,
    Beginner,
    ContentKey,
    Finished,
    Found,
    Lease,
    Noted,
    Processed,
    Refusal,
    Standing,
    Taking,
)
from shared.blobs.port import Blobs
from shared.bus.jobs import Job
from shared.contracts.orders import ExtractDocumentV1
from shared.ledger.port import Ledger, Unit
from shared.ledger.together import Together

# Ports and what they speak of are asked for in one breath.
__all__ = [
    "Answered",
    "Asking",
    "Beginner",
    "ContentKey",
    "Engine",
    "Engines",
    "Finished",
    "Found",
    "Lease",
    "Leases",
    "Noted",
    "OwnReadings",
    "Ports",
    "Processed",
    "ProcessedDocuments",
    "Progress",
    "Refusal",
    "Standing",
    "Step",
    "Taking",
    "Vendors",
    "Withdrawals",
]

_of_jobs = partial(Together, or_each_alone=True)


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


class Engines(Engine, Protocol):
    """All of them as one."""

    def wanted(self, name: str | None) -> "Engines":
        """Those that are asked when somebody wants it read by this one; without a name, all."""
        ...


class ProcessedDocuments(Protocol):
    async def begin_reading(
        self, unit: Unit, beginners: Sequence[Beginner], terms: Terms
    ) -> Sequence[Found]:
        """For each, in order, the answer when there is one that is young enough, and else the
        lease. When it is forced, or the answer poor, only an answer to the lease's own job will
        do. Of two with one content, one gets the lease."""
        ...

    async def keep_processed(self, unit: Unit, answers: Sequence[Answered]) -> Set[UUID]:
        """Gives each lease up in the same breath, and replaces what was kept before. The tokens
        of those that were kept: not when somebody took the lease over, nor when the document is
        withdrawn."""
        ...

    async def forget_processed(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        """What was read for these documents serves nobody any more."""
        ...

    async def withdraw_processed(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        """The same, and where it lies is remembered until it has been erased there."""
        ...

    async def list_withdrawn_answers(
        self, unit: Unit, document_ids: Sequence[UUID]
    ) -> list[str]:
        """Where something of these documents is still to be erased."""
        ...

    async def note_answers_erased(self, unit: Unit, extraction_keys: Sequence[str]) -> None: ...

    async def purge_processed(self, unit: Unit, ttl_s: float, count: int) -> int:
        """Forgets so many of the answers older than that. How many there were."""
        ...


class Leases(Protocol):
    """One holder per content. Times are the database's, so that all replicas agree on them."""

    async def renew_leases(
        self, unit: Unit, leases: Sequence[Lease], lease_s: float
    ) -> Set[Lease]:
        """Which of them are still ours: those are, for so long from now."""
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

    async def recall_vendor(self, unit: Unit, asking: Sequence[Asking]) -> Sequence[Memory]:
        """For each, in order: of the documents of whoever bears one of its identities, but for
        this one itself."""
        ...

    async def note_vendor(
        self,
        unit: Unit,
        owner_id: str,
        document_id: UUID,
        seen: Sighting,
        *,
        decided_version: int = 0,
    ) -> None:
        """Twice is once; what is noted last stays, unless a person decided on the document:
        that gives way to a decision on a later version only."""
        ...

    async def note_unless_withdrawn(self, unit: Unit, several: Sequence[Noted]) -> bool:
        """The same, if anything was seen. False when a document is withdrawn; else none of them
        is before the commit. One alone waits for whoever is at withdrawing it; several do not,
        and then it is false too."""
        ...

    async def forget_vendors(self, unit: Unit, document_ids: Sequence[UUID]) -> None: ...


class OwnReadings(Protocol):
    """What our own engine made of a content, for as long as its document waits for another."""

    async def find_own_reading(self, unit: Unit, content: ContentKey) -> Reading | None: ...

    async def keep_own_reading(
        self, unit: Unit, content: ContentKey, document_id: UUID, reading: Reading
    ) -> None:
        """Of two who wait with the same content, it belongs to the one who kept it last."""
        ...

    async def drop_own_reading(self, unit: Unit, content: ContentKey) -> None: ...

    async def forget_own_readings(self, unit: Unit, document_ids: Sequence[UUID]) -> None: ...

    async def purge_own_readings(self, unit: Unit, patience_s: float, count: int) -> int:
        """Forgets so many of those older than that. How many there were."""
        ...


class Withdrawals(Protocol):
    async def lock_documents(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        """Keeping something of a document and withdrawing it take turns until the commit."""
        ...

    async def find_withdrawn(self, unit: Unit, document_ids: Sequence[UUID]) -> set[UUID]: ...

    async def note_withdrawn(
        self, unit: Unit, document_ids: Sequence[UUID], reason: str
    ) -> None:
        """Twice is once; what was noted first stays."""
        ...


@dataclass(slots=True)
class Step:
    """How far the reading of a document has come, where that is still to be told."""

    job: Job[ExtractDocumentV1]
    percent: int
    stage: str
    # Told by whoever tells it: there is nobody left who waits for the document.
    is_withdrawn: bool = False
    # Its delivery has ended.
    is_over: bool = False


@dataclass(frozen=True, slots=True)
class Ports:
    blobs: Blobs
    engine: Engines
    processed: ProcessedDocuments
    leases: Leases
    withdrawals: Withdrawals
    vendors: Vendors
    own_readings: OwnReadings
    ledger: Ledger
    terms: Terms
    scan_bytes_max: int
    # Of what a person decided on.
    result_bytes_max: int = 16 * 1024 * 1024
    # Of all deliveries of this process: what they hold, and until when by its own clock, is
    # renewed together, and how far they have come is told together.
    held: dict[Lease, float] = field(default_factory=dict)
    steps: dict[UUID, Step] = field(default_factory=dict)
    # And what they come to at the same time is one commit.
    beginning: Together[Beginner, Found] = field(default_factory=_of_jobs)
    keeping: Together[Answered, bool] = field(default_factory=_of_jobs)
    finishing: Together[Finished, None] = field(default_factory=_of_jobs)

"""What ingest's handlers need from outside, as Protocols.

Whatever writes takes the open unit of work; whatever reads for a client takes the owner whose
documents may be seen, so that no query can forget whose they are.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from services.ingest.domain.batches import Batch, Member
from services.ingest.domain.documents import (
    Claim,
    Details,
    Document,
    Event,
    NewDocument,
    Scan,
)
from services.ingest.domain.facts import Arrival
from services.ingest.domain.life import Change
from services.ingest.domain.search import Wanted
from services.ingest.domain.sweeping import Patience
from services.ingest.domain.turns import Look, Newcomer
from shared.audit.chain import Entry
from shared.blobs.port import Blobs
from shared.bus.jobs import Wake
from shared.clock import Clock
from shared.contracts.facts import BatchCompletedV1
from shared.ledger.port import Ledger, Unit


@dataclass(frozen=True, slots=True)
class Moved:
    """A document that a change touched; `ended` in the one commit that ended it."""

    document_id: UUID
    status: str
    ended: bool
    lasted_s: float


@dataclass(frozen=True, slots=True)
class Ending:
    """A document as its client left it; `ended` if it was under way until then."""

    document_id: UUID
    owner_id: str
    accepted_at: datetime
    priority: int
    run: int
    content_key: str
    ended: bool
    lasted_s: float

    def document(self) -> dict[str, Any]:
        """What every fact about it carries."""
        return {
            "document_id": self.document_id,
            "owner_id": self.owner_id,
            "accepted_at": self.accepted_at,
            "priority": self.priority,
        }


@dataclass(frozen=True, slots=True)
class Page:
    """Where a page begins: behind this position, newest first. `owner_id` None sees all."""

    owner_id: str | None
    limit: int
    before_at: datetime | None = None
    before_id: UUID | None = None


class Documents(Protocol):
    async def insert_documents(self, unit: Unit, documents: Sequence[NewDocument]) -> None: ...

    async def claim_keys(
        self, unit: Unit, claims: Sequence[Claim], *, ttl_s: float
    ) -> set[UUID]:
        """The document ids of the claims that were granted; the others stand for something."""

    async def find_claims(self, unit: Unit, claims: Sequence[Claim]) -> list[Claim]:
        """Under which request, and for which document, these keys were used before."""

    async def apply_changes(self, unit: Unit, changes: Sequence[Change]) -> list[Moved]:
        """Locks every document named, also those of which nothing is said."""

    async def append_events(self, unit: Unit, arrivals: Sequence[Arrival]) -> None:
        """Under the locks of `apply_changes`; what was told before is not told again."""

    async def find_document(
        self, document_id: UUID, *, owner_id: str | None
    ) -> Document | None: ...

    async def list_documents(self, page: Page) -> list[Document]: ...

    async def search_documents(self, page: Page, wanted: Wanted) -> list[Document]: ...

    async def list_events(
        self, document_id: UUID, *, after_seq: int, limit: int
    ) -> list[Event]: ...


class Timelines(Protocol):
    async def list_new_events(
        self, after: Mapping[UUID, int], *, limit: int
    ) -> list[tuple[UUID, Event]]:
        """Of each document those behind its number, at most `limit` of each, in order."""


class Endings(Protocol):
    """None for a document that is unknown, not the owner's, or as it is to become already."""

    async def cancel_document(
        self, unit: Unit, document_id: UUID, *, owner_id: str | None, fact_id: UUID
    ) -> Ending | None:
        """Only while it has not ended."""

    async def delete_document(
        self, unit: Unit, document_id: UUID, *, owner_id: str | None, fact_id: UUID
    ) -> Ending | None:
        """Leaves a tombstone, and tells which content it had."""

    async def erase_events(self, unit: Unit, document_id: UUID) -> None:
        """All but that it was deleted."""

    async def reopen_document(
        self,
        unit: Unit,
        document_id: UUID,
        *,
        owner_id: str | None,
        told_id: UUID,
        traceparent: str | None,
    ) -> bool:
        """Only what failed: it waits for its turn, in its next run."""


class Trail(Protocol):
    async def record(self, unit: Unit, *entries: Entry) -> None:
        """Last in the unit: writers of the log take turns until they commit."""


class Contents(Protocol):
    """Which bytes are somebody's. Taking in and erasing the same bytes take turns."""

    async def revive_contents(self, unit: Unit, content_keys: Sequence[str]) -> set[str]:
        """Before their documents are kept: those whose bytes may have been erased."""

    async def release_content(self, unit: Unit, content_key: str) -> bool:
        """True when no document has it any more; nobody takes it in until the commit."""


@dataclass(frozen=True, slots=True)
class Released:
    """A document as its order names it, at the moment of its release."""

    document_id: UUID
    owner_id: str
    accepted_at: datetime
    priority: int
    content_key: str
    sha256: str
    size_bytes: int
    media_type: str
    filename: str
    run: int
    traceparent: str | None


class Releases(Protocol):
    """Who is with the broker and who waits. Whatever ends a document frees its place."""

    async def place_all(self, unit: Unit, newcomers: Sequence[Newcomer]) -> set[UUID]:
        """Before their rows are kept: those that are let in at once."""

    async def is_anyone_waiting(self) -> bool: ...

    async def await_turn(self, unit: Unit) -> None:
        """Until the commit nobody else releases."""

    async def look(self, unit: Unit) -> Look | None:
        """None when nobody waits."""

    async def find_next(
        self, unit: Unit, priority: int, count: int, *, but_not: UUID | None
    ) -> list[tuple[UUID, str]]:
        """Documents and their owners, owner after owner."""

    async def release(self, unit: Unit, document_ids: Sequence[UUID]) -> list[Released]:
        """Those that have not ended meanwhile; none of them waits any more."""

    async def note_turn(
        self, unit: Unit, *, others: int, oldest: bool, urgent_owed: int
    ) -> None: ...

    async def note_owners(self, unit: Unit, last: Mapping[int, str]) -> None: ...


@dataclass(frozen=True, slots=True)
class Stuck:
    """A document that nobody moves any more, in the run that begins now; `lost` for good."""

    document: Released
    # Where it stood.
    stage: str
    lost: bool
    attempts: int


class Sweeps(Protocol):
    async def try_sweep(self, unit: Unit) -> bool:
        """False while another replica sweeps."""

    async def sweep_documents(self, unit: Unit, patience: Patience) -> list[Stuck]:
        """Puts them back to their beginning, in a new run."""

    async def purge_keys(self) -> int:
        """How many idempotency keys had expired."""


class Batches(Protocol):
    @property
    def at_once(self) -> int:
        """How many of a batch may be under way at a time."""

    async def find_scans(self, owner_id: str, content_keys: Sequence[str]) -> dict[str, Scan]:
        """Of what this owner handed in before, by content key."""

    async def insert_batch(
        self, unit: Unit, batch: Batch, members: Sequence[tuple[int, NewDocument]]
    ) -> None:
        """After the members' rows, each with its position in the request."""

    async def advance_batches(
        self, unit: Unit, ended: Sequence[UUID]
    ) -> list[BatchCompletedV1]:
        """Lets the next members go; returns the batches that these ends made complete."""

    async def find_batch(self, batch_id: UUID, *, owner_id: str | None) -> Batch | None: ...

    async def find_batch_of(self, unit: Unit, document_id: UUID) -> Batch | None: ...

    async def list_members(self, batch_id: UUID) -> list[Member]: ...


class Upload(Protocol):
    """A request's bytes on their way in."""

    def chunks(self) -> AsyncIterator[bytes]: ...

    def details(self) -> Details:
        """Complete once the chunks are read: a form may name things after its file."""


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

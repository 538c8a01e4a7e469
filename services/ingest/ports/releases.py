"""The way of a document to the broker: its turn, its place, and what happens when it is lost.

All of them take the open unit of work: a place and the order that fills it are one commit.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from services.ingest.domain.documents import NewDocument
from services.ingest.domain.sweeping import Patience
from services.ingest.domain.turns import Look, Newcomer, Served
from services.ingest.domain.waiting import QueuePlace
from shared.ledger.port import Unit


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
    # The engine is to be asked anew, for a result in place of this one.
    forced: bool = False
    replaces_version: int = 0
    due_at: datetime | None = None
    # By which engine somebody wants it read.
    wanted_engine: str | None = None


@dataclass(frozen=True, slots=True)
class TakenIn:
    let_in: AbstractSet[UUID]
    # The keys of those contents that may have been erased since they were kept.
    revived: AbstractSet[str]


class Releases(Protocol):
    """Who is with the broker and who waits. Whatever ends a document frees its place."""

    async def take_in(
        self, unit: Unit, documents: Sequence[NewDocument], newcomers: Sequence[Newcomer]
    ) -> TakenIn:
        """Keeps the rows, and lets in at once or makes wait whoever is named among the
        newcomers. Until the commit nobody erases their contents: taking in and erasing the same
        bytes take turns."""

    async def is_anyone_waiting(self) -> bool: ...

    async def look(self, unit: Unit) -> Look | None:
        """None when nobody waits. Until the commit nobody else releases."""

    async def find_next(
        self, unit: Unit, priority: int, count: int, *, but_not: UUID | None
    ) -> list[tuple[UUID, str]]:
        """Documents and their owners, owner after owner."""

    async def release(
        self, unit: Unit, document_ids: Sequence[UUID], served: Served
    ) -> list[Released]:
        """Those that have not ended meanwhile; none of them waits any more."""

    async def count_urgent(self, unit: Unit, count: int) -> None:
        """So many urgent documents go beyond the window; the oldest has its turn for them."""

    async def find_place(self, document_id: UUID) -> QueuePlace | None:
        """None when it does not wait."""


@dataclass(frozen=True, slots=True)
class Stuck:
    """A document that nobody moves any more, in the run that begins now; `lost` for good."""

    document: Released
    # Where it stood.
    stage: str
    lost: bool
    attempts: int


@dataclass(frozen=True, slots=True)
class Leftovers:
    """What should not be there for long."""

    stuck: int
    erasures: int
    oldest_erasure_s: float


class Sweeps(Protocol):
    async def try_sweep(self, unit: Unit) -> bool:
        """False while another replica sweeps."""

    async def sweep_documents(self, unit: Unit, patience: Patience) -> list[Stuck]:
        """Puts them back to their beginning, in a new run."""

    async def sweep_unreviewed(self, unit: Unit, patience: Patience) -> list[Stuck]:
        """Those that ended well and never came to review, in a new run; they stay ended."""

    async def purge_keys(self) -> int:
        """How many idempotency keys had expired."""

    async def measure_sweeps(self) -> Leftovers: ...

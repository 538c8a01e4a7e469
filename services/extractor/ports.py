"""What extracting a document needs from the outside.

What keeps rows takes the unit of work in which it does so: the handler decides what commits
together, and nothing commits by itself behind its back.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from services.extractor.domain.reading import Reading
from shared.blobs.port import Blobs
from shared.ledger.port import Ledger, Unit


class Engine(Protocol):
    @property
    def config(self) -> str:
        """Everything that changes an answer, as one short text: part of the cache's key."""
        ...

    async def read(self, scan: bytes, media_type: str) -> Reading:
        """Raises Rejected for a scan that can never be read, Retryable when it is away."""
        ...


@dataclass(frozen=True, slots=True)
class ContentKey:
    """The same bytes of the same owner, read in the same way, have one answer."""

    owner_id: str
    sha256: str
    config: str


@dataclass(frozen=True, slots=True)
class Processed:
    """An answer that is kept: for which document it was given, and where it lies."""

    document_id: UUID
    extraction_key: str


class ProcessedDocuments(Protocol):
    async def find_processed(self, unit: Unit, content: ContentKey) -> Processed | None: ...

    async def keep_processed(
        self, unit: Unit, content: ContentKey, answer: Processed
    ) -> Processed:
        """Of two answers to one content the first is kept, and returned to both."""
        ...

    async def forget_processed(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        """What was read for these documents serves nobody any more. Twice is once."""
        ...


class Withdrawals(Protocol):
    async def find_withdrawn(self, unit: Unit, document_ids: Sequence[UUID]) -> set[UUID]: ...

    async def note_withdrawn(
        self, unit: Unit, document_ids: Sequence[UUID], reason: str
    ) -> None:
        """Twice is once; what was noted first stays."""
        ...


@dataclass(frozen=True, slots=True)
class Ports:
    blobs: Blobs
    engine: Engine
    processed: ProcessedDocuments
    withdrawals: Withdrawals
    ledger: Ledger
    scan_bytes_max: int

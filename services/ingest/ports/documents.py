"""Where documents and their timelines are kept.

Whatever writes takes the open unit of work; whatever reads for a client takes the owner whose
documents may be seen, so that no query can forget whose they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from services.ingest.domain.documents import Claim, Document, Event
from services.ingest.domain.facts import Arrival
from services.ingest.domain.life import Change
from services.ingest.domain.search import Wanted
from shared.ledger.port import Unit


@dataclass(frozen=True, slots=True)
class Moved:
    """A document that a change touched; `ended` in the one commit that ended it."""

    document_id: UUID
    status: str
    ended: bool
    lasted_s: float


@dataclass(frozen=True, slots=True)
class Page:
    """Where a page begins: behind this position, newest first. `owner_id` None sees all."""

    owner_id: str | None
    limit: int
    before_at: datetime | None = None
    before_id: UUID | None = None


class Documents(Protocol):
    async def claim_keys(
        self, unit: Unit, claims: Sequence[Claim], *, ttl_s: float
    ) -> set[UUID]:
        """The document ids of the claims that were granted; the others stand for something."""

    async def find_claims(self, unit: Unit, claims: Sequence[Claim]) -> list[Claim]:
        """Under which request, and for which document, these keys were used before."""

    async def apply_changes(
        self, unit: Unit, changes: Sequence[Change], told: Sequence[Arrival]
    ) -> list[Moved]:
        """Locks every document named, also those of which nothing is said; then what was told
        goes into the timelines, as by `append_events`."""

    async def append_events(self, unit: Unit, arrivals: Sequence[Arrival]) -> None:
        """Under the locks of their documents; what was told before is not told again."""

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

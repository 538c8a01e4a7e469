"""What keeping results needs from the outside.

What keeps rows takes the unit of work in which it does so: the handler decides what commits
together, and nothing commits by itself behind its back.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol
from uuid import UUID

from services.storage.domain.layout import DEFAULT, Layout
from services.storage.domain.results import (
    Number,
    Origin,
    Published,
    Shown,
    StoredResult,
    Unpublished,
)
from services.storage.domain.rows import Row
from services.storage.ports.erasures import Erasures
from services.storage.ports.outlets import Exports, Handovers, ResultIndex
from shared.blobs.port import Blobs
from shared.ledger.port import Ledger, Unit


class StoredResults(Protocol):
    async def find_stored(
        self, unit: Unit, versions: Sequence[tuple[UUID, int]]
    ) -> set[tuple[UUID, int]]:
        """Which of these versions are there already: their files must not change. What was
        seen of the others without a row is no stray any more: somebody writes it now."""
        ...

    async def number_versions(
        self, unit: Unit, origins: Sequence[Origin]
    ) -> Mapping[Origin, Number]:
        """Under the locks of their documents. An origin keeps the number that it once got, but
        for a reading that decisions have overtaken before it was kept: it gets a higher one."""
        ...

    async def find_shown(
        self, unit: Unit, document_ids: Sequence[UUID]
    ) -> Mapping[UUID, Shown]:
        """Of these documents the versions that are current, published or not yet."""
        ...

    async def keep_stored(self, unit: Unit, results: Sequence[StoredResult]) -> None:
        """Twice is once. The latest version with files becomes what is to be published."""
        ...

    async def lock_unpublished(
        self, unit: Unit, document_ids: Sequence[UUID]
    ) -> list[Unpublished]:
        """Locked until the unit ends; what somebody else is publishing is left out."""
        ...

    async def lock_forgotten(
        self, unit: Unit, older_than_s: float, limit: int
    ) -> list[Unpublished]:
        """The same, of any document that has been behind for so long."""
        ...

    async def put_off(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        """Of rows that the unit holds: they cannot be published now, and others go first."""
        ...

    async def mark_published(self, unit: Unit, published: Sequence[Published]) -> None:
        """Of rows that the unit holds. Their days have changed, which others wait to see."""
        ...

    async def erase_results(self, unit: Unit, document_ids: Sequence[UUID]) -> list[str]:
        """Every version of these; waits for whoever is publishing one of them. Returns the
        keys of their extractions, and of what is published of them."""
        ...


class Withdrawals(Protocol):
    async def lock_documents(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        """Keeping the result of a document and withdrawing it take turns until the commit."""
        ...

    async def find_withdrawn(self, unit: Unit, document_ids: Sequence[UUID]) -> set[UUID]: ...

    async def note_withdrawn(
        self, unit: Unit, document_ids: Sequence[UUID], reason: str
    ) -> None:
        """Twice is once; what was noted first stays."""
        ...


class Tables(Protocol):
    """Rows as files of a column store: the same row always gives the same bytes."""

    async def files_of(self, rows: Sequence[Row]) -> list[bytes]: ...


@dataclass(frozen=True, slots=True)
class Ports:
    blobs: Blobs
    tables: Tables
    results: StoredResults
    withdrawals: Withdrawals
    erasures: Erasures
    ledger: Ledger
    # What leaves later is written down with what is kept.
    index: ResultIndex
    handovers: Handovers
    exports: Exports
    extraction_bytes_max: int
    layout: Layout = field(default=DEFAULT, kw_only=True)

"""What reading, exporting and handing over need from the outside.

What changes rows takes the unit of work in which it does so; what only looks needs none.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from services.storage.domain.exports import Export, Format, Order, Place, Rows
from services.storage.domain.handover import Approval, Batch, Consumer
from services.storage.domain.invoice import Invoice
from services.storage.domain.listed import Current, Listed, Unfilled, Values, Version
from shared.audit.chain import Entry
from shared.blobs.port import Blobs
from shared.clock import Clock
from shared.ledger.port import Ledger, Unit


class ResultIndex(Protocol):
    async def index_results(self, unit: Unit, entries: Sequence[Listed]) -> None:
        """Behind `keep_stored`. What is not the current version is passed over."""
        ...

    async def index_missing(self, unit: Unit, limit: int) -> int:
        """Rows for what was kept by those who knew no index; how many."""
        ...

    async def lock_unfilled(self, unit: Unit, limit: int) -> list[Unfilled]: ...

    async def fill_results(self, unit: Unit, values: Mapping[UUID, Values]) -> None: ...

    async def erase_listed(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        """From the index; of what was approved a tombstone stays."""
        ...

    async def count_unfilled(self, owner_id: str | None) -> int: ...

    async def count_current(self, order: Order) -> int: ...

    async def list_current(
        self, order: Order, after: Place | None, limit: int
    ) -> list[Current]:
        """Oldest first; what is stored meanwhile moves nobody's pages."""
        ...

    async def find_result(self, document_id: UUID, owner_id: str | None) -> Version | None:
        """The current version. Of somebody else's there is none."""
        ...

    async def list_versions(self, document_id: UUID, owner_id: str | None) -> list[Version]: ...


class Exports(Protocol):
    async def open_export(
        self, unit: Unit, *, owner_id: str, key: str | None, order: Order, open_max: int
    ) -> Export | None:
        """None when the key is taken, or so many of the owner's are being made."""
        ...

    async def find_keyed_export(self, unit: Unit, owner_id: str, key: str) -> Export | None: ...

    async def find_export(self, export_id: UUID, owner_id: str) -> Export | None: ...

    async def find_finished_export(self, export_id: UUID) -> Export | None:
        """One with a file, whoever ordered it."""
        ...

    async def list_exports(
        self, owner_id: str, reach: str | None, before: Place | None, limit: int
    ) -> list[Export]:
        """Those of the owner; with a reach only those of this one's documents."""
        ...

    async def cancel_export(
        self, unit: Unit, export_id: UUID, owner_id: str
    ) -> Export | None: ...

    async def claim_export(self, lease_s: float) -> Export | None:
        """None when nothing waits."""
        ...

    async def note_progress(
        self, export: Export, *, done: int, total: int, lease_s: float
    ) -> bool:
        """False once nobody wants this run any more."""
        ...

    async def complete_export(
        self, export: Export, *, done: int, parts: int, size: int, sha256: str, keep_s: float
    ) -> bool: ...

    async def give_up_export(
        self, export: Export, failure: str, *, failures_max: int, after_s: float
    ) -> None:
        """It waits for its next run, or has had its last."""
        ...

    async def lock_expired(self, unit: Unit, limit: int) -> list[UUID]: ...

    async def mark_cleared(self, unit: Unit, export_ids: Sequence[UUID]) -> None: ...

    async def forget_exports(self, older_than_s: float) -> None: ...

    async def withdraw_exports(self, unit: Unit, document_ids: Sequence[UUID]) -> list[UUID]:
        """Before the documents' rows go, and again once that is committed. Those that may hold
        one of them have to be cleared."""
        ...


class Handovers(Protocol):
    async def note_approved(self, unit: Unit, entries: Sequence[Listed]) -> None:
        """Behind `keep_stored`. Only what a person approved, and only the current version."""
        ...

    async def approve_missing(self, unit: Unit, limit: int) -> int: ...

    async def number_approvals(self, unit: Unit, limit: int) -> int:
        """One at a time, and only what is committed; how many."""
        ...

    async def open_consumer(
        self, unit: Unit, *, owner_id: str, name: str, of_owner: str | None, from_now: bool
    ) -> Consumer | None:
        """None when the name is taken."""
        ...

    async def count_consumers(self, unit: Unit, owner_id: str) -> int: ...

    async def find_consumer(self, owner_id: str, name: str) -> Consumer | None: ...

    async def list_consumers(self, owner_id: str, limit: int) -> list[Consumer]: ...

    async def count_waiting(self, consumer: Consumer, limit: int) -> int: ...

    async def lock_consumer(self, unit: Unit, owner_id: str, name: str) -> Consumer | None: ...

    async def give_again(self, unit: Unit, consumer: Consumer) -> Batch | None:
        """The open batch. None when everything given was acknowledged."""
        ...

    async def list_waiting(
        self, unit: Unit, consumer: Consumer, limit: int
    ) -> list[Approval]: ...

    async def open_batch(
        self, unit: Unit, consumer: Consumer, items: Sequence[Approval], sha256: str
    ) -> Batch: ...

    async def find_batch(
        self, unit: Unit, consumer: Consumer, batch_id: UUID
    ) -> Batch | None: ...

    async def list_items(self, unit: Unit, batch: Batch) -> list[Approval]: ...

    async def acknowledge_batch(self, unit: Unit, batch: Batch, by: str) -> Batch | None:
        """None when it was acknowledged before."""
        ...

    async def list_receipts(
        self, consumer: Consumer, before: Place | None, limit: int
    ) -> list[Batch]: ...


class Encoder(Protocol):
    """One file, written page by page. What it holds in memory does not grow with the file."""

    async def add(self, results: Sequence[bytes]) -> bytes:
        """Stored results in; the bytes of the file that are ready, if there are any."""
        ...

    def finish(self) -> AsyncGenerator[bytes, None]:
        """The rest of the file."""
        ...

    async def close(self) -> None:
        """Whether it was finished or not. Twice is once."""
        ...


class Encoders(Protocol):
    def open(self, form: Format, rows: Rows) -> Encoder: ...


class Invoices(Protocol):
    """Invoices in the syntax of others."""

    async def ubl_of(self, invoice: Invoice) -> bytes: ...


class Trail(Protocol):
    async def record(self, unit: Unit, *entries: Entry) -> None:
        """Last in the unit: writers of the log take turns until they commit."""
        ...


@dataclass(frozen=True, slots=True)
class Limits:
    result_bytes_max: int = 16 << 20
    # Of one export at a time: results of a page, of which so many are read at once.
    page_results: int = 100
    page_reads: int = 16
    # So much of them is taken apart at a time, or a single one.
    page_bytes: int = 16 << 20
    part_bytes: int = 8 << 20
    lease_s: float = 60
    failures_max: int = 3
    keep_s: float = 24 * 3600
    forget_s: float = 30 * 24 * 3600
    open_max: int = 5
    streams_max: int = 4
    batch_max: int = 1000
    consumers_max: int = 50
    link_s_max: float = 24 * 3600


@dataclass(frozen=True, slots=True)
class Outlets:
    """What stands behind everything that leaves."""

    blobs: Blobs
    ledger: Ledger
    index: ResultIndex
    exports: Exports
    handovers: Handovers
    encoders: Encoders
    invoices: Invoices
    trail: Trail
    clock: Clock
    limits: Limits = Limits()

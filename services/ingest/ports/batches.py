"""Documents that were handed in together."""

from collections.abc import Sequence
from typing import Protocol
from uuid import UUID

from services.ingest.domain.batches import Batch, Member, NewBatch
from services.ingest.domain.documents import (
    NewDocument,
    Scan,
)
from services.ingest.ports.documents import Page
from shared.contracts.facts import BatchCompletedV1
from shared.ledger.port import Unit


class Batches(Protocol):
    @property
    def at_once(self) -> int:
        """How many of a batch may be under way at a time."""

    async def find_scans(self, owner_id: str, content_keys: Sequence[str]) -> dict[str, Scan]:
        """Of what this owner handed in before, by content key."""

    async def insert_batch(
        self, unit: Unit, batch: NewBatch, members: Sequence[tuple[int, NewDocument]]
    ) -> None:
        """After the members' rows, each with its position in the request."""

    async def advance_batches(
        self, unit: Unit, moved: Sequence[UUID]
    ) -> list[BatchCompletedV1]:
        """Of these documents' batches: lets the next members go, and returns those of which
        all have ended."""

    async def find_stalled(self, *, limit: int) -> list[UUID]:
        """Batches that could let members go, or are complete, without anybody's end."""

    async def advance_stalled(
        self, unit: Unit, batch_ids: Sequence[UUID]
    ) -> list[BatchCompletedV1]:
        """The same as at an end; a batch that is complete already is not completed again."""

    async def find_batch(self, batch_id: UUID, *, owner_id: str | None) -> Batch | None: ...

    async def list_batches(self, page: Page) -> list[Batch]: ...

    async def list_members(
        self, batch_id: UUID, *, after: int = -1, limit: int | None = None
    ) -> list[Member]:
        """By their positions, those behind `after`."""

    async def list_open_members(self, batch_id: UUID, *, limit: int) -> list[UUID]:
        """Those that have not ended: first the held, then from the last position on."""

    async def delete_batch(self, unit: Unit, batch_id: UUID) -> bool:
        """Leaves a tombstone; False when it is one."""

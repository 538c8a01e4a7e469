"""Documents that were handed in together."""

from collections.abc import Sequence
from typing import Protocol
from uuid import UUID

from services.ingest.domain.batches import Batch, Member
from services.ingest.domain.documents import (
    NewDocument,
    Scan,
)
from shared.contracts.facts import BatchCompletedV1
from shared.ledger.port import Unit


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

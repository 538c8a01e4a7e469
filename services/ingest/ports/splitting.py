"""What splitting a file needs: something that cuts it, and where its parts are known."""

from collections.abc import Sequence
from typing import Protocol
from uuid import UUID

from services.ingest.domain.splitting import Child, Family
from shared.ledger.port import Unit


class Cutter(Protocol):
    async def cut(
        self, document: bytes, media_type: str, parts: Sequence[Sequence[int]]
    ) -> list[bytes]:
        """A file of the same kind for each part; the same bytes whenever it is asked again.

        Raises Rejected for what has no such pages, or cannot be read."""


class Splits(Protocol):
    async def keep_children(
        self, unit: Unit, parent_id: UUID, children: Sequence[Child]
    ) -> set[UUID]:
        """Those that were not known before, whom the caller makes in the same unit."""

    async def show_split(self, unit: Unit, parent_id: UUID) -> bool:
        """After its children are made, since others hold what these need before they ask for
        this. False when it was deleted meanwhile; otherwise it is not, until the commit."""

    async def find_family(self, document_id: UUID) -> Family: ...

"""What showing the pages of a document needs from the outside."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from services.review.domain.pages import ItemPages, Page, PlacedWord
from services.review.domain.turns import Turns
from services.review.domain.wishes import Wishes
from shared.ledger.port import Unit


class Painter(Protocol):
    """Opens files that nobody can trust. Raises Rejected with a reason for what cannot be
    shown, Retryable when it cannot work at the moment."""

    async def draw(
        self, content: bytes, media_type: str, number: int, width: int
    ) -> bytes | None:
        """A PNG, at most so wide, upright as displayed. None when there is no such page."""
        ...

    async def read_words(
        self, content: bytes, media_type: str, number: int
    ) -> Sequence[PlacedWord] | None:
        """Of its own text, not of what one would have to recognise."""
        ...

    async def measure(self, content: bytes, media_type: str) -> Sequence[Page]: ...


class PageRecords(Protocol):
    """Which pages the items have, and of which contents something drawn is kept."""

    async def keep_pages(self, unit: Unit, items: Sequence[ItemPages]) -> None:
        """In place of what was kept; nothing of a document without an item."""
        ...

    async def find_pages(self, document_id: UUID) -> ItemPages | None: ...

    async def lock_contents(self, unit: Unit, sha256s: Sequence[str]) -> None:
        """Until the commit, nobody else keeps or erases what was drawn of them."""
        ...

    async def note_drawn(self, unit: Unit, sha256: str, size: int) -> bool:
        """False when no item has this content any more: then nothing of it is kept."""
        ...

    async def note_used(self, sha256: str) -> None: ...

    async def list_contents_of(self, unit: Unit, document_ids: Sequence[UUID]) -> list[str]:
        """The digests of their contents."""
        ...

    async def forget_drawn(
        self, unit: Unit, sha256s: Sequence[str], *, also_wanted: bool = False
    ) -> list[str]:
        """Those that no item has any more, of which nothing may be left; or all of them."""
        ...

    async def list_excess(self, *, bytes_max: int, unused_s: float, limit: int) -> list[str]:
        """Contents that were not looked at for so long, or longest of all when it is more."""
        ...


@dataclass(frozen=True, slots=True)
class PageLimits:
    content_bytes_max: int = 64 << 20
    words_bytes_max: int = 16 << 20
    # Of all that was drawn together, and how long it is kept unseen.
    drawn_bytes_max: int = 10 << 30
    unused_s: float = 30 * 86_400


@dataclass(frozen=True, slots=True)
class PagePorts:
    painter: Painter
    records: PageRecords
    turns: Turns
    wishes: Wishes
    limits: PageLimits = PageLimits()

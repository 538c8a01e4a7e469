"""What shows the pages of a document, in memory, and a painter that is told what to do."""

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from services.review.domain.pages import ItemPages, Page, PlacedWord
from services.review.domain.turns import Turns
from services.review.domain.wishes import Wishes
from services.review.ports.pages import PageLimits, PagePorts
from shared.errors import Rejected
from shared.ledger.port import Unit

PNG = b"\x89PNG\r\n\x1a\n"


async def _at_once() -> None:
    return None


@dataclass
class FakePainter:
    """Draws pages of A4 with two words on each."""

    page_count: int = 2
    refusal: Rejected | None = None
    # What happens while it is at work.
    meanwhile: Callable[[], Awaitable[None]] = _at_once
    asked: list[str] = field(default_factory=list)

    async def draw(
        self, content: bytes, media_type: str, number: int, width: int
    ) -> bytes | None:
        await self._work(f"draw {number} {width}", content)
        return PNG + f"{number} {width}".encode() if number <= self.page_count else None

    async def read_words(
        self, content: bytes, media_type: str, number: int
    ) -> Sequence[PlacedWord] | None:
        await self._work(f"words {number}", content)
        if number > self.page_count:
            return None
        if media_type != "application/pdf":
            return []
        return [
            PlacedWord("Total", (0.1, 0.2, 0.2, 0.21)),
            PlacedWord("119.00", (0.3, 0.2, 0.4, 0.21)),
        ]

    async def measure(self, content: bytes, media_type: str) -> Sequence[Page]:
        await self._work("measure", content)
        return [Page(number, 595, 842) for number in range(1, self.page_count + 1)]

    async def _work(self, told: str, content: bytes) -> None:
        self.asked.append(told)
        await self.meanwhile()
        if not content:
            raise Rejected("unreadable", "it is empty")
        if self.refusal is not None:
            raise self.refusal


class InMemoryPageRecords:
    def __init__(self, is_item: Callable[[UUID], bool]) -> None:
        self.pages: dict[UUID, ItemPages] = {}
        self.drawn: Counter[str] = Counter()
        self._is_item = is_item

    async def keep_pages(self, unit: Unit, items: Sequence[ItemPages]) -> None:
        self.pages |= {one.document_id: one for one in items if self._is_item(one.document_id)}

    async def find_pages(self, document_id: UUID) -> ItemPages | None:
        # Erased with its item.
        return self.pages.get(document_id) if self._is_item(document_id) else None

    async def lock_contents(self, unit: Unit, sha256s: Sequence[str]) -> None:
        return None

    async def note_drawn(self, unit: Unit, sha256: str, size: int) -> bool:
        if sha256 not in self._wanted():
            return False
        total = self.drawn.pop(sha256, 0) + size
        # The one that was used last is the last.
        self.drawn[sha256] = total
        return True

    async def note_used(self, sha256: str) -> None:
        return None

    async def list_contents_of(self, unit: Unit, document_ids: Sequence[UUID]) -> list[str]:
        found = {self.pages[one].sha256 for one in document_ids if one in self.pages}
        return sorted(found)

    async def forget_drawn(
        self, unit: Unit, sha256s: Sequence[str], *, also_wanted: bool = False
    ) -> list[str]:
        gone = sorted(one for one in sha256s if also_wanted or one not in self._wanted())
        for one in gone:
            self.drawn.pop(one, None)
        return gone

    async def list_excess(self, *, bytes_max: int, unused_s: float, limit: int) -> list[str]:
        excess, total = list[str](), 0
        for sha256, size in reversed(self.drawn.items()):
            total += size
            if total > bytes_max:
                excess.append(sha256)
        return excess[::-1][:limit]

    def _wanted(self) -> set[str]:
        return {one.sha256 for key, one in self.pages.items() if self._is_item(key)}


def page_ports(
    records: InMemoryPageRecords, painter: FakePainter, limits: PageLimits | None = None
) -> PagePorts:
    return PagePorts(painter, records, Turns(2), Wishes(), limits or PageLimits())

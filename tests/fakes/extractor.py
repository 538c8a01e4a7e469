"""The outside of the extractor in memory: an engine that is told its answer, and the cache."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from services.extractor.domain.reading import Field, Reading
from services.extractor.domain.words import Span
from services.extractor.ports import ContentKey, Processed
from shared.ledger.port import Unit

SEEN = Span("119,00 EUR", 1, (0.7, 0.8, 0.9, 0.82))
FIELDS: Mapping[str, Field] = {
    "total": Field("119.00", "119,00 EUR", 0.97, "extracted", (SEEN,), "pdf_text"),
    "due_date": Field(),
}


@dataclass(slots=True)
class FakeEngine:
    config: str = "fake/1"
    answer: Reading = field(default_factory=lambda: Reading("offline", 1, FIELDS))
    error: Exception | None = None
    calls: int = 0
    # What happens in the world while the engine is reading.
    meanwhile: Callable[[], object] = lambda: None

    async def read(self, scan: bytes, media_type: str) -> Reading:
        self.calls += 1
        if self.error is not None:
            raise self.error
        self.meanwhile()
        return self.answer


class InMemoryProcessedDocuments:
    def __init__(self) -> None:
        self.kept: dict[ContentKey, Processed] = {}

    async def find_processed(self, unit: Unit, content: ContentKey) -> Processed | None:
        return self.kept.get(content)

    async def keep_processed(
        self, unit: Unit, content: ContentKey, answer: Processed
    ) -> Processed:
        return self.kept.setdefault(content, answer)

    async def forget_processed(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        self.kept = {
            content: answer
            for content, answer in self.kept.items()
            if answer.document_id not in document_ids
        }

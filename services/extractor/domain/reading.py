"""What an engine answers: fields with how sure it is and where it saw them.

Plain dataclasses, because the parser's child process loads them for every document and a
validating model would cost more than the reading.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from services.extractor.domain.words import Span

Status = Literal["extracted", "computed", "missing"]
Source = Literal["pdf_text", "ocr"]

# What an approval is about. A document is as sure as its critical fields are on average; a
# missing one counts as nothing.
CRITICAL = (
    "seller.name",
    "invoice_number",
    "issue_date",
    "currency",
    "subtotal",
    "tax_total",
    "total",
)


@dataclass(frozen=True, slots=True)
class Field:
    value: str | None = None
    raw: str | None = None
    confidence: float = 0.0
    status: Status = "missing"
    evidence: tuple[Span, ...] = ()
    source: Source | None = None


MISSING = Field()


@dataclass(frozen=True, slots=True)
class Reading:
    engine: str
    page_count: int
    fields: Mapping[str, Field] = field(default_factory=dict)

    @property
    def confidence(self) -> float:
        return mean_confidence([self.fields.get(path, MISSING) for path in CRITICAL])


def mean_confidence(fields: Sequence[Field]) -> float:
    return round(sum(one.confidence for one in fields) / len(fields), 4) if fields else 0.0

"""What is known of one value of an invoice: how sure, where it stood, what else it may be.

Plain dataclasses, because a parser's child process loads them for every document and a
validating model would cost more than the reading. Fields go by their dotted path, members of a
list by their place in it: `seller.vat_id`, `lines.0.net_amount`; `paths.py` knows the paths.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Box = tuple[float, float, float, float]
Status = Literal["extracted", "computed", "missing"]
Source = Literal["einvoice_xml", "pdf_text", "ocr", "gemini", "rule"]
Severity = Literal["block", "warn", "info"]

# What an approval is about. These have to be on every invoice, those where they apply.
NEEDED = ("seller.name", "invoice_number", "issue_date", "currency", "total")
CRITICAL = (
    *NEEDED,
    *("seller.vat_id", "subtotal", "tax_total", "amount_due", "payment.accounts.0.iban"),
)


class Span(NamedTuple):
    """A piece of a line: what it says and where, in 0..1 of the displayed page."""

    text: str
    page: int
    box: Box

    def shares_column_with(self, other: "Span") -> bool:
        (left, _, right, _), (other_left, _, other_right, _) = self.box, other.box
        return left < other_right and other_left < right


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another value that it may have been, for a person to pick with one key."""

    value: str
    raw: str | None
    source: Source
    confidence: float


@dataclass(frozen=True, slots=True)
class Field:
    value: str | None = None
    raw: str | None = None
    confidence: float = 0.0
    status: Status = "missing"
    evidence: tuple[Span, ...] = ()
    source: Source | None = None
    # Why it is as sure as it says: `agree`, `grounded`, `ocr`, `label`, `history`, `self`, …
    signals: Mapping[str, float] = field(default_factory=dict)
    # The best first, at most three.
    alternatives: tuple[Alternative, ...] = ()

    def weighed(self, confidence: float, signals: Mapping[str, float]) -> "Field":
        """The same, as sure as that and for these reasons. Every field of every document is
        weighed, and `replace` takes three times as long."""
        return Field(
            self.value,
            self.raw,
            confidence,
            self.status,
            self.evidence,
            self.source,
            signals,
            self.alternatives,
        )


MISSING = Field()


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about a document that a person should know. What blocks is never approved
    without one."""

    code: str
    severity: Severity
    detail: str = ""
    # The paths of the fields it is about.
    touches: tuple[str, ...] = ()
    pages: tuple[int, ...] = ()

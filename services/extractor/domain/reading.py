"""What an engine answers: fields with how sure it is and where it saw them.

Plain dataclasses, because the parser's child process loads them for every document and a
validating model would cost more than the reading. Fields go by their dotted path, members of a
list by their place in it: `seller.vat_id`, `lines.0.net_amount`; see `shared/invoice`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from math import inf
from uuid import UUID

from shared.invoice.fields import (
    CRITICAL,
    MISSING,
    NEEDED,
    Alternative,
    Field,
    Finding,
    Severity,
    Source,
    Status,
)
from shared.pages.words import Word

# Engines speak of a reading and of what is in it in one breath.
__all__ = [
    "CRITICAL",
    "LONG",
    "MISSING",
    "NEEDED",
    "Alternative",
    "Field",
    "Finding",
    "Page",
    "Reading",
    "Scan",
    "Severity",
    "Source",
    "Status",
    "Usage",
]


# More than that is thought about beside the loop: everybody else would wait for it.
LONG = 5_000


def _endless() -> float:
    return inf


def _passing() -> None:
    """Nobody else can have it."""


@dataclass(frozen=True, slots=True)
class Scan:
    """A document as it was handed in."""

    document_id: UUID
    owner_id: str
    sha256: str
    media_type: str
    content: bytes
    # Today, as far as the document is concerned: read again tomorrow it is judged the same.
    # Unknown is the end of days, which no date on an invoice lies beyond.
    accepted_on: date = date.max
    # What is known of its likely issuer, for an engine that can be told.
    hint: str = ""
    # Whoever fails now fails the document.
    is_last_attempt: bool = False
    # Of the time in which all engines together have to be done, in seconds.
    left_s: Callable[[], float] = _endless
    # To be called before money is spent: it raises when another may be reading it by now.
    require_ours: Callable[[], None] = _passing


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it is displayed, in points of 1/72 inch; pixels of an image without a scale."""

    number: int
    width: float
    height: float
    # Where its words came from. None of a page without any.
    source: Source | None = None
    # How it looks from afar, if it was looked at: of the first page only.
    fingerprint: str | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """What a provider was asked for, and what that cost."""

    model: str
    prompt_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    thought_tokens: int = 0
    calls: int = 1
    cost: Decimal = Decimal(0)
    currency: str = "USD"


@dataclass(frozen=True, slots=True)
class Reading:
    engine: str
    page_count: int
    fields: Mapping[str, Field] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    pages: tuple[Page, ...] = ()
    # All that a person is shown, and may be quoted as evidence.
    words: tuple[Word, ...] = ()
    usage: tuple[Usage, ...] = ()
    # Everything of another version would have answered otherwise: model, prompt, rules, ….
    versions: Mapping[str, str] = field(default_factory=dict)
    # An engine that should have read it was away. It serves no later upload.
    degraded: bool = False

    @property
    def is_long(self) -> bool:
        return len(self.words) + len(self.fields) > LONG

    @property
    def confidence(self) -> float:
        """No chain is stronger: one wrong account number outweighs ten right dates."""
        fields = {path: self.fields.get(path, MISSING) for path in CRITICAL}
        if any(fields[path].value is None for path in NEEDED):
            return 0.0
        # What was merely worked out from the others is as sure as they are.
        return min(
            one.confidence
            for path, one in fields.items()
            if one.value is not None and (path in NEEDED or one.status != "computed")
        )

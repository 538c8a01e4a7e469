"""What a machine read from a document: the object that travels by key between the stages.

Its bytes are a pure function of what was read: no time of day, no host, so that the same
reading of the same document always has the same key. Money and numbers are strings.
"""

from decimal import Decimal
from typing import Literal
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

FieldStatus = Literal["extracted", "computed", "corrected", "confirmed", "missing"]
Source = Literal["einvoice_xml", "pdf_text", "ocr", "gemini", "rule", "human"]

SCHEMA_VERSION = "1.3"
SUMMARY_CHARS_MAX = 300


class Evidence(BaseModel):
    """Where on the displayed page it stands: 1-based page, box in 0..1 from the top left."""

    model_config = ConfigDict(frozen=True)

    page: int = Field(ge=1)
    bbox: tuple[float, float, float, float]
    text: str = ""


class Alternative(BaseModel):
    """Another value that it may be, with who read it so."""

    model_config = ConfigDict(frozen=True)

    value: str
    raw: str | None = None
    source: Source
    confidence: float = Field(ge=0, le=1)


class ExtractedField(BaseModel):
    model_config = ConfigDict(frozen=True)

    value: str | None = None
    raw: str | None = None
    confidence: float = Field(default=0.0, ge=0, le=1)
    status: FieldStatus = "missing"
    source: Source | None = None
    evidence: tuple[Evidence, ...] = ()
    # Since 1.1: why it is as sure as it says, and what else it may be, the best first.
    signals: dict[str, float] = {}
    alternatives: tuple[Alternative, ...] = ()


class Finding(BaseModel):
    """Something about a document that a person should know. What blocks is never approved
    without one."""

    model_config = ConfigDict(frozen=True)

    code: str
    severity: Literal["block", "warn", "info"]
    detail: str = ""
    # The paths of the fields it is about, and the pages.
    touches: tuple[str, ...] = ()
    pages: tuple[int, ...] = ()


class PageSize(BaseModel):
    """A page as it is displayed, in points; pixels of an image without a scale."""

    model_config = ConfigDict(frozen=True)

    number: int = Field(ge=1)
    width: float = Field(ge=0)
    height: float = Field(ge=0)
    source: Source | None = None
    # Since 1.3, of a first page that was looked at as a picture: how it looks from afar, as 64
    # bits. The same page scanned again differs in a few.
    fingerprint: str | None = Field(default=None, pattern=r"^[0-9a-f]{16}$")


class ModelUsage(BaseModel):
    """What a provider was asked for this document, and what that cost."""

    model_config = ConfigDict(frozen=True)

    model: str
    prompt_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    thought_tokens: int = 0
    calls: int = 1
    cost: Decimal = Decimal(0)
    currency: str = "USD"


class Summary(BaseModel):
    """The handful of values by which people find an invoice again."""

    model_config = ConfigDict(frozen=True)

    vendor_name: str | None = None
    invoice_number: str | None = None
    invoice_date: str | None = None
    total: str | None = None
    currency: str | None = None


class ExtractionV1(BaseModel):
    model_config = ConfigDict(frozen=True)

    schema_version: str = SCHEMA_VERSION
    document_id: UUID
    owner_id: str
    accepted_at: AwareDatetime
    sha256: str
    media_type: str
    filename: str = ""
    page_count: int = Field(default=0, ge=0)
    engine: str
    config: str
    confidence: float = Field(ge=0, le=1)
    cache_hit: bool = False
    # By dotted path: seller.name, invoice_number, issue_date, due_date, currency,
    # subtotal, tax_total, total, lines.0.net_amount, …
    fields: dict[str, ExtractedField]
    # Since 1.1. Another version of any of these would have answered otherwise.
    versions: dict[str, str] = {}
    findings: tuple[Finding, ...] = ()
    pages: tuple[PageSize, ...] = ()
    usage: tuple[ModelUsage, ...] = ()
    # An engine that should have read it was away.
    degraded: bool = False
    # Since 1.2: under which the words lie that were recognised on its pages (`words.py`).
    words_key: str | None = None

    def value(self, path: str) -> str | None:
        field = self.fields.get(path)
        return field.value if field else None

    def summary(self) -> Summary:
        return Summary(
            vendor_name=one_line(self.value("seller.name")),
            invoice_number=one_line(self.value("invoice_number")),
            invoice_date=one_line(self.value("issue_date")),
            total=one_line(self.value("total")),
            currency=one_line(self.value("currency")),
        )

    def to_bytes(self) -> bytes:
        return self.model_dump_json().encode()


def one_line(value: str | None) -> str | None:
    # A document may hold anything, also what no text column and no table cell takes.
    if value is None:
        return None
    return "".join(c if c.isprintable() else " " for c in value)[:SUMMARY_CHARS_MAX].strip()

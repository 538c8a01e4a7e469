"""What a machine read from a document: the object that travels by key between the stages.

Its bytes are a pure function of what was read: no time of day, no host, so that the same
reading of the same document always has the same key. Money and numbers are strings.
"""

from typing import Literal
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

FieldStatus = Literal["extracted", "computed", "corrected", "confirmed", "missing"]
Source = Literal["einvoice_xml", "pdf_text", "ocr", "gemini", "rule", "human"]

SCHEMA_VERSION = "1.0"
SUMMARY_CHARS_MAX = 300


class Evidence(BaseModel):
    """Where on the displayed page it stands: 1-based page, box in 0..1 from the top left."""

    model_config = ConfigDict(frozen=True)

    page: int = Field(ge=1)
    bbox: tuple[float, float, float, float]
    text: str = ""


class ExtractedField(BaseModel):
    model_config = ConfigDict(frozen=True)

    value: str | None = None
    raw: str | None = None
    confidence: float = Field(default=0.0, ge=0, le=1)
    status: FieldStatus = "missing"
    source: Source | None = None
    evidence: tuple[Evidence, ...] = ()


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
    # subtotal, tax_total, total, …
    fields: dict[str, ExtractedField]

    def value(self, path: str) -> str | None:
        field = self.fields.get(path)
        return field.value if field else None

    def summary(self) -> Summary:
        return Summary(
            vendor_name=_one_line(self.value("seller.name")),
            invoice_number=_one_line(self.value("invoice_number")),
            invoice_date=_one_line(self.value("issue_date")),
            total=_one_line(self.value("total")),
            currency=_one_line(self.value("currency")),
        )

    def to_bytes(self) -> bytes:
        return self.model_dump_json().encode()


def _one_line(value: str | None) -> str | None:
    # A document may hold anything, also what no text column and no table cell takes.
    if value is None:
        return None
    return "".join(c if c.isprintable() else " " for c in value)[:SUMMARY_CHARS_MAX].strip()

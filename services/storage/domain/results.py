"""What a stored result is: which version, under which keys, in which shape.

Keys and bytes are pure functions of the extraction and its version: whoever writes a result
again, after a crash or beside somebody else, writes the same bytes to the same place. The
first version is the machine's; the one a reviewer decided at revision n over the machine's
version m is m + n, so decisions that arrive in the wrong order still count in the right one.
A document that is read anew gets the next free number, and what rests on the reading before
is never current again.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from uuid import UUID

from shared.contracts.extraction import ExtractionV1
from shared.contracts.orders import FinaliseDocumentV1, StoreDocumentV1, Verdict

MACHINE_VERSION = 1
# decimal128(20, 4): what does not fit is no amount of an invoice.
SCALE = Decimal("0.0001")
AMOUNT_MAX = Decimal(10) ** 16

TEXTS = ("seller.name", "invoice_number", "currency")
DATES = ("issue_date", "due_date")
AMOUNTS = ("subtotal", "tax_total", "total")

Row = Mapping[str, object]
ResultOrder = StoreDocumentV1 | FinaliseDocumentV1


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a version comes from, which is its identity before it has a number."""

    document_id: UUID
    # The machine's version that a person judged, and the how manieth decision it was.
    reading: int = MACHINE_VERSION
    review_revision: int = 0
    # Of the machine's: the version that it replaces.
    replaces: int = 0

    @property
    def is_first(self) -> bool:
        """What the machine reads first needs nobody to give it a number."""
        return not self.review_revision and not self.replaces


@dataclass(frozen=True, slots=True)
class Number:
    """`superseded` once the machine has begun another version since."""

    version: int = MACHINE_VERSION
    reading: int = MACHINE_VERSION
    superseded: bool = False


FIRST = Number()


@dataclass(frozen=True, slots=True)
class Result:
    """One version of a document's result, with who decided it when it was a person."""

    extraction: ExtractionV1
    number: Number = FIRST
    review_revision: int = 0
    verdict: Verdict | None = None
    reviewer: str | None = None

    @property
    def version(self) -> int:
        return self.number.version

    @property
    def identity(self) -> tuple[UUID, int]:
        return self.extraction.document_id, self.version

    @property
    def is_copy(self) -> bool:
        """Read from the kept answer to another document, and looked at by nobody since."""
        return self.extraction.cache_hit and not self.review_revision

    def file_key(self, suffix: str) -> str:
        return version_key(*self.identity, suffix)


@dataclass(frozen=True, slots=True)
class StoredResult:
    """The row of one version. Without files of its own, the result is the extraction."""

    document_id: UUID
    version: int
    owner_id: str
    accepted_at: datetime
    extraction_key: str
    result_key: str
    has_files: bool
    verdict: Verdict | None = None
    # Which of two versions is current is told by these, in this order.
    reading: int = MACHINE_VERSION
    review_revision: int = 0


@dataclass(frozen=True, slots=True)
class Unpublished:
    """A document whose dated paths do not show its current version yet."""

    document_id: UUID
    version: int
    accepted_at: datetime


def origin_of(order: ResultOrder) -> Origin:
    if isinstance(order, StoreDocumentV1):
        return Origin(order.document_id, replaces=order.replaces_version)
    return Origin(order.document_id, order.result_version, order.review_revision)


def result_of(order: ResultOrder, extraction: ExtractionV1, number: Number) -> Result:
    if isinstance(order, StoreDocumentV1):
        return Result(extraction, number)
    revision = order.review_revision
    return Result(extraction, number, revision, order.verdict, order.reviewer)


def version_key(document_id: UUID, version: int, suffix: str) -> str:
    """Immutable: written before the commit that names it, never again with other bytes."""
    return f"{versions_prefix(document_id)}v{version}.{suffix}"


def versions_prefix(document_id: UUID) -> str:
    return f"data/versions/{document_id}/"


def dated_key(document_id: UUID, accepted_at: datetime, suffix: str) -> str:
    """Where an analyst looks: the current version only, by the day of acceptance."""
    day = accepted_at.astimezone(UTC)
    return f"data/{suffix}/{day:%Y/%m/%d}/{document_id}.{suffix}"


def json_of(result: Result) -> bytes:
    """The extraction, readable by whoever reads extractions, with its version on top."""
    head = {
        "version": result.version,
        "verdict": result.verdict,
        "reviewer": result.reviewer,
    }
    content = {**head, **result.extraction.model_dump(mode="json")}
    return json.dumps(content, ensure_ascii=False, indent=2).encode() + b"\n"


def row_of(result: Result) -> Row:
    """One flat row of typed values. What is not of its type is null, never a guess."""
    extraction = result.extraction
    row: dict[str, object] = {
        "document_id": str(extraction.document_id),
        "version": result.version,
        "owner_id": extraction.owner_id,
        "accepted_at": extraction.accepted_at.astimezone(UTC),
        "filename": extraction.filename,
        "media_type": extraction.media_type,
        "sha256": extraction.sha256,
        "page_count": extraction.page_count,
        "engine": extraction.engine,
        "config": extraction.config,
        "confidence": extraction.confidence,
        "verdict": result.verdict,
        "reviewer": result.reviewer,
    }
    for paths, typed in ((TEXTS, str), (DATES, _date), (AMOUNTS, _amount)):
        for path in paths:
            value = extraction.value(path)
            row[column(path)] = None if value is None else typed(value)
            row[f"{column(path)}_confidence"] = _confidence(extraction, path)
    return row


def column(path: str) -> str:
    return path.replace(".", "_")


def _confidence(extraction: ExtractionV1, path: str) -> float | None:
    field = extraction.fields.get(path)
    return field.confidence if field else None


def _date(value: str) -> date | None:
    try:
        return date.fromisoformat(value)
    except ValueError:
        return None


def _amount(value: str) -> Decimal | None:
    try:
        amount = Decimal(value)
    except InvalidOperation:
        return None
    fits = amount.is_finite() and abs(amount) < AMOUNT_MAX
    return amount.quantize(SCALE) if fits else None

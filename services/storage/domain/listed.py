"""What exports find a result by: the handful of values that are kept beside its file.

They are a copy, made in the transaction that makes a version current. What a document says in
full is read from its file and from nowhere else.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID

from services.storage.domain.results import Result, StoredResult
from shared.contracts.extraction import ExtractionV1, Summary

CURRENCY_CHARS_MAX = 8


@dataclass(frozen=True, slots=True)
class Values:
    engine: str
    confidence: float
    vendor_name: str | None
    invoice_number: str | None
    issue_date: date | None
    currency: str | None


@dataclass(frozen=True, slots=True)
class Listed:
    """One row of the index, on its way into it."""

    document_id: UUID
    version: int
    owner_id: str
    accepted_at: datetime
    result_key: str
    verdict: str | None
    values: Values


@dataclass(frozen=True, slots=True)
class Current:
    """One row of the index, as an export finds it."""

    document_id: UUID
    version: int
    owner_id: str
    accepted_at: datetime
    changed_at: datetime
    result_key: str
    verdict: str | None


@dataclass(frozen=True, slots=True)
class Unfilled:
    """A row of which nobody has looked up the values yet."""

    document_id: UUID
    version: int
    result_key: str


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a document's result, as somebody may read it."""

    document_id: UUID
    version: int
    owner_id: str
    accepted_at: datetime
    result_key: str
    has_files: bool
    verdict: str | None
    stored_at: datetime
    is_current: bool


def listed(row: StoredResult, result: Result) -> Listed:
    return Listed(
        document_id=row.document_id,
        version=row.version,
        owner_id=row.owner_id,
        accepted_at=row.accepted_at,
        result_key=row.result_key,
        verdict=row.verdict,
        values=values_of(result.extraction),
    )


def values_of(extraction: ExtractionV1) -> Values:
    return _values(extraction.summary(), extraction.engine, extraction.confidence)


def values_in(content: Mapping[str, Any]) -> Values:
    """The same of a stored file, whichever version of ours wrote it."""
    return values_of(ExtractionV1.model_validate(content))


def _values(summary: Summary, engine: str, confidence: float) -> Values:
    return Values(
        engine=engine,
        confidence=confidence,
        vendor_name=summary.vendor_name,
        invoice_number=summary.invoice_number,
        issue_date=day(summary.invoice_date),
        currency=(summary.currency or "")[:CURRENCY_CHARS_MAX].upper() or None,
    )


def day(text: str | None) -> date | None:
    """None for what is no day: a document may say anything."""
    try:
        return date.fromisoformat(text or "")
    except ValueError:
        return None

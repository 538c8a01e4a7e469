"""The same paper scanned again, where nobody may have read its number or its seller.

Pages of one letterhead look alike from afar, and so do many of strangers: of the 342 of a
corpus 293 looked like another one. So what looks alike counts only where two of number, date
and total are the same as well.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from services.review.domain.invoice_keys import alike, amount_of, number_key_of
from services.review.domain.items import ItemField, ItemStatus
from services.review.domain.twins import TWINS_MAX, Came, Twin, is_later_copy
from shared.contracts.extraction import ExtractionV1

# Of 64 bits.
DISTANCE_MAX = 4
FIRST = 1
SAME_LOOK = "its first page looks the same"


@dataclass(frozen=True, slots=True)
class Told:
    """What is said of an invoice beside how it looks. None of what nobody has read."""

    number: str | None
    issue_date: str | None
    total: Decimal | None


@dataclass(frozen=True, slots=True)
class Sheet:
    """A document's first page as it looks from afar, in hex, and how many pages there are."""

    document_id: UUID
    owner_id: str
    fingerprint: str
    page_count: int
    told: Told


@dataclass(frozen=True, slots=True)
class Rescan:
    """Another document that looks like one, and of which two of three are the same."""

    document_id: UUID
    filename: str
    status: str
    sha256: str
    accepted_at: datetime
    invoice_number: str | None
    number: str | None
    issue_date: str | None
    total: Decimal | None


def told_by(fields: Iterable[ItemField]) -> Told:
    paths = ("invoice_number", "issue_date", "total")
    values = {one.path: one.value for one in fields if one.path in paths}
    return Told(
        number=alike(number_key_of(values.get("invoice_number") or "")) or None,
        issue_date=(values.get("issue_date") or "")[:10] or None,
        total=amount_of(values.get("total")) or None,
    )


def sheet_of(extraction: ExtractionV1, told: Told) -> Sheet | None:
    first = next((one for one in extraction.pages if one.number == FIRST), None)
    if first is None or first.fingerprint is None:
        return None
    return Sheet(
        extraction.document_id,
        extraction.owner_id,
        first.fingerprint,
        extraction.page_count,
        told,
    )


def with_rescans(
    twins: Sequence[Twin], mine: Came, told: Told, found: Iterable[Rescan]
) -> list[Twin]:
    """A twin that is known by its number has one reason more; the others come behind."""
    rescans = {one.document_id: one for one in found}
    known = [
        replace(one, why=f"{one.why}; {SAME_LOOK}", is_rescan=True)
        if one.document_id in rescans
        else one
        for one in twins
    ]
    there = {one.document_id for one in twins}
    added = [
        Twin(
            document_id=one.document_id,
            filename=one.filename,
            invoice_number=one.invoice_number or "",
            total=None if one.total is None else f"{one.total:f}",
            date=one.issue_date,
            why=f"{SAME_LOOK}, with the same {_the_same(told, one)}",
            exact=False,
            is_rejected=one.status == ItemStatus.REJECTED,
            is_later_copy=is_later_copy(mine, one, one.status),
            is_rescan=True,
        )
        for one in rescans.values()
        if one.document_id not in there
    ]
    added.sort(key=lambda one: (one.is_rejected, one.document_id))
    return [*known, *added][:TWINS_MAX]


def _the_same(told: Told, other: Rescan) -> str:
    same = {
        "number": told.number is not None and told.number == other.number,
        "date": told.issue_date is not None and told.issue_date == other.issue_date,
        "total": told.total is not None and told.total == other.total,
    }
    return " and ".join(what for what, holds in same.items() if holds)

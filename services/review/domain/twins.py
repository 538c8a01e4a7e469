"""The same invoice a second time: sent again, scanned again, or with two digits swapped.

The same number of the same seller in the same year is the same invoice, and one of the two has
to go before the other is approved. A number that is only nearly the same needs the same total
beside it, and the same day, or every invoice would be the twin of the one before.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Protocol
from uuid import UUID

from services.review.domain.invoice_keys import InvoiceKeys, alike, is_same_seller
from services.review.domain.items import ItemStatus, resource_of
from shared.configuration.review import Duplicates
from shared.contracts.extraction import Finding
from shared.invoice.fields import Severity

SAME_INVOICE, NEAR_DUPLICATE, RESCAN = "same_invoice", "near_duplicate", "rescan"
CODES = frozenset({SAME_INVOICE, NEAR_DUPLICATE, RESCAN})
TOUCHES = ("invoice_number", "seller.name", "total")
TWINS_MAX = 5
# A longer number may differ in two places, a short one is another number then.
SHORT, LONG = 4, 8


@dataclass(frozen=True, slots=True)
class Lookalike:
    """Another invoice of the seller, as far as it matters for being taken for a twin."""

    document_id: UUID
    filename: str
    status: str
    sha256: str
    accepted_at: datetime
    seller_keys: Sequence[str]
    number_key: str
    invoice_number: str
    year: int | None
    issue_date: str | None
    total: Decimal | None
    currency: str | None


@dataclass(frozen=True, slots=True)
class Twin:
    document_id: UUID
    filename: str
    invoice_number: str
    total: str | None
    date: str | None
    why: str
    # The same seller, number and year.
    exact: bool
    # A person has said that it is no invoice of ours, this one's copy perhaps.
    is_rejected: bool = False
    # The same bytes handed in once more, of which nobody has said yet that they count: it is
    # the copy that has to go, and not what it is a copy of.
    is_later_copy: bool = False
    # Its first page looks the same from afar; see `rescans.py`.
    is_rescan: bool = False

    @property
    def stands(self) -> bool:
        """In the way of this one."""
        return self.exact and not self.is_rejected and not self.is_later_copy


def twins_of(keys: InvoiceKeys, others: Iterable[Lookalike], asked: Duplicates) -> list[Twin]:
    """Those in the way first; those that were rejected last."""
    found = [
        Twin(
            document_id=one.document_id,
            filename=one.filename,
            invoice_number=one.invoice_number,
            total=None if one.total is None else f"{one.total:f}",
            date=one.issue_date,
            why=why[0],
            exact=why[1],
            is_rejected=one.status == ItemStatus.REJECTED,
            is_later_copy=is_later_copy(keys, one, one.status),
        )
        for one in others
        if one.document_id != keys.document_id
        and (why := _likeness(keys, one)) is not None
        and (asked.same_number if why[1] else asked.near) != "ignore"
    ]
    found.sort(
        key=lambda one: (one.is_rejected, not one.stands, not one.exact, one.document_id)
    )
    return found[:TWINS_MAX]


class Came(Protocol):
    """A document, as far as it matters which of two was there first."""

    @property
    def document_id(self) -> UUID: ...
    @property
    def sha256(self) -> str: ...
    @property
    def accepted_at(self) -> datetime: ...


def is_later_copy(mine: Came, other: Came, status: str) -> bool:
    came_later = (other.accepted_at, other.document_id) > (mine.accepted_at, mine.document_id)
    is_open = status in (ItemStatus.PENDING, ItemStatus.IN_REVIEW)
    return is_open and other.sha256 == mine.sha256 and came_later


def _likeness(keys: InvoiceKeys, other: Lookalike) -> tuple[str, bool] | None:
    if _differ(keys.year, other.year):
        return None
    same_total = _same_total(keys, other)
    if keys.number_key == other.number_key:
        return _same_number(keys, other, same_total)
    if alike(keys.number_key) == alike(other.number_key):
        return "a number with letters and digits that look alike", False
    return (_nearly(keys, other), False) if same_total and _nearly(keys, other) else None


def _same_number(keys: InvoiceKeys, other: Lookalike, same_total: bool) -> tuple[str, bool]:
    also = " and total" if same_total else ""
    seller = is_same_seller(keys.seller_keys, other.seller_keys)
    if seller is False:
        return (
            f"the same number{also}, of a seller who has another VAT ID or register no.",
            False,
        )
    if keys.year is None or other.year is None:
        return f"the same number{also}, and not both have a date", False
    # Where all that is known of both is a name, the total has to speak too.
    if seller is None and not same_total:
        return "the same number, of a seller with the same name", False
    return f"the same number{also}, of the same seller in the same year", True


def _nearly(keys: InvoiceKeys, other: Lookalike) -> str:
    if _swapped(keys.number_key, other.number_key):
        return "the same total, and two characters of the number swapped"
    # What costs the same each month has another day on it each time.
    same_day = not _differ(keys.issue_date, other.issue_date)
    if same_day and _near(keys.number_key, other.number_key):
        return "the same total and nearly the same number"
    return ""


def _differ(one: object, other: object) -> bool:
    return one is not None and other is not None and one != other


def _same_total(keys: InvoiceKeys, other: Lookalike) -> bool:
    if not keys.total or keys.total != other.total:
        return False
    return keys.currency is None or other.currency is None or keys.currency == other.currency


def _swapped(one: str, other: str) -> bool:
    if len(one) != len(other):
        return False
    apart = [place for place in range(len(one)) if one[place] != other[place]]
    return (
        len(apart) == 2  # noqa: PLR2004 -- a pair
        and one[apart[0]] == other[apart[1]]
        and one[apart[1]] == other[apart[0]]
    )


def _near(one: str, other: str) -> bool:
    shorter = min(len(one), len(other))
    if shorter < SHORT:
        return False
    return distance(one, other) <= (2 if shorter >= LONG else 1)


def distance(one: str, other: str) -> int:
    """How many characters have to be typed, deleted or replaced to make the other of it."""
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        before, row[0] = row[0], at
        for place, wanted in enumerate(other, 1):
            cost = before + (letter != wanted)
            before = row[place]
            row[place] = min(before + 1, row[place - 1] + 1, cost)
    return row[-1]


def twin_findings(
    twins: Sequence[Twin], asked: Duplicates, *, unattended: bool = False
) -> list[Finding]:
    """Named, so that a person can open it and compare. Where nobody looks, no copy is let
    through either: which of two came first is not known until both are here."""
    same = [one for one in twins if one.stands or (unattended and _is_another(one))]
    rest = [one for one in twins if one not in same]
    again = [one for one in rest if one.is_rescan and not one.exact]
    near = [one for one in rest if one not in again]
    severity: Severity = "block" if asked.same_number == "block" else "warn"
    found: list[tuple[str, Severity, str, Sequence[Twin]]] = [
        (SAME_INVOICE, severity, "Probable duplicate of", same),
        (RESCAN, "warn", "Rescan of the same:", again),
        (NEAR_DUPLICATE, "warn", "It looks like", near),
    ]
    return [
        Finding(code=code, severity=severe, detail=f"{words} {_named(those)}", touches=TOUCHES)
        for code, severe, words, those in found
        if those
    ]


def _is_another(twin: Twin) -> bool:
    return twin.exact and not twin.is_rejected


def _named(twins: Sequence[Twin]) -> str:
    first = twins[0]
    of = ", ".join(filter(None, (first.invoice_number, first.date, first.total)))
    more = f" And {len(twins) - 1} more like it." if len(twins) > 1 else ""
    name = first.filename or resource_of(first.document_id)
    kind = " It was rejected." if first.is_rejected else ""
    copy = " It is the same file, handed in later." if first.is_later_copy else ""
    return f"{name} ({of}): {first.why}.{kind}{copy}{more}"

"""The same invoice a second time: sent again, scanned again, or with two digits swapped.

Invoices of one seller and year are compared. The same number is the same invoice; a number
that is only nearly the same needs the same total beside it, and the same day, or every invoice
would be the twin of the one before.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from uuid import UUID

from services.review.domain.items import ItemField, ItemStatus, resource_of
from shared.contracts.extraction import Finding
from shared.values.folding import fold

NEAR_DUPLICATE = "near_duplicate"
# Whoever changes one of these changes by what the invoice is recognised.
TELLING = ("invoice_number", "seller.vat_id", "seller.name", "issue_date", "total", "currency")
TOUCHES = ("invoice_number", "seller.name", "total")
TWINS_MAX = 5
KEY_CHARS_MAX = 200
# A longer number may differ in two places, a short one is another number then.
SHORT, LONG = 4, 8
_ALIKE = str.maketrans("OQDILZSBG", "000112586")
_FORMS = re.compile(
    r"\b(gmbh|ag|kg|ohg|ug|mbh|se|ltd|limited|llc|inc|corp|sarl|sas|sa|srl|spa|bv|nv|plc|"
    r"co|cie|ek|gbr|eg)\b"
)


@dataclass(frozen=True, slots=True)
class InvoiceKeys:
    """By what an invoice is recognised. A seller has several names; any will do."""

    document_id: UUID
    owner_id: str
    seller_keys: Sequence[str]
    number_key: str
    invoice_number: str
    year: int | None
    issue_date: str | None
    total: Decimal | None
    currency: str | None


@dataclass(frozen=True, slots=True)
class Lookalike:
    """Another invoice of the seller, as far as it matters for being taken for a twin."""

    document_id: UUID
    filename: str
    status: str
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
    exact: bool
    # A person has said that it is no invoice of ours, this one's copy perhaps.
    is_rejected: bool = False


def keys_of(
    document_id: UUID, owner_id: str, fields: Iterable[ItemField]
) -> InvoiceKeys | None:
    """None without a number or a seller: nothing could be compared."""
    values = {one.path: one.value for one in fields if one.path in TELLING and one.value}
    number = values.get("invoice_number") or ""
    sellers = _seller_keys(values)
    number_key = re.sub(r"[^0-9A-Z]", "", fold(number).upper())[:KEY_CHARS_MAX]
    if not number_key or not sellers:
        return None
    issued = values.get("issue_date")
    return InvoiceKeys(
        document_id=document_id,
        owner_id=owner_id,
        seller_keys=sellers,
        number_key=number_key,
        invoice_number=number[:KEY_CHARS_MAX],
        year=int(issued[:4]) if issued and re.fullmatch(r"\d{4}-\d\d-\d\d", issued) else None,
        issue_date=issued[:10] if issued else None,
        total=_amount(values.get("total")),
        currency=(values.get("currency") or "")[:3] or None,
    )


def _seller_keys(values: Mapping[str, str | None]) -> list[str]:
    vat_id = re.sub(r"[^0-9A-Z]", "", (values.get("seller.vat_id") or "").upper())
    name = re.sub(r"[^0-9a-z]+", " ", fold(values.get("seller.name") or ""))
    plain = _FORMS.sub(" ", name).replace(" ", "") or name.replace(" ", "")
    keys = [f"vat:{vat_id}" if vat_id else "", f"name:{plain}" if plain else ""]
    return [one[:KEY_CHARS_MAX] for one in keys if one]


def _amount(text: str | None) -> Decimal | None:
    try:
        value = Decimal(text or "")
    except InvalidOperation:
        return None
    return value if value.is_finite() else None


def twins_of(keys: InvoiceKeys, others: Iterable[Lookalike]) -> list[Twin]:
    """The exact ones first; those that were rejected last."""
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
        )
        for one in others
        if one.document_id != keys.document_id and (why := _likeness(keys, one)) is not None
    ]
    found.sort(key=lambda one: (one.is_rejected, not one.exact, one.document_id))
    return found[:TWINS_MAX]


def _likeness(keys: InvoiceKeys, other: Lookalike) -> tuple[str, bool] | None:
    if _differ(keys.year, other.year):
        return None
    same_total = _same_total(keys, other)
    if keys.number_key == other.number_key:
        also = " and total" if same_total else ""
        return f"the same number{also}", keys.total is None or same_total
    if alike(keys.number_key) == alike(other.number_key):
        return "a number with letters and digits that look alike", False
    return (_nearly(keys, other), False) if same_total and _nearly(keys, other) else None


def alike(number_key: str) -> str:
    """Letters and digits that look alike are one: what was misread is still found."""
    return number_key.translate(_ALIKE)


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


def twin_finding(twins: Sequence[Twin]) -> Finding | None:
    """Named, so that a person can open it and compare."""
    if not twins:
        return None
    first = twins[0]
    of = ", ".join(filter(None, (first.invoice_number, first.date, first.total)))
    more = f" And {len(twins) - 1} more like it." if len(twins) > 1 else ""
    name = first.filename or resource_of(first.document_id)
    return Finding(
        code=NEAR_DUPLICATE,
        severity="warn",
        detail=f"It looks like {name} ({of}): {first.why}.{more}",
        touches=TOUCHES,
    )

"""When are two documents the same invoice? Keys and a comparison, for whoever holds both.

The year belongs to the key because numbers start again each year, and the answer has to be
asked for again whenever a person corrects the seller, the number, the date or the total.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

from services.extractor.domain.checks.values import values_of
from services.extractor.domain.reading import Reading

_PUNCTUATION = re.compile(r"[\s/._#-]+")
_CHARS_MAX = 128


@dataclass(frozen=True, slots=True)
class Nearness:
    """How near is the same: from the configuration."""

    number_prefixes: tuple[str, ...] = ("INV", "RE", "RG", "FACT")
    number_edits_max: int = 1
    days_apart_max: int = 3
    # Of the smallest coin.
    total_units_max: int = 1


@dataclass(frozen=True, slots=True)
class InvoiceKey:
    """What identifies an invoice among those of its seller."""

    seller: str
    number: str
    issued: date | None
    total: Decimal | None
    currency: str | None


Likeness = Literal["block", "warn"]


def invoice_key(reading: Reading, near: Nearness) -> InvoiceKey | None:
    """None without a seller or a number: then nothing can be compared."""
    values = values_of(reading)
    seller = seller_key(
        vat_id=_text(values.get("seller.vat_id")),
        legal_id=_text(values.get("seller.legal_id")),
        iban=_text(values.get("payment.accounts.0.iban")),
        name=_text(values.get("seller.name")),
        post_code=_text(values.get("seller.address.post_code")),
    )
    number = normalised_number(_text(values.get("invoice_number")) or "", near.number_prefixes)
    if seller is None or not number:
        return None
    issued, total = values.get("issue_date"), values.get("total")
    return InvoiceKey(
        seller=seller,
        number=number,
        issued=issued if isinstance(issued, date) else None,
        total=total if isinstance(total, Decimal) else None,
        currency=_text(values.get("currency")),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def normalised_number(text: str, prefixes: Sequence[str] = Nearness().number_prefixes) -> str:
    """`Inv. 0042/2026` and `42-2026` are one number."""
    plain = _PUNCTUATION.sub("", text[:_CHARS_MAX].upper())
    for prefix in sorted(prefixes, key=len, reverse=True):
        rest = plain.removeprefix(prefix)
        # A number of nothing but letters is not a prefix with nothing behind it.
        if rest != plain and rest[:1].isdigit():
            plain = rest
            break
    return plain.lstrip("0") or plain[-1:]


def seller_key(
    *,
    vat_id: str | None = None,
    legal_id: str | None = None,
    iban: str | None = None,
    name: str | None = None,
    post_code: str | None = None,
) -> str | None:
    """By the strongest there is, and its kind: two kinds are never compared."""
    for kind, value in (("vat", vat_id), ("legal", legal_id), ("iban", iban)):
        if value and (plain := _PUNCTUATION.sub("", value.upper())):
            return f"{kind}:{plain}"
    folded = "".join(one for one in (name or "").casefold() if one.isalnum())
    if not folded:
        return None
    return f"name:{folded}:{_PUNCTUATION.sub('', (post_code or '').upper())}"


def likeness(
    one: InvoiceKey, other: InvoiceKey, near: Nearness, unit: Decimal
) -> Likeness | None:
    """`block` for the same number in the same year; `warn` for nearly the same invoice."""
    if one.seller != other.seller:
        return None
    if one.number == other.number and _same_year(one, other):
        return "block"
    if not _same_total(one, other, unit * near.total_units_max):
        return None
    close = within_edits(one.number, other.number, near.number_edits_max)
    return "warn" if close or _days_apart(one, other, near.days_apart_max) else None


def _same_year(one: InvoiceKey, other: InvoiceKey) -> bool:
    # Without a date nobody knows: a person looks rather than nobody.
    if one.issued is None or other.issued is None:
        return True
    return one.issued.year == other.issued.year


def _same_total(one: InvoiceKey, other: InvoiceKey, most: Decimal) -> bool:
    if one.total is None or other.total is None or one.currency != other.currency:
        return False
    return abs(one.total - other.total) <= most


def _days_apart(one: InvoiceKey, other: InvoiceKey, most: int) -> bool:
    if one.issued is None or other.issued is None:
        return False
    return abs((one.issued - other.issued).days) <= most


def within_edits(one: str, other: str, most: int) -> bool:
    """Characters to put in, take out or replace until the two are equal."""
    if abs(len(one) - len(other)) > most:
        return False
    row = list(range(len(other) + 1))
    for place, char in enumerate(one, start=1):
        before, row[0] = row[0], place
        for column, twin in enumerate(other, start=1):
            least = min(row[column] + 1, row[column - 1] + 1, before + (char != twin))
            before, row[column] = row[column], least
    return row[-1] <= most

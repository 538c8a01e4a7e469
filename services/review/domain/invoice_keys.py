"""By what an invoice is recognised when it comes again: its seller, its number, its year.

The number is compared without what is written now so and now otherwise: spaces, dashes, zeros
in front, the word for an invoice. A seller has several names. Each of them finds his invoices,
since a scan seldom shows them all; whether it is he is then for the strongest that both show.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from uuid import UUID

from services.review.domain.items import ItemField, NewItem
from shared.values.folding import fold

# Raise it with what makes the keys: those that are kept are then made anew.
KEYS_VERSION = 2
KEY_CHARS_MAX = 200
ACCOUNTS_MAX = 5
_TELLING = (
    *("invoice_number", "issue_date", "total", "currency"),
    *("seller.vat_id", "seller.legal_id", "seller.name", "seller.address.post_code"),
)
_IBAN = re.compile(r"payment\.accounts\.\d+\.iban")
_ALIKE = str.maketrans("OQDILZSBG", "000112586")
# Only in front of a number, or of something that is set off: a REX17 is none.
_PREFIX = re.compile(r"(?:INV|RE|RG|FACT)(?=[\d\W_])")
_FORMS = re.compile(
    r"\b(gmbh|ag|kg|ohg|ug|mbh|se|ltd|limited|llc|inc|corp|sarl|sas|sa|srl|spa|bv|nv|plc|"
    r"co|cie|ek|gbr|eg)\b"
)


@dataclass(frozen=True, slots=True)
class InvoiceKeys:
    document_id: UUID
    owner_id: str
    sha256: str
    accepted_at: datetime
    # The strongest first, each led by its kind.
    seller_keys: Sequence[str]
    number_key: str
    invoice_number: str
    year: int | None
    issue_date: str | None
    total: Decimal | None
    currency: str | None


def keys_of(item: NewItem, fields: Iterable[ItemField]) -> InvoiceKeys | None:
    """None without a number or a seller: nothing could be compared."""
    told = {one.path: one.value for one in fields if one.value and _tells(one.path)}
    number = told.get("invoice_number") or ""
    number_key, sellers = number_key_of(number), seller_keys_of(told)
    if not number_key or not sellers:
        return None
    issued = told.get("issue_date")
    return InvoiceKeys(
        document_id=item.document_id,
        owner_id=item.owner_id,
        sha256=item.sha256,
        accepted_at=item.accepted_at,
        seller_keys=sellers,
        number_key=number_key,
        invoice_number=number[:KEY_CHARS_MAX],
        year=int(issued[:4]) if issued and re.fullmatch(r"\d{4}-\d\d-\d\d", issued) else None,
        issue_date=issued[:10] if issued else None,
        total=amount_of(told.get("total")),
        currency=(told.get("currency") or "")[:3] or None,
    )


def _tells(path: str) -> bool:
    return path in _TELLING or _IBAN.fullmatch(path) is not None


def number_key_of(number: str) -> str:
    """Empty only when there is neither a letter nor a digit in it."""
    text = fold(number).upper().strip(" -/._#")
    found = _PREFIX.match(text)
    rest = _plain(text[found.end() :]) if found else ""
    key = rest or _plain(text)
    return (key.lstrip("0") or key[-1:])[:KEY_CHARS_MAX]


def seller_keys_of(told: Mapping[str, str | None]) -> list[str]:
    name = re.sub(r"[\W_]+", " ", fold(told.get("seller.name") or ""))
    plain = _FORMS.sub(" ", name).replace(" ", "") or name.replace(" ", "")
    post_code = _plain((told.get("seller.address.post_code") or "").upper())
    ibans = [_plain((told[path] or "").upper()) for path in told if _IBAN.fullmatch(path)]
    keys = [
        ("vat", _plain((told.get("seller.vat_id") or "").upper())),
        ("legal", _plain(fold(told.get("seller.legal_id") or "").upper())),
        *(("iban", iban) for iban in sorted({*ibans})[:ACCOUNTS_MAX]),
        ("place", f"{plain}|{post_code}" if plain and post_code else ""),
        ("name", plain),
    ]
    return [f"{kind}:{key}"[:KEY_CHARS_MAX] for kind, key in keys if key]


def is_same_seller(one: Sequence[str], other: Sequence[str]) -> bool | None:
    """None when they share no more than a name: there are two Müllers. A company has one VAT
    id and one entry in a register, but accounts and addresses it may have several."""
    for kind in ("vat", "legal"):
        mine, theirs = _of_kind(one, kind), _of_kind(other, kind)
        if mine and theirs:
            # With a country or a court, or without.
            return mine in theirs or theirs in mine
    shared = {*one} & {*other}
    return True if any(not key.startswith("name:") for key in shared) else None


def _of_kind(keys: Sequence[str], kind: str) -> str:
    found = (key.partition(":") for key in keys)
    return next((key for told, _, key in found if told == kind), "")


def alike(number_key: str) -> str:
    """Letters and digits that look alike are one: what was misread is still found."""
    return number_key.translate(_ALIKE)


def _plain(text: str) -> str:
    return "".join(one for one in text if one.isalnum())


def amount_of(text: str | None) -> Decimal | None:
    try:
        value = Decimal(text or "")
    except InvalidOperation:
        return None
    return value if value.is_finite() else None

"""One form for values of different hands, so that only what differs in meaning differs.

Names lose case and punctuation, numbers of documents their spaces, IBANs and VAT ids all but
letters and figures; money has two decimals, a quantity up to three.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation

Cells = Mapping[str, str]

CELLS = ("description", "quantity", "unit_price", "amount")
_CENT, _THOUSANDTH = Decimal("0.01"), Decimal("0.001")
_EXCHANGEABLE = 10**15


def in_one_form(name: str, value: object) -> str | None:
    """None for nothing, and for what cannot be read as what the field holds."""
    if value is None or not (text := unicodedata.normalize("NFKC", str(value)).strip()):
        return None
    return _FORMS.get(name, _as_it_is)(text)


def row_in_one_form(row: Mapping[str, object]) -> Cells:
    forms = {cell: in_one_form(cell, row.get(cell)) for cell in CELLS}
    return {cell: form for cell, form in forms.items() if form is not None}


def _as_it_is(text: str) -> str | None:
    return text


def _money(text: str) -> str | None:
    value = _decimal(text)
    return None if value is None else f"{value.quantize(_CENT):f}"


def _quantity(text: str) -> str | None:
    value = _decimal(text)
    return None if value is None else f"{value.quantize(_THOUSANDTH).normalize():f}"


def _decimal(text: str) -> Decimal | None:
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    return value if value.is_finite() and abs(value) < _EXCHANGEABLE else None


def _name(text: str) -> str | None:
    spelt = text.casefold().replace("&", " and ")
    letters = "".join(one if one.isalnum() else " " for one in spelt)
    return " ".join(letters.split()) or None


def _number(text: str) -> str | None:
    return re.sub(r"\s+", "", text).upper().lstrip("#") or None


def _letters_and_figures(text: str) -> str | None:
    return re.sub(r"[^0-9A-Z]", "", text.upper()) or None


_FORMS: Mapping[str, Callable[[str], str | None]] = {
    **dict.fromkeys(("subtotal", "tax", "total", "amount", "unit_price"), _money),
    "quantity": _quantity,
    **dict.fromkeys(("vendor_name", "description"), _name),
    "invoice_number": _number,
    **dict.fromkeys(("iban", "vat_id"), _letters_and_figures),
    "currency": str.upper,
}

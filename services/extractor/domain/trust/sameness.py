"""When two readings of a field say the same: equal, nearly, or not."""

import re
import unicodedata
from decimal import Decimal, InvalidOperation
from difflib import SequenceMatcher

from shared.invoice.paths import Kind

EQUAL, NEAR, DIFFERENT = 1.0, 0.5, 0.0
# A name that lost its legal form or a line break is still the same company.
ALIKE = 0.8


def agreement(kind: Kind | None, one: str, other: str) -> float:
    if _bare(kind, one) == _bare(kind, other):
        return EQUAL
    return NEAR if kind == "text" and _are_alike(one, other) else DIFFERENT


def letters_and_figures(text: str) -> str:
    """Folded, without anything between: `DE 12-34 é` is `de1234e`."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return re.sub(r"[^0-9a-z]", "", plain)


def as_decimal(text: str) -> Decimal | None:
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    return value if value.is_finite() else None


def _bare(kind: Kind | None, text: str) -> object:
    if kind in ("money", "number"):
        value = as_decimal(text)
        return text if value is None else value
    return text if kind == "date" else letters_and_figures(text) or text


def _are_alike(one: str, other: str) -> bool:
    first, second = letters_and_figures(one), letters_and_figures(other)
    # One figure more or less makes another number of it, however alike they look.
    if not first or not second or _figures(first) != _figures(second):
        return False
    if first in second or second in first:
        return True
    return SequenceMatcher(None, first, second, autojunk=False).ratio() >= ALIKE


def _figures(text: str) -> str:
    return re.sub(r"\D", "", text)

"""Numbers as they are written: with a sign, groups, a currency, a percent sign, a unit.

A number alone may not say which mark is the decimal one (`1.000`); whoever knows more of the
document says so.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from shared.values.currencies import CODES, NOT_IN_A_CELL, signs

CURRENCY = rf"(?:{CODES}|{signs(but=NOT_IN_A_CELL)})"
# In India thousands are followed by hundreds of thousands: 1,23,456.00.
_DIGITS = (
    r"\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?|"
    r"\d{1,3}(?:[.,'’]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?|[.,]\d+"
)
_NUMBER = re.compile(
    rf"(?P<open>\()?(?P<sign>[-−–+])?(?P<before>{CURRENCY})?(?P<sign2>[-−–])?"
    rf"(?P<digits>{_DIGITS})(?P<tail>[-−–](?![-\w]))?(?:[.,]-+)?(?P<after>{CURRENCY})?"
    r"(?P<percent>%)?(?P<unit>(?:[a-zA-Zµ²³]{1,5}|x|×)\.?)?\)?[.,;:*]?"
)
_THOUSANDS = re.compile(r"\d{1,3}([.,])\d{3}(?:\1\d{3})*|\d{1,2}(,)\d{2}(?:,\d{2})*,\d{3}")
_NO_DIGIT = re.compile(r"\D")
_LONG_DIGITS = 8
THOUSAND = 3


@dataclass(frozen=True, slots=True)
class Number:
    value: Decimal
    # How many decimals were printed: the precision that arithmetic may expect.
    places: int = 0
    percent: bool = False
    money: bool = False
    unit: str | None = None


# The same cells are asked for by every rule about tables.
@lru_cache(maxsize=4096)
def number_of(text: str, mark: str) -> Number | None:
    """None for what is more, or less, than one number."""
    match = _NUMBER.fullmatch(text)
    if match is None or _is_a_code(match):
        return None
    value, places = _value(match["digits"], mark)
    bracketed = match["open"] and places and not match["percent"]
    negative = bracketed or match["tail"] or (match["sign"] or match["sign2"] or "+") != "+"
    return Number(
        -value if negative else value,
        places,
        percent=bool(match["percent"]),
        money=bool(match["before"] or match["after"]),
        unit=match["unit"],
    )


def _is_a_code(match: re.Match[str]) -> bool:
    digits = match["digits"]
    return digits.isdigit() and (
        len(digits) >= _LONG_DIGITS or (digits.startswith("0") and len(digits) > 1)
    )


def _value(digits: str, mark: str) -> tuple[Decimal, int]:
    whole, fraction = digits, ""
    last = max(digits.rfind("."), digits.rfind(","))
    if last >= 0 and not parts_thousands(digits, mark):
        whole, fraction = digits[:last], digits[last + 1 :]
    whole = _NO_DIGIT.sub("", whole) or "0"
    return Decimal(f"{whole}.{fraction}" if fraction else whole), len(fraction)


def parts_thousands(digits: str, mark: str | None) -> bool:
    """Whether the marks of a number stand between thousands; `mark` is what others have before
    their decimals. The same mark twice leaves no doubt, and neither do two kinds of them."""
    match = _THOUSANDS.fullmatch(digits)
    if match is None:
        return False
    group = match[1] or match[2]
    return digits.count(group) > 1 or (group != mark and digits[0] != "0")

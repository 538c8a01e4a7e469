"""Amounts of money as they are printed: 1,234.56 and 1.234,56 and 1 234,56 and 1'234.56.

Only what cannot be a quantity or a year is taken: two decimals, or a currency beside it. So
the separator before the last two digits always tells the convention, line by line.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

CENT = Decimal("0.01")
CODES = (
    "AUD|BGN|BRL|CAD|CHF|CNY|CZK|DKK|EUR|GBP|HKD|HUF|INR|JPY|MXN|NOK|NZD|PLN|RON|SEK|SGD|TRY|"
    "USD|ZAR"
)
# A dollar sign has many countries: it is the weaker evidence.
SYMBOLS = {"€": "EUR", "£": "GBP", "₹": "INR", "zł": "PLN", "$": "USD"}
_SYMBOL = "|".join(map(re.escape, SYMBOLS))
_MONEY = rf"(?:{CODES}|{_SYMBOL})"

_AMOUNT = re.compile(
    rf"(?P<before>{_MONEY})?\s?(?<![\w.,'’/-])(?P<sign>[-−+]\s?)?(?P<before2>{_MONEY})?\s?"
    r"(?P<number>(?:\d{1,3}(?:[.,'’ \u00a0\u202f]\d{3})+|\d{1,12})(?P<decimals>[.,]\d{2})?)"
    rf"(?![\d%/-]|[.,]\d|\s?%)(?:\s?(?P<after>{_MONEY})(?![A-Za-z]))?"
)


@dataclass(frozen=True, slots=True)
class Amount:
    value: Decimal
    start: int
    end: int
    currency: str | None


def amounts_in(text: str) -> Iterator[Amount]:
    for match in _AMOUNT.finditer(text):
        money = match["before"] or match["before2"] or match["after"]
        if match["decimals"] is None and money is None:
            continue
        whole = match["number"].removesuffix(match["decimals"] or "")
        digits = re.sub(r"\D", "", whole)
        value = Decimal(f"{digits}.{(match['decimals'] or '.00')[1:]}")
        if (match["sign"] or "").strip() in ("-", "−"):
            value = -value
        yield Amount(value, match.start(), match.end(), SYMBOLS.get(money or "", money))


def plain(value: Decimal) -> str:
    """As the contract carries money: digits, a point, two decimals."""
    return f"{value.quantize(CENT):f}"

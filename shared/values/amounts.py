"""Amounts of money as they are printed: 1,234.56 and 1.234,56 and 1 234,56 and 1'234.56.

Only what cannot be a quantity or a year is taken: two decimals, or a currency beside it. The
separator before two last digits tells the convention; where there are none, the votes of all
other amounts of the document do.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from shared.values.currencies import CODES, SYMBOLS, signs
from shared.values.numbers import parts_thousands

# Between two columns of a line.
COLUMN = "\t"
CENT = Decimal("0.01")
_SYMBOL = signs()
_MONEY = rf"(?:(?<![A-Za-z])(?:{CODES}|{_SYMBOL})(?![a-zA-Z]))"
_AFTER = rf"(?:(?:{CODES}|{_SYMBOL})(?![A-Za-z]))"

_AMOUNT = re.compile(
    rf"(?P<before>{_MONEY})?[ :]{{0,2}}(?<![\w.,'’/+-])(?P<sign>\((?=[^()]{{1,24}}\))|"
    rf"[-−–+] ?)?"
    rf"(?P<before2>{_MONEY})?[ \u00a0]?(?P<sign2>[-−–] ?)?"
    r"(?P<number>(?:\d{1,2}(?:,\d{2})+,\d{3}|"
    r"\d{1,3}(?:[.,'’ \u00a0\u202f]\d{3})+|\d{1,12})(?P<decimals>[.,](?:\d{2}|"
    r"-{1,2}))?)"
    rf"(?![\d%/]|-\d|[.,'’]\d|"
    rf"\s?%)(?:[ \u00a0]?(?P<after>{_AFTER}))?(?P<trailing>[-−](?![\w-]))?"
)
_SIGN = re.compile(rf"{CODES}|[€£$₹]")
_MARKS = re.compile(r"[.,]")
BESIDE_CURRENCY = 3
_MARK = re.compile(
    r"(?<![\d.,])(?:\d{1,2}(?:,\d{2})+,\d{3}|\d{1,3}(?:([.,'’ ])\d{3})*|\d+)"
    r"([.,])\d{2}(?![\d%/-]|[.,]\d| ?%)"
)


@dataclass(frozen=True, slots=True)
class Amount:
    value: Decimal
    start: int
    end: int
    currency: str | None
    # The sign or code as it stands there.
    symbol: str | None = None


def decimal_mark(texts: Iterable[str]) -> str | None:
    """What most amounts of a document have before their cents."""
    votes = {",": 0, ".": 0}
    for text in texts:
        # `8.00-20.00` are hours; beside a currency there is no doubt.
        weight = BESIDE_CURRENCY if _SIGN.search(text) else 1
        for group, mark in _MARK.findall(text):
            votes[mark] += weight if group != mark else 0
    if votes[","] == votes["."]:
        return None
    return max(votes, key=lambda mark: votes[mark])


def amounts_in(text: str, mark: str | None = None) -> Iterator[Amount]:
    for match in _AMOUNT.finditer(text):
        symbol = match["before"] or match["before2"] or match["after"]
        if match["decimals"] is None and symbol is None:
            continue
        value = _value(match, mark)
        if value is None:
            continue
        start = match.start() + len(match[0]) - len(match[0].lstrip(f" :{COLUMN}"))
        currency = SYMBOLS.get(symbol or "", symbol)
        yield Amount(value, start, match.end(), currency, symbol)


def _value(match: re.Match[str], mark: str | None) -> Decimal | None:
    decimals = match["decimals"] or ""
    whole = match["number"].removesuffix(decimals)
    if not decimals and _is_a_fraction(whole, mark):
        return None
    cents = decimals[1:] if decimals[1:].isdigit() else "00"
    digits = re.sub(r"\D", "", whole)
    value = Decimal(f"{digits}.{cents}")
    negative = "-−–("
    # Brackets mean a negative amount to English accountants, to others an aside.
    sign = None if match["sign"] == "(" and mark == "," else match["sign"]
    signs = (sign, match["sign2"], match["trailing"])
    return -value if any(one and one.strip() in negative for one in signs) else value


def _is_a_fraction(whole: str, mark: str | None) -> bool:
    """0.025 has three decimals, and so has 1.234 where the others say 99.00."""
    return bool(_MARKS.search(whole)) and not parts_thousands(whole, mark)


def plain(value: Decimal) -> str:
    """As the contract carries money: digits, a point, two decimals."""
    return f"{value.quantize(CENT):f}"

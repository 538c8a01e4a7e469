"""Numbers as the cells of a table print them: quantities, prices, rates, and their signs.

A cell may hold less than an amount of money does (`3`, `1.000`, `3,3333`), so the text alone
cannot say which mark is the decimal one: the amounts of the whole document vote on that.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from services.extractor.domain.words import Line, Word, fold

_CURRENCY = (
    r"(?:AUD|BGN|BRL|CAD|CHF|CNY|CZK|DKK|DEM|EUR|GBP|HKD|HUF|INR|JPY|MXN|NOK|NZD|PLN|RON|SEK|"
    r"SGD|TRY|USD|ZAR|Rs\.?|RM|kr\.?|Fr\.|zł|Kč|US\$|A\$|C\$|[€$£₹¥])"
)
_DIGITS = r"\d{1,3}(?:[.,'’]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?|[.,]\d+"
_NUMBER = re.compile(
    rf"(?P<open>\()?(?P<sign>[-−–+])?(?P<before>{_CURRENCY})?(?P<sign2>[-−–])?"
    rf"(?P<digits>{_DIGITS})(?P<tail>[-−–](?![-\w]))?(?:[.,]-+)?(?P<after>{_CURRENCY})?"
    r"(?P<percent>%)?(?P<unit>(?:[a-zA-Zµ²³]{1,5}|x|×)\.?)?\)?[.,;:*]?"
)
_ALONE = re.compile(rf"{_CURRENCY}|%")
_SIGN = re.compile(r"[-−–+]")
_GROUP = re.compile(r"\d{1,3}")
_REST = re.compile(r"(?:\d{3}[.'’]?)*\d{3}(?:[.,]\d{1,4})?[-−–]?(?:[€$£%])?")
_DECIMAL_MARK = re.compile(r"\d([.,])\d{2}(?!\d|[.,]\d)")
_LONG_DIGITS = 8
_THOUSAND = 3
# Parts of one number stand closer than a space and a half; two columns never do.
JOINED_CHARS = 1.6
GROUPED_CHARS = 1.2


@dataclass(frozen=True, slots=True)
class Number:
    value: Decimal
    # How many decimals were printed: the precision that arithmetic may expect.
    places: int = 0
    percent: bool = False
    money: bool = False
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Token:
    """A number on a line, with the currency or the percent sign that stands beside it."""

    words: tuple[Word, ...]
    number: Number

    @property
    def left(self) -> float:
        return self.words[0].left

    @property
    def right(self) -> float:
        return self.words[-1].right


def decimal_mark(lines: Iterable[Line]) -> str:
    """What most amounts of the document have before their last two digits."""
    votes: Counter[str] = Counter()
    for line in lines:
        votes.update(_DECIMAL_MARK.findall(line.text))
    return votes.most_common(1)[0][0] if votes else "."


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
    digits = re.sub(r"['’]", "", digits)
    whole, fraction = digits, ""
    last = max(digits.rfind("."), digits.rfind(","))
    if last >= 0 and not _groups(digits, last, mark):
        whole, fraction = digits[:last], digits[last + 1 :]
    whole = re.sub(r"[.,]", "", whole) or "0"
    return Decimal(f"{whole}.{fraction}" if fraction else whole), len(fraction)


def _groups(digits: str, last: int, mark: str) -> bool:
    """Whether the last mark parts thousands, not decimals."""
    if len(digits) - last - 1 != _THOUSAND:
        return False
    kinds = {one for one in digits if one in ".,"}
    if len(kinds) > 1:
        return False
    return digits.count(digits[last]) > 1 or (digits[last] != mark and digits[0] != "0")


def tokens_of(line: Line, mark: str) -> list[Token]:
    words = list(line.words)
    found: list[Token] = []
    at = 0
    while at < len(words):
        token, used = _token_at(words, at, mark)
        if token is not None:
            found.append(token)
        at += used
    return found


def _token_at(words: Sequence[Word], at: int, mark: str) -> tuple[Token | None, int]:
    """The longest run of words from here that is one number."""
    best: tuple[Token | None, int] = (None, 1)
    text = ""
    for end in range(at, min(at + 6, len(words))):
        if end > at and not _belongs(words[end - 1], words[end], text):
            break
        text += words[end].text
        number = number_of(text, mark)
        if number is not None:
            best = (Token(tuple(words[at : end + 1]), number), end + 1 - at)
    return best


def _belongs(before: Word, word: Word, text: str) -> bool:
    gap = word.left - before.right
    width = max(before.char_width, word.char_width)
    if gap > 2 * JOINED_CHARS * width:
        return False
    if _ALONE.fullmatch(word.text) or _ALONE.fullmatch(text) or _SIGN.fullmatch(text):
        return not (_SIGN.fullmatch(text) and gap > JOINED_CHARS * width)
    bare = re.sub(rf"^[-−–+]?(?:{_CURRENCY})?", "", text)
    grouped = _GROUP.fullmatch(bare[-3:]) and (len(bare) <= _THOUSAND or bare.isdigit())
    return bool(grouped and gap < GROUPED_CHARS * width and _REST.fullmatch(word.text))


def is_money_sign(text: str) -> bool:
    return bool(_ALONE.fullmatch(text)) or fold(text) in ("euro", "euros")

"""Numbers as the cells of a table print them: quantities, prices, rates, and their signs.

A cell may hold less than an amount of money does (`3`, `1.000`, `3,3333`), so the text alone
cannot say which mark is the decimal one: the amounts of the whole document vote on that.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from services.extractor.domain.words import Line, fold
from shared.pages.words import Word
from shared.values.numbers import CURRENCY, THOUSAND, Number, number_of

_ALONE = re.compile(rf"{CURRENCY}|%")
_SIGN = re.compile(r"[-−–+]")
_GROUP = re.compile(r"\d{1,3}")
_REST = re.compile(r"(?:\d{3}[.'’]?)*\d{3}(?:[.,]\d{1,4})?[-−–]?(?:[€$£%])?")
_AFFIX = re.compile(rf"^[-−–+]?(?:{CURRENCY})?[-−–+]?")
# Parts of one number stand closer than a space and a half; two columns never do.
JOINED_CHARS = 1.6
GROUPED_CHARS = 1.2


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
    bare = _AFFIX.sub("", text)
    grouped = _GROUP.fullmatch(bare[-3:]) and (len(bare) <= THOUSAND or bare.isdigit())
    return bool(grouped and gap < GROUPED_CHARS * width and _REST.fullmatch(word.text))


def is_money_sign(text: str) -> bool:
    return bool(_ALONE.fullmatch(text)) or fold(text) in ("euro", "euros")

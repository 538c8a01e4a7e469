"""Dates as they are printed, in figures and in the month names of six languages.

05.03.2018 is never the third of May; 05/03/2018 may be, on an American invoice only. What
decides is the whole document: a date that can be read one way only, then its currency.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date

from shared.values.folding import fold

_MONTHS = (
    ("jan", "ene", "gen", "janv"),
    ("feb", "fev", "febr"),
    ("mar", "mrz", "maa", "mrt"),
    ("apr", "avr", "abr"),
    ("may", "mai", "mei", "mag"),
    ("jun", "juin", "giu"),
    ("jul", "juil", "lug"),
    ("aug", "aou", "ago"),
    ("sep", "set", "sept"),
    ("oct", "okt", "ott", "out"),
    ("nov",),
    ("dec", "dez", "dic"),
)
_MONTH_OF = {name: number for number, names in enumerate(_MONTHS, 1) for name in names}
_NAMES = "|".join(sorted(_MONTH_OF, key=len, reverse=True))
_MONTH_WORD = rf"(?P<month>(?:{_NAMES})[a-z]*)\.?"
_YEAR = r"(?P<y>(?:19|20)\d{2}|['’]?\d{2})(?!\d|[.,:/]\d)"
_ISO = re.compile(
    r"(?<![\d.-])(?P<y>(?:19|"
    r"20)\d{2})(?P<s>[-/.])\s?(?P<m>\d{1,2})(?P=s)\s?(?P<d>\d{1,2})(?![\d-])"
)
_FIGURES = re.compile(
    r"(?<![\d./-])(?P<a>\d{1,2})\s?(?P<s>[./-])\s?(?P<b>\d{1,2})\s?(?P=s)\s?"
    r"(?P<y>\d{4}|\d{2})(?![\d/]|[.,-]\d)"
)
_DAY_FIRST = re.compile(
    rf"(?<![\d.,/])(?P<d>\d{{1,2}})(?:st|nd|rd|th|er|\.|º|°|o)?[ -]{{0,2}}(?:de |"
    rf"of )?{_MONTH_WORD},?"
    rf"[ /-]{{1,2}}(?:de |del )?{_YEAR}"
)
_MONTH_FIRST = re.compile(
    rf"(?<![a-z]){_MONTH_WORD}[ -](?P<d>\d{{1,2}})(?:st|nd|rd|th)? ?,?[ -](?P<y>(?:19|"
    rf"20)\d{{2}})(?!\d)"
)
_YEAR_FIRST = re.compile(
    rf"(?<![\d-])(?P<y>(?:19|20)\d{{2}})[ -]{_MONTH_WORD}[ -](?P<d>\d{{1,2}})(?!\d)"
)
_HINT = re.compile(r"\d[\d.,]{0,12}\D{0,20}[./ -]['’]?\d\d")
_YEARS = range(1990, 2100)


@dataclass(frozen=True, slots=True)
class FoundDate:
    value: date
    start: int
    end: int


def dates_in(text: str, *, month_first: bool) -> Iterator[FoundDate]:
    if not _HINT.search(text):
        return
    folded = fold(text)
    taken: list[tuple[int, int]] = []
    for pattern in (_ISO, _DAY_FIRST, _MONTH_FIRST, _YEAR_FIRST, _FIGURES):
        for match in pattern.finditer(folded):
            start, end = match.span()
            value = _value(match, month_first=month_first)
            if value is not None and not any(a < end and start < b for a, b in taken):
                taken.append((start, end))
                yield FoundDate(value, start, end)


def month_comes_first(texts: Iterable[str], *, likely: bool) -> bool:
    """Counts dates that can be read one way only; `likely` decides when there is none."""
    votes = 0
    for text in texts:
        for match in _FIGURES.finditer(text):
            first, second = int(match["a"]), int(match["b"])
            if match["s"] != "." and (first > 12) != (second > 12):  # noqa: PLR2004 -- months
                votes += 1 if second > first else -1
    return votes > 0 if votes else likely


def _value(match: re.Match[str], *, month_first: bool) -> date | None:
    parts = match.groupdict()
    year = int(parts["y"].strip("'’"))
    year += 2000 if year < 100 else 0  # noqa: PLR2004 -- two digits
    if "month" in parts:
        day, month = int(parts["d"]), _month(parts["month"])
    elif "a" in parts:
        day, month = int(parts["a"]), int(parts["b"])
        if month_first and parts["s"] != ".":
            day, month = month, day
    else:
        day, month = int(parts["d"]), int(parts["m"])
    try:
        value = date(year, month, day)
    except ValueError:
        return None
    return value if value.year in _YEARS else None


def _month(word: str) -> int:
    # French July and June share three letters, so the longer name is asked first.
    return _MONTH_OF.get(word[:4]) or _MONTH_OF[word[:3]]

"""Dates as they are printed, in figures and in the month names of six languages.

05.03.2018 is never the third of May; 05/03/2018 may be, on an American invoice only. What
decides is the whole document: a date that can be read one way only, then its currency.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date

from services.extractor.domain.words import fold

_MONTHS = (
    ("jan", "ene", "gen"),
    ("feb", "fev"),
    ("mar", "mrz"),
    ("apr", "avr", "abr"),
    ("may", "mai", "mei", "mag"),
    ("jun", "juin", "giu"),
    ("jul", "juil", "lug"),
    ("aug", "aou", "ago"),
    ("sep", "set"),
    ("oct", "okt", "ott"),
    ("nov",),
    ("dec", "dez", "dic"),
)
_MONTH_OF = {name: number for number, names in enumerate(_MONTHS, 1) for name in names}
_MONTH_WORD = rf"(?P<month>(?:{'|'.join(_MONTH_OF)})[a-z]*)\.?"
_ISO = re.compile(r"(?<!\d)(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?!\d)")
_FIGURES = re.compile(
    r"(?<![\d.])(?P<a>\d{1,2})(?P<s>[./-]) ?(?P<b>\d{1,2})(?P=s) ?"
    r"(?P<y>\d{4}|\d{2})(?![\d])"
)
_DAY_FIRST = re.compile(
    rf"(?<!\d)(?P<d>\d{{1,2}})(?:st|nd|rd|th|er|\.)?[ -](?:de )?{_MONTH_WORD},?[ -](?:de )?"
    r"(?P<y>\d{4})"
)
_MONTH_FIRST = re.compile(
    rf"(?<![a-z]){_MONTH_WORD} (?P<d>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<y>\d{{4}})(?!\d)"
)
_YEARS = range(2000, 2100)


@dataclass(frozen=True, slots=True)
class FoundDate:
    value: date
    start: int
    end: int


def dates_in(text: str, *, month_first: bool) -> Iterator[FoundDate]:
    folded = fold(text)
    for pattern in (_ISO, _DAY_FIRST, _MONTH_FIRST, _FIGURES):
        for match in pattern.finditer(folded):
            value = _value(match, month_first=month_first)
            if value is not None:
                yield FoundDate(value, match.start(), match.end())


def month_comes_first(texts: Iterable[str], *, likely: bool) -> bool:
    """Counts dates that can be read one way only; `likely` decides when there is none."""
    votes = 0
    for text in texts:
        for match in _FIGURES.finditer(text):
            first, second = int(match["a"]), int(match["b"])
            if match["s"] == "/" and (first > 12) != (second > 12):  # noqa: PLR2004 -- months
                votes += 1 if second > first else -1
    return votes > 0 if votes else likely


def _value(match: re.Match[str], *, month_first: bool) -> date | None:
    parts = match.groupdict()
    year = int(parts["y"]) + (2000 if len(parts["y"]) == 2 else 0)  # noqa: PLR2004 -- digits
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

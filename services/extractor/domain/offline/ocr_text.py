"""What a recogniser says of a line, as the words that were printed there.

It was trained on the world's scripts: it writes wide forms where the page has none, leaves out
spaces that it saw as gaps, and takes a letter for a figure. Characters are only changed where
everything around them says that they must be something else.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

# A jump along the line of more than so many characters is a gap that was not written down.
GAP_CHARS = 2.6
_FIGURES = str.maketrans("OoQDlI|iSsBZ", "000011115582")
# Of a date, an amount or a number of one: two figures at least, and nothing else but these.
_ALMOST_AMOUNT = re.compile(
    r"(?P<before>[-+(€$£]?)(?P<number>[\dOolI|SB]{1,3}(?:[.,'][\dOolI|SB]{3})*"
    r"[.,][\dOolI|SB]{2})(?P<after>[)€$£%]?)"
)
_ALMOST_DATE = re.compile(r"[\dOolI|]{1,2}([./-])[\dOolI|]{1,2}\1(?:[\dOolI|]{4}|[\dOolI|]{2})")
_TWINS = {"。": ".", "、": ",", "–": "-", "—": "-", "−": "-", "×": "x", "\u2032": "'"}
# 1,234 .56 and 9.0 0, where no other two numbers can be meant.
_SPACE_IN_AN_AMOUNT = re.compile(r"(?<=\d) (?=[.,]\d\d(?!\S))|(?<=\d[.,]\d) (?=\d(?!\S))")
_LABEL_AND_VALUE = re.compile(r"(?<=[^\W\d_][:;])(?=[^\s/\\:;])")


@dataclass(frozen=True, slots=True)
class Letters:
    """A line's characters, where along it the middle of each stands in 0..1, and how sure."""

    text: str
    places: tuple[float, ...]
    sure: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """A word of a line, from where to where along it."""

    text: str
    start: float
    end: float
    sure: float


def pieces_of(line: Letters) -> Iterator[Piece]:
    width = _width_of_a_character(line)
    for start, end in _stretches(line, width):
        text = repaired(line.text[start:end].replace(" ", ""))
        if text:
            yield Piece(
                text,
                max(0.0, line.places[start] - width / 2),
                min(1.0, line.places[end - 1] + width / 2),
                min(line.sure[start:end]),
            )


def repaired(word: str) -> str:
    """Wide forms made plain, and figures where only figures can stand."""
    plain = "".join(map(_plain, word))
    amount = _ALMOST_AMOUNT.fullmatch(plain)
    if amount and _mostly_figures(amount["number"]):
        return amount["before"] + amount["number"].translate(_FIGURES) + amount["after"]
    if _ALMOST_DATE.fullmatch(plain) and _mostly_figures(plain):
        return plain.translate(_FIGURES)
    return plain


def _plain(character: str) -> str:
    """Characters of a Chinese page have twins on a Western one."""
    twin = _TWINS.get(character)
    if twin is not None:
        return twin
    if unicodedata.east_asian_width(character) in "FW":
        return unicodedata.normalize("NFKC", character)
    return character


def _mostly_figures(text: str) -> bool:
    figures = sum(map(str.isdigit, text))
    return figures > sum(map(str.isalpha, text)) + text.count("|")


def _width_of_a_character(line: Letters) -> float:
    """Typical, so that wide gaps and narrow letters do not count."""
    steps = sorted(
        after - before
        for before, after in zip(line.places, line.places[1:], strict=False)
        if after > before
    )
    return steps[len(steps) // 2] if steps else 1 / max(1, len(line.text))


def _stretches(line: Letters, width: float) -> Iterator[tuple[int, int]]:
    cuts = {match.start() for match in _LABEL_AND_VALUE.finditer(line.text)}
    inside = {match.start() for match in _SPACE_IN_AN_AMOUNT.finditer(line.text)}
    start: int | None = None
    for at, character in enumerate(line.text):
        if at in inside:
            continue
        begins = start is None or at in cuts or _gap(line.places, at) > GAP_CHARS * width
        if start is not None and (character.isspace() or begins):
            yield start, at
            start = None
        if start is None and not character.isspace():
            start = at
    if start is not None:
        yield start, len(line.text)


def _gap(places: Sequence[float], at: int) -> float:
    return places[at] - places[at - 1] if at else 0.0

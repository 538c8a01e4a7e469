"""A page as words with boxes, and the lines that a person would see in them.

A PDF stores words in the order of its author's program, not of the eye, so every rule works
on geometry. Boxes are in 0..1 of the displayed page from its top left: one convention for a
text layer and for an OCR, on upright and on rotated pages.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import median

Box = tuple[float, float, float, float]

# A gap wider than this many characters separates two columns; a space never is.
COLUMN_GAP_CHARS = 2.0
# No space is narrower: what is apart by less is one word, drawn in two pieces.
KERNED_CHARS = 0.24
COLUMN = "\t"


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    page: int
    left: float
    top: float
    right: float
    bottom: float
    # What the recogniser thinks of it. A text layer is always sure, if not always right.
    sure: float = 1.0

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2

    @property
    def char_width(self) -> float:
        return (self.right - self.left) / max(1, len(self.text))


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a line: what it says and where."""

    text: str
    page: int
    box: Box

    def shares_column_with(self, other: "Span") -> bool:
        (left, _, right, _), (other_left, _, other_right, _) = self.box, other.box
        return left < other_right and other_left < right


@dataclass(frozen=True, slots=True)
class Line:
    """Words side by side. `folded` has the length of `text`, so a match in one is in both."""

    words: tuple[Word, ...]
    text: str
    folded: str
    starts: tuple[int, ...]

    @property
    def page(self) -> int:
        return self.words[0].page

    @property
    def top(self) -> float:
        return min(word.top for word in self.words)

    @property
    def height(self) -> float:
        return median(word.height for word in self.words)

    def span(self, start: int, end: int) -> Span:
        """The words that a stretch of the text touches."""
        touched = [
            word
            for at, word in zip(self.starts, self.words, strict=True)
            if at < end and at + len(word.text) > start
        ]
        return Span(self.text[start:end].strip(), self.page, _box_of(touched or self.words))

    def phrases(self) -> list[Span]:
        """What stands in one column of the line."""
        found, at = [], 0
        for piece in self.text.split(COLUMN):
            if piece.strip():
                found.append(self.span(at, at + len(piece)))
            at += len(piece) + 1
        return found


def lines_of(words: Iterable[Word]) -> list[Line]:
    """Top to bottom, page by page."""
    rows: list[list[Word]] = []
    for word in sorted(words, key=lambda one: (one.page, one.middle, one.left)):
        if rows and _on_the_row(rows[-1][0], word):
            rows[-1].append(word)
        else:
            rows.append([word])
    return [_line(sorted(row, key=lambda one: one.left)) for row in rows]


def fold(text: str) -> str:
    """Lower case without accents, character by character: the length stays."""
    return "".join(map(_fold_character, text))


@cache
def _fold_character(character: str) -> str:
    return unicodedata.normalize("NFKD", character)[0].lower()[:1] or character


def _on_the_row(first: Word, word: Word) -> bool:
    if first.page != word.page:
        return False
    return abs(first.middle - word.middle) < 0.5 * min(first.height, word.height)


def _line(words: Sequence[Word]) -> Line:
    text, starts = "", []
    for before, word in zip((None, *words), words, strict=False):
        if before is not None:
            text += _between(before, word)
        starts.append(len(text))
        text += word.text
    return Line(tuple(words), text, fold(text), tuple(starts))


def _between(before: Word, word: Word) -> str:
    gap = word.left - before.right
    width = max(before.char_width, word.char_width)
    if gap < KERNED_CHARS * width and before.text[-1].islower() and word.text[0].islower():
        return ""
    return COLUMN if gap > COLUMN_GAP_CHARS * width else " "


def _box_of(words: Sequence[Word]) -> Box:
    return (
        min(word.left for word in words),
        min(word.top for word in words),
        max(word.right for word in words),
        max(word.bottom for word in words),
    )

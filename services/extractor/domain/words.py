"""The lines that a person would see in the words of a page.

A PDF stores words in the order of its author's program, not of the eye, so every rule works
on geometry.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from shared.invoice.fields import Box, Span
from shared.pages.words import Word
from shared.values.folding import fold

__all__ = ["COLUMN", "Line", "Span", "fold", "lines_of", "span_of"]

# A gap wider than this many characters separates two columns; a space never is.
COLUMN_GAP_CHARS = 2.0
# No space is narrower: what is apart by less is one word, drawn in two pieces.
KERNED_CHARS = 0.24
COLUMN = "\t"


@dataclass(frozen=True)
class Line:
    """Words side by side. `folded` has the length of `text`, so a match in one is in both.

    Without slots: every rule asks the same lines again, and each answer is worked out once.
    """

    words: tuple[Word, ...]
    text: str
    folded: str
    starts: tuple[int, ...]

    @property
    def page(self) -> int:
        return self.words[0].page

    @cached_property
    def top(self) -> float:
        return min(word.top for word in self.words)

    @cached_property
    def height(self) -> float:
        return median(word.height for word in self.words)

    def span(self, start: int, end: int) -> Span:
        """The words that a stretch of the text touches."""
        if (start, end) not in self._spans:
            touched = [
                word
                for at, word in zip(self.starts, self.words, strict=True)
                if at < end and at + len(word.text) > start
            ]
            box = _box_of(touched or self.words)
            self._spans[start, end] = Span(self.text[start:end].strip(), self.page, box)
        return self._spans[start, end]

    @cached_property
    def phrases(self) -> tuple[Span, ...]:
        """What stands in one column of the line."""
        found, at = [], 0
        for piece in self.text.split(COLUMN):
            if piece.strip():
                found.append(self.span(at, at + len(piece)))
            at += len(piece) + 1
        return tuple(found)

    @cached_property
    def _spans(self) -> dict[tuple[int, int], Span]:
        return {}


def span_of(words: Sequence[Word]) -> Span:
    """What they say, and where. Over two pages it is where it begins."""
    page = words[0].page
    here = [word for word in words if word.page == page]
    return Span(" ".join(word.text for word in words), page, _box_of(here))


def lines_of(words: Iterable[Word]) -> list[Line]:
    """Top to bottom, page by page."""
    rows: list[list[Word]] = []
    for word in sorted(words, key=lambda one: (one.page, one.middle, one.left)):
        if rows and _on_the_row(rows[-1][0], word):
            rows[-1].append(word)
        else:
            rows.append([word])
    return [_line(sorted(row, key=lambda one: one.left)) for row in rows]


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
    if len(words) == 1:
        [only] = words
        return only.left, only.top, only.right, only.bottom
    return (
        min(word.left for word in words),
        min(word.top for word in words),
        max(word.right for word in words),
        max(word.bottom for word in words),
    )

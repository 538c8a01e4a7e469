"""Whether a value stands on the page, and where: what was read elsewhere held against it.

An amount may be printed in any convention and a date in any order, so both are looked up by
what they mean. Everything else is looked up by its letters and figures, across spaces.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from services.extractor.domain.trust.sameness import as_decimal, letters_and_figures
from services.extractor.domain.words import Line, Span, lines_of
from shared.invoice.paths import Kind
from shared.pages.words import Word
from shared.values.amounts import amounts_in
from shared.values.dates import dates_in

# Fewer characters than these are found everywhere.
CHARS_MIN = 3


@dataclass(frozen=True, slots=True)
class Printed:
    """What can be found on the pages of a document."""

    lines: Sequence[Line]
    amounts: Mapping[Decimal, Span]
    dates: Mapping[str, Span]

    @classmethod
    def on(cls, words: Sequence[Word]) -> "Printed":
        lines = lines_of(words)
        return cls(lines, dict(_amounts(lines)), dict(_dates(lines)))

    def find(self, kind: Kind | None, value: str) -> Span | None:
        if kind in ("money", "number"):
            amount = as_decimal(value)
            return None if amount is None else self.amounts.get(abs(amount))
        if kind == "date":
            return self.dates.get(value)
        return self._find_text(letters_and_figures(value))

    def _find_text(self, wanted: str) -> Span | None:
        if len(wanted) < CHARS_MIN:
            return None
        for line in self.lines:
            bare = [letters_and_figures(word.text) for word in line.words]
            at = "".join(bare).find(wanted)
            if at >= 0:
                return _of_characters(line, bare, at, at + len(wanted))
        return None


def _of_characters(line: Line, bare: Sequence[str], start: int, end: int) -> Span:
    """The words that hold these characters of the line without anything between."""
    at, first, last = 0, None, 0
    for place, text in enumerate(bare):
        if text and at < end and at + len(text) > start:
            first, last = (place if first is None else first), place
        at += len(text)
    assert first is not None  # noqa: S101 -- the characters were found in these words
    finish = line.starts[last] + len(line.words[last].text)
    return line.span(line.starts[first], finish)


def _amounts(lines: Sequence[Line]) -> Iterator[tuple[Decimal, Span]]:
    for line in lines:
        for one in amounts_in(line.text):
            yield abs(one.value), line.span(one.start, one.end)


def _dates(lines: Sequence[Line]) -> Iterator[tuple[str, Span]]:
    for line in lines:
        for month_first in (True, False):
            for one in dates_in(line.text, month_first=month_first):
                found: date = one.value
                yield found.isoformat(), line.span(one.start, one.end)

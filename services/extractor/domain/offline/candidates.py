"""Values that stand where a label points: to its right, or below it in its column.

A candidate carries a score, how well label and place speak for it; what is chosen in the end
is up to the field, because amounts also have to add up.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from services.extractor.domain.offline.labels import Label
from services.extractor.domain.words import Line, Span

V = TypeVar("V")

# A value below its label is near: further down stands somebody else's.
LINES_BELOW = 3
BELOW_GAP_HEIGHTS = 4.5
BELOW_FACTOR = 0.9
# Each further value to the right of a label is a little less likely to be its own.
NEXT_FACTOR = 0.92


@dataclass(frozen=True, slots=True)
class Hit(Generic[V]):
    """A value found in a text, and where."""

    value: V
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Candidate(Generic[V]):
    value: V
    score: float
    span: Span


Find = Callable[[str], Iterator[Hit[V]]]


def labelled(
    lines: Sequence[Line], labels: Sequence[Label], find: Find[V]
) -> list[Candidate[V]]:
    """Best first; of equal ones the first on the page."""
    found: list[Candidate[V]] = []
    for at, line in enumerate(lines):
        for label in labels:
            for match in label.pattern.finditer(line.folded):
                found += _right_of(line, match.end(), label.strength, find)
                where = line.span(match.start(), match.end())
                found += _below(lines[at + 1 :], line, where, label.strength, find)
    return sorted(found, key=lambda one: -one.score)


def _right_of(line: Line, start: int, strength: float, find: Find[V]) -> Iterator[Candidate[V]]:
    rest = line.text[start:]
    for place, hit in enumerate(sorted(find(rest), key=lambda one: one.start)):
        between = rest[: hit.start].strip(" \t:.#-–()")
        score = strength * NEXT_FACTOR**place * (0.95 if between and not place else 1)
        yield Candidate(hit.value, score, line.span(start + hit.start, start + hit.end))


def _below(
    lines: Sequence[Line], line: Line, label: Span, strength: float, find: Find[V]
) -> Iterator[Candidate[V]]:
    for seen, below in enumerate(lines[:LINES_BELOW]):
        gap = below.top - (line.top + line.height)
        if below.page != line.page or gap > BELOW_GAP_HEIGHTS * line.height:
            return
        for hit in find(below.text):
            span = below.span(hit.start, hit.end)
            if span.shares_column_with(label):
                yield Candidate(hit.value, strength * BELOW_FACTOR * 0.93**seen, span)

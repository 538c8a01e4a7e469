"""Values that stand where a label points: to its right, or below it in its column.

A value belongs to the nearest label that could own it: what stands behind `Order no.` is never
the number of the invoice, however near that label is. A candidate carries how well label and
place speak for it; what is chosen in the end is up to the field, because amounts also have to
add up.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from services.extractor.domain.offline.phrases import Tag
from services.extractor.domain.offline.sheet import Hit, Sheet
from services.extractor.domain.words import COLUMN, Line, Span

V = TypeVar("V")

# A value below its label is near: further down stands somebody else's.
LINES_BELOW = 3
BELOW_GAP_HEIGHTS = 4.5
BELOW_FACTOR = 0.9
FURTHER_DOWN_FACTOR = 0.93
# Between label and value there is a colon, seldom words, and never a sentence.
FEW_LETTERS, MANY_LETTERS = 12, 40


@dataclass(frozen=True, slots=True)
class Candidate(Generic[V]):
    value: V
    score: float
    span: Span
    # How telling its label was, and which line it stands on.
    label: float = 0.0
    at: int = -1


@dataclass(frozen=True, slots=True)
class Search(Generic[V]):
    """What is looked for: all values of a type, and the kinds of labels that could own one."""

    hits: Sequence[Sequence[Hit[V]]]
    rivals: frozenset[str]
    # What stands behind another label may still be it (a row of sums), or may not.
    owned_factor: float = 0.0
    # How likely each further value to the right is.
    next_factor: float = 0.6


def labelled(sheet: Sheet, kind: str, search: Search[V]) -> list[Candidate[V]]:
    """Best first; of equal ones the first on the page."""
    found: list[Candidate[V]] = []
    for at, tag in sheet.tagged.get(kind, ()):
        beside = list(_right_of(sheet, at, tag, search))
        found += beside
        if not any(one.score >= tag.strength for one in beside):
            found += _below(sheet, at, tag, search)
    return sorted(found, key=lambda one: -one.score)


def _right_of(sheet: Sheet, at: int, tag: Tag, search: Search[V]) -> Iterator[Candidate[V]]:
    line, factor = sheet.lines[at], 1.0
    for hit in search.hits[at]:
        if hit.start < tag.end:
            continue
        owner = _owner(sheet.tags[at], hit, search.rivals)
        own = 1.0 if owner is None or owner.start <= tag.start else search.owned_factor
        if own:
            score = tag.strength * factor * own * _nearness(line.text[tag.end : hit.start])
            span = line.span(hit.start, hit.end)
            yield Candidate(hit.value, score, span, tag.strength, at)
        factor *= search.next_factor


def _owner(tags: Sequence[Tag], hit: Hit[V], rivals: frozenset[str]) -> Tag | None:
    for at in range(bisect_right(tags, hit.start, key=_end) - 1, -1, -1):
        if tags[at].kind in rivals:
            return tags[at]
    return None


def _end(tag: Tag) -> int:
    return tag.end


def _nearness(between: str) -> float:
    letters = sum(map(str.isalnum, between))
    cells = max(0, between.count(COLUMN) - 1)
    words = 1.0
    if letters > MANY_LETTERS:
        words = 0.6
    elif letters > FEW_LETTERS:
        words = 0.85
    elif letters:
        words = 0.95
    return words * 0.97**cells


def _below(sheet: Sheet, at: int, tag: Tag, search: Search[V]) -> Iterator[Candidate[V]]:
    line = sheet.lines[at]
    label = line.span(tag.start, tag.end)
    for seen, place in enumerate(range(at + 1, min(at + 1 + LINES_BELOW, len(sheet.lines)))):
        below = sheet.lines[place]
        gap = below.top - (line.top + line.height)
        if below.page != line.page or gap > BELOW_GAP_HEIGHTS * line.height:
            return
        for hit in search.hits[place]:
            span = below.span(hit.start, hit.end)
            owner = _owner(sheet.tags[place], hit, search.rivals)
            if not span.shares_column_with(label) or _in_one_cell(below, owner, hit):
                continue
            score = tag.strength * BELOW_FACTOR * FURTHER_DOWN_FACTOR**seen
            yield Candidate(hit.value, score, span, tag.strength, place)
        if _has_a_label_there(sheet, place, label, search.rivals):
            return


def _in_one_cell(line: Line, owner: Tag | None, hit: Hit[V]) -> bool:
    return owner is not None and COLUMN not in line.text[owner.end : hit.start]


def _has_a_label_there(sheet: Sheet, at: int, label: Span, rivals: frozenset[str]) -> bool:
    line = sheet.lines[at]
    return any(
        tag.kind in rivals and line.span(tag.start, tag.end).shares_column_with(label)
        for tag in sheet.tags[at]
    )


def weighed(candidate: Candidate[V], factor: float) -> Candidate[V]:
    return replace(candidate, score=candidate.score * factor)


def signals_of(candidate: Candidate[V]) -> Mapping[str, float]:
    return {"label": round(candidate.label, 4), "place": round(candidate.score, 4)}

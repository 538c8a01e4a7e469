"""The columns of a table as its rows see them: wider than their labels, and where texts go.

A label stands over the left, the right or the middle of its column, so the box of a column is
only known once some rows were read.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median

from services.extractor.domain.offline.columns import TEXTS
from services.extractor.domain.offline.labels import parted
from services.extractor.domain.offline.numbers import Token
from services.extractor.domain.offline.tables import Column
from services.extractor.domain.words import Line, fold
from shared.pages.words import Word

# Parts of a cell stand closer than this, in characters.
CELL_GAP_CHARS = 1.3
# In widths of the page: what begins here begins where the column does.
STARTS = 0.006
ALIGNED = 0.008
SLACK = 0.008
_SUMS = (("amount",), ("gross",))


@dataclass(frozen=True, slots=True)
class Row:
    at: int
    line: Line
    # By the place of the column.
    numbers: Mapping[int, Token]
    texts: Mapping[int, tuple[Word, ...]]
    # All numbers of the line, those of no column among them.
    tokens: tuple[Token, ...] = ()
    # Left of all columns.
    margin: tuple[Word, ...] = ()

    @property
    def prints_a_sum(self) -> bool:
        return any(
            one.number.places or one.number.money
            for one in self.tokens
            if not one.number.percent
        )

    @property
    def labels(self) -> list[str]:
        """What stands before its numbers, phrase by phrase."""
        words = sorted((one for part in self.texts.values() for one in part), key=_left)
        phrases = parted(words, 2 * CELL_GAP_CHARS)
        return [" ".join(fold(word.text) for word in phrase) for phrase in phrases]


@dataclass(frozen=True)
class Grid:
    """The columns of a table as rows see them."""

    columns: tuple[Column, ...]
    # Whether its columns are as wide as what is printed in them, not only as their labels.
    refined: bool = False

    @cached_property
    def description(self) -> int:
        kinds = [column.roles[:1] for column in self.columns]
        if ("description",) in kinds:
            at = max(place for place, kind in enumerate(kinds) if kind == ("description",))
            named = [
                place
                for place, column in enumerate(self.columns)
                if column.roles == ("description",)
            ]
            return named[0] if named else at
        return next((at for at, one in enumerate(self.columns) if not one.roles), 0)

    @cached_property
    def amounts(self) -> tuple[int, ...]:
        """Where the sum of a row stands."""
        firsts = [at for at, one in enumerate(self.columns) if one.roles[:1] in _SUMS]
        others = [
            at for at, one in enumerate(self.columns) if {"amount", "gross"} & set(one.roles)
        ]
        return tuple(firsts or others[-1:])

    @cached_property
    def text_columns(self) -> tuple[int, ...]:
        return tuple(
            at
            for at, column in enumerate(self.columns)
            if at == self.description or (column.roles and column.roles[0] in TEXTS)
        )

    def until(self, at: int) -> float:
        """Where the next column begins."""
        return self.columns[at + 1].left if at + 1 < len(self.columns) else 1.0


def with_description(columns: Sequence[Column]) -> tuple[Column, ...]:
    """Where no label is that of the text, it stands in the widest gap between the labels."""
    if any(not column.roles or column.roles[0] == "description" for column in columns):
        return tuple(columns)
    edges = [0.0, *(column.right for column in columns)]
    gaps = [column.left - edge for column, edge in zip(columns, edges, strict=False)]
    at = gaps.index(max(gaps))
    text = Column(edges[at] + SLACK, columns[at].left - SLACK, ("description",))
    return (*columns[:at], text, *columns[at:])


def refined(grid: Grid, rows: Sequence[Row]) -> Grid:
    """With the columns as wide as what is printed in them, not only as their labels."""
    columns = []
    for at, column in enumerate(grid.columns):
        texts = [row.texts[at] for row in rows if row.numbers and at in row.texts]
        tokens = [row.numbers[at].words for row in rows if at in row.numbers]
        cells = texts if at in grid.text_columns and texts else tokens
        if cells and (at != grid.description or texts):
            left = min(column.left, median(cell[0].left for cell in cells))
            right = max(column.right, median(cell[-1].right for cell in cells))
            if at in grid.text_columns:
                right = column.right
            if at == grid.description:
                left = _usual_left(rows, at, column)
            columns.append(replace(column, left=left, right=right))
        else:
            columns.append(column)
        columns[-1] = _of_codes(columns[-1], texts)
    if grid.description == 0:
        columns[0] = replace(columns[0], left=_left_of_margin(rows, columns[0]))
    return Grid((*columns, *_unlabelled(rows, columns)), refined=True)


def _of_codes(column: Column, cells: Sequence[Sequence[Word]]) -> Column:
    """`Item no.` is a place in the list, unless letters stand under it."""
    lettered = [cell for cell in cells if any(map(str.isalpha, cell[0].text))]
    if column.roles[:2] != ("position", "code") or 2 * len(lettered) <= len(cells):
        return column
    return replace(column, roles=("code", *column.roles[2:]))


def _left_of_margin(rows: Sequence[Row], column: Column) -> float:
    """Left of all labels stands what is printed along the margin, or, beside most rows, a
    description whose label is centred over it."""
    full = [row for row in rows if len(row.numbers) > 1]
    lefts = [row.margin[0].left for row in full if row.margin]
    return min(column.left, *lefts) if 2 * len(lefts) > len(full) else column.left


def _usual_left(rows: Sequence[Row], at: int, column: Column) -> float:
    """Where texts begin beside more than a sum: a label may be centred over them."""
    lefts = [row.texts[at][0].left for row in rows if at in row.texts and len(row.numbers) > 1]
    places = Counter(round(left / STARTS) for left in lefts)
    if not places:
        return column.left
    most = max(places.values())
    usual = min(place for place, count in places.items() if count == most)
    return min(left for left in lefts if round(left / STARTS) == usual)


def _unlabelled(rows: Sequence[Row], columns: Sequence[Column]) -> list[Column]:
    """The sums to the right of all labels, where none of the labels is theirs."""
    if any(column.roles[:1] in _SUMS for column in columns):
        return []
    last = max(column.right for column in columns)
    beyond = [row.tokens[-1] for row in rows if row.tokens and row.tokens[-1].left > last]
    sums = [one for one in beyond if one.number.places and not one.number.percent]
    # Aligned to the right, as sums are.
    rest = max(
        ([one for one in sums if abs(one.right - other.right) < ALIGNED] for other in sums),
        key=len,
        default=[],
    )
    if not rest or 2 * len(rest) < sum(bool(row.numbers) for row in rows):
        return []
    left, right = min(one.left for one in rest), max(one.right for one in rest)
    return [Column(left, right, ("amount", "gross"))]


def _left(word: Word) -> float:
    return word.left

"""The lines under the head of a table, cell by cell, and which of them are summaries.

Numbers go to the column they are aligned with, all of a line at once, so that two never share
a column and none overtakes another. What is left over is text, and belongs to where it begins.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median

from services.extractor.domain.offline.columns import TEXTS
from services.extractor.domain.offline.numbers import Token, is_money_sign, tokens_of
from services.extractor.domain.offline.tables import Column, parted
from services.extractor.domain.words import Line, Word, fold

# Parts of a cell stand closer than this, in characters.
CELL_GAP_CHARS = 1.3
# In widths of the page: further from its label no number is its column's.
REACH = 0.07
INSIDE = 0.5
IN_THE_TEXT = 0.03
UNASSIGNED = 0.09
UNLIKELY = 0.05
SLACK = 0.008
UNIT_CHARS_MAX = 12
STARTS = 0.006
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


def row_of(line: Line, at: int, grid: Grid, mark: str) -> Row:
    tokens = tokens_of(line, mark)
    numbers = dict(_aligned(_standing_alone(line, tokens, grid), grid))
    taken = {id(word) for token in numbers.values() for word in token.words}
    texts: dict[int, tuple[Word, ...]] = {}
    margin: tuple[Word, ...] = ()
    for part in _by_column(_left_over(line, taken), grid):
        if all(is_money_sign(word.text) for word in part):
            continue
        if part[-1].right < grid.columns[0].left:
            margin = (*margin, *part)
            continue
        place = _text_column(part, grid, numbers)
        if place is not None:
            texts[place] = (*texts.get(place, ()), *part)
    # Left of all labels stands what is printed along the margin, or a description whose label
    # is centred over it.
    if margin and numbers and not set(texts) & set(grid.text_columns):
        texts[grid.description] = margin
    return Row(at, line, numbers, texts, tuple(tokens))


def _left_over(line: Line, taken: set[int]) -> Iterator[list[Word]]:
    run: list[Word] = []
    for word in line.words:
        if id(word) in taken:
            yield from parted(run, CELL_GAP_CHARS)
            run = []
        else:
            run.append(word)
    yield from parted(run, CELL_GAP_CHARS)


def _by_column(parts: Iterator[list[Word]], grid: Grid) -> Iterator[list[Word]]:
    """A long code may touch the description; where a column begins, it begins a new part."""
    lefts = [grid.columns[at].left for at in grid.text_columns]
    for part in parts:
        run: list[Word] = []
        for word in part:
            if run and any(abs(word.left - left) < STARTS for left in lefts):
                yield run
                run = []
            run.append(word)
        yield run


def _standing_alone(line: Line, tokens: Sequence[Token], grid: Grid) -> list[Token]:
    """Without those that are part of a phrase: `2` in `Hotel, 2 nights`."""
    starts = {id(token.words[0]): token for token in tokens}
    inside = {id(word) for token in tokens for word in token.words}
    alone: list[Token] = []
    for part in parted(line.words, CELL_GAP_CHARS):
        phrase = False
        for word in part:
            token = starts.get(id(word))
            if token is not None and (not phrase or _under_a_number(token, grid)):
                alone.append(token)
            phrase = phrase or (id(word) not in inside and not _is_unit(word.text))
    return alone


def _under_a_number(token: Token, grid: Grid) -> bool:
    return any(
        _overlap(token, column) > INSIDE * min(token.right - token.left, _width(column))
        for at, column in enumerate(grid.columns)
        if at not in grid.text_columns
    )


def _is_unit(text: str) -> bool:
    return is_money_sign(text) or (len(text) <= UNIT_CHARS_MAX // 3 and not text[0].isupper())


def _aligned(tokens: Sequence[Token], grid: Grid) -> Iterator[tuple[int, Token]]:
    """The cheapest way to give tokens to columns in their order."""
    width = len(grid.columns)
    best: list[tuple[float, tuple[tuple[int, Token], ...]]] = [(0.0, ())] * (width + 1)
    for token in tokens:
        following = [(best[0][0] + UNASSIGNED, best[0][1])]
        for at in range(width):
            cost, pairs = best[at]
            taken = (cost + _cost(token, at, grid), (*pairs, (at, token)))
            left_out = (best[at + 1][0] + UNASSIGNED, best[at + 1][1])
            following.append(min(following[at], taken, left_out, key=lambda one: one[0]))
        best = following
    in_order = min(best, key=lambda one: one[0])[1]
    yield from (pair for pair in in_order if pair[0] != grid.description)


def _cost(token: Token, at: int, grid: Grid) -> float:
    column = grid.columns[at]
    if at == grid.description:
        inside = column.left - SLACK <= token.left and token.right <= grid.until(at)
        return IN_THE_TEXT if inside else UNASSIGNED
    gap = max(column.left - token.right, token.left - column.right, 0.0)
    if gap > REACH:
        return 2 * UNASSIGNED
    middle = (token.left + token.right) / 2
    off = min(
        abs(token.left - column.left),
        abs(token.right - column.right),
        abs(middle - column.middle),
    )
    return (off if gap else off / 2) + gap + (0 if _may_stand(token, column) else UNLIKELY)


def _may_stand(token: Token, column: Column) -> bool:
    first = column.roles[0] if column.roles else "code"
    number = token.number
    if number.percent:
        return first in ("tax_rate", "discount")
    if number.money:
        return first in ("unit_price", "amount", "gross", "tax_amount", "discount", "tax_rate")
    if first in ("position", "code"):
        return not number.places
    if first in ("amount", "gross"):
        return number.places > 0 or not number.unit
    return first not in ("unit", "date", "description")


def _text_column(part: Sequence[Word], grid: Grid, numbers: Mapping[int, Token]) -> int | None:
    left, right = part[0].left, part[-1].right
    over = [
        at
        for at in grid.text_columns
        if grid.columns[at].left < right and left < grid.columns[at].right
    ]
    if over:
        return min(over, key=lambda at: (abs(grid.columns[at].left - left), at))
    before = [at for at, column in enumerate(grid.columns) if column.left <= left + SLACK]
    at = before[-1] if before else 0
    if at in grid.text_columns:
        return at
    first = min((token.left for token in numbers.values()), default=1.0)
    if left < first and not (numbers and _numeric_before(part, grid)):
        return grid.description
    return at if len("".join(word.text for word in part)) <= UNIT_CHARS_MAX else None


def _numeric_before(part: Sequence[Word], grid: Grid) -> bool:
    """To the right of a column of numbers no description begins."""
    return any(
        column.right < part[0].left
        for at, column in enumerate(grid.columns)
        if at not in grid.text_columns and at > grid.description
    )


def merged(row: Row, other: Row) -> Row:
    texts = dict(row.texts)
    for at, words in other.texts.items():
        texts[at] = (*texts.get(at, ()), *words)
    return replace(row, numbers={**row.numbers, **other.numbers}, texts=texts)


def refined(grid: Grid, rows: Sequence[Row]) -> Grid:
    """With the columns as wide as what is printed in them, not only as their labels."""
    columns = []
    for at, column in enumerate(grid.columns):
        texts = [row.texts[at] for row in rows if row.numbers and at in row.texts]
        tokens = [row.numbers[at].words for row in rows if at in row.numbers]
        cells = texts if at in grid.text_columns and texts else tokens
        if cells:
            left = min(column.left, median(cell[0].left for cell in cells))
            right = max(column.right, median(cell[-1].right for cell in cells))
            if at in grid.text_columns:
                right = column.right
            if at == grid.description:
                left = median(cell[0].left for cell in cells)
            columns.append(replace(column, left=left, right=right))
        else:
            columns.append(column)
    return Grid((*columns, *_unlabelled(rows, columns)))


def _unlabelled(rows: Sequence[Row], columns: Sequence[Column]) -> list[Column]:
    """The sums to the right of all labels, where none of the labels is theirs."""
    if any(column.roles[:1] in _SUMS for column in columns):
        return []
    last = max(column.right for column in columns)
    numbered = [row for row in rows if row.numbers]
    rest = [
        row.tokens[-1]
        for row in numbered
        if row.tokens[-1] not in row.numbers.values() and row.tokens[-1].left > last
    ]
    if 2 * len(rest) < len(numbered) or not rest:
        return []
    left, right = min(one.left for one in rest), max(one.right for one in rest)
    return [Column(left, right, ("amount", "gross"))]


def _overlap(token: Token, column: Column) -> float:
    return min(token.right, column.right) - max(token.left, column.left)


def _width(column: Column) -> float:
    return column.right - column.left


def _left(word: Word) -> float:
    return word.left

"""The lines under the head of a table, cell by cell.

Numbers go to the column they are aligned with, all of a line at once, so that two never share
a column and none overtakes another. What is left over is text, and belongs to where it begins.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from services.extractor.domain.offline.grid import CELL_GAP_CHARS, STARTS, Grid, Row
from services.extractor.domain.offline.labels import parted
from services.extractor.domain.offline.numbers import Token, is_money_sign
from services.extractor.domain.offline.tables import Column
from services.extractor.domain.words import Line
from shared.pages.words import Word

# In widths of the page: further from its label no number is its column's.
REACH = 0.07
INSIDE = 0.5
IN_THE_TEXT = 0.03
UNASSIGNED = 0.09
UNLIKELY = 0.05
SLACK = 0.008
UNIT_CHARS_MAX = 12
# A unit follows its quantity this closely.
UNIT_REACH = 0.02


def row_of(line: Line, at: int, grid: Grid, tokens: Sequence[Token]) -> Row:
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
        place = _text_column(part, grid, numbers, texts)
        if place is not None:
            texts[place] = (*texts.get(place, ()), *part)
    return Row(at, line, numbers, texts, tuple(tokens), margin)


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
    """A long code may touch the description: where that begins, a new part begins."""
    text = grid.columns[grid.description]
    for part in parts:
        cuts = [
            at
            for at, word in enumerate(part)
            if at and grid.refined and abs(word.left - text.left) < STARTS
        ]
        at = cuts[0] if cuts else len(part)
        yield from (some for some in (part[:at], part[at:]) if some)


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
            so_far, pairs = best[at]
            cost = _cost(token, at, grid)
            taken = (so_far + cost, (*pairs, (at, token)))
            # Any number of them may be part of the text.
            beside = cost if at == grid.description else UNASSIGNED
            left_out = (best[at + 1][0] + min(beside, UNASSIGNED), best[at + 1][1])
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


def _text_column(
    part: Sequence[Word],
    grid: Grid,
    numbers: Mapping[int, Token],
    texts: Mapping[int, tuple[Word, ...]],
) -> int | None:
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
    if at + 1 == grid.description and _begins_the_text(part, at, grid, numbers, texts):
        return grid.description
    if at in grid.text_columns:
        return at
    first = min((token.left for token in numbers.values()), default=1.0)
    if left < first and not (numbers and _numeric_before(part, grid)):
        return grid.description
    return at if len("".join(word.text for word in part)) <= UNIT_CHARS_MAX else None


def _begins_the_text(
    part: Sequence[Word],
    at: int,
    grid: Grid,
    numbers: Mapping[int, Token],
    texts: Mapping[int, tuple[Word, ...]],
) -> bool:
    """Before a label that stands over the middle or the right of the description."""
    if at in grid.text_columns:
        is_position = grid.columns[at].roles[:1] == ("position",)
        return at in numbers or at in texts or is_position
    token = numbers.get(at)
    if len(part) > 1 or token is None:
        return True
    return part[0].left - token.right > UNIT_REACH


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


def _overlap(token: Token, column: Column) -> float:
    return min(token.right, column.right) - max(token.left, column.left)


def _width(column: Column) -> float:
    return column.right - column.left

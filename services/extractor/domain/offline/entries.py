"""From the rows of a table to its entries: one thing sold each, with all lines of its text.

A line with a sum, or with a quantity and a price, starts an entry. What follows it closely and
begins where its text began is more of its text; a wider gap, an indent or `Key: value` is not.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from services.extractor.domain.offline.grid import Grid, Row, refined, with_description
from services.extractor.domain.offline.numbers import Token, tokens_of
from services.extractor.domain.offline.rows import merged, row_of
from services.extractor.domain.offline.summaries import is_extra, is_of_a_tax, summary_of
from services.extractor.domain.offline.tables import Head
from services.extractor.domain.words import Line, fold
from shared.pages.words import Word

# From top to top, in heights of a line.
SPLIT_PITCH = 1.5
TEXT_PITCH = 2.2
ABOVE_PITCH = 1.45
# Lines of one paragraph stand as far apart as its first two, give or take.
PITCH_GROWTH = 1.3
ALIGNED = 0.012
FULL = 2
# Enough to know the columns, and few enough not to reach the text under the table.
REFINING_ROWS = 8
PROSE_WORDS = 9

_BULLETS = ("-", "–", "•", "·", "*")
_ATTRIBUTE = re.compile(
    r"(?=[^:]{2,44}:)[^:]*(?:n(?:r|o|umber|umero|ummer)\b|n[°º]|serial|gtin|ean|sku|gln|isbn|"
    r"serie|charge|batch|lot\b|liefer|bestell|auftrag|order|origin|herkunft|zoll|tariff|"
    r"hs code|gewicht|weight|verpackung|packaging|period|zeitraum|zahler|kostenstelle|"
    r"date|datum|ref|code|garantie|warranty|note|preis|rabatt|dienst|color|farbe|size)"
)


@dataclass(frozen=True, slots=True)
class Entry:
    row: Row
    grid: Grid
    # The text, line by line.
    text: tuple[tuple[Word, ...], ...]
    # How many subtotals were printed before it.
    section: int = 0
    # A discount, a surcharge or shipping, with a sum only.
    extra: bool = False

    def number(self, at: int) -> Token | None:
        return self.row.numbers.get(at)


@dataclass(slots=True)
class _Reading:
    """What is known while going down the page."""

    grid: Grid
    entries: list[Entry] = field(default_factory=list)
    # Lines of text that belong to no entry yet.
    loose: list[Row] = field(default_factory=list)
    # Of those the ones right above the entry that was begun.
    above: list[tuple[Word, ...]] = field(default_factory=list)
    last: Row | None = None
    pitch: float | None = None
    section: int = 0


def entries_of(
    lines: Sequence[Line], head: Head, end: int, mark: str, repeated: frozenset[int]
) -> list[Entry]:
    places = [at for at in range(head.last + 1, end) if at not in repeated]
    grid = Grid(with_description(head.columns))
    numbers = {at: tokens_of(lines[at], mark) for at in places}
    first = places[:REFINING_ROWS]
    grid = refined(grid, [row_of(lines[at], at, grid, numbers[at]) for at in first])
    rows = [row_of(lines[at], at, grid, numbers[at]) for at in places]
    state = _Reading(grid)
    for row in _joined(rows, grid):
        if not _read(state, row):
            break
    _centre(state)
    return state.entries


def _joined(rows: Sequence[Row], grid: Grid) -> Iterator[Row]:
    """With the sum on the row of its quantity, where it is printed half a line lower."""
    held: Row | None = None
    for row in rows:
        if held is not None and _are_one(held, row, grid):
            held = merged(held, row)
            continue
        if held is not None:
            yield held
        held = row
    if held is not None:
        yield held


def _are_one(row: Row, below: Row, grid: Grid) -> bool:
    if row.line.page != below.line.page or not row.numbers or not below.numbers:
        return False
    if below.line.top - row.line.top > SPLIT_PITCH * row.line.height:
        return False
    sums = set(grid.amounts)
    kinds = [set(one.numbers) - set(grid.text_columns) for one in (row, below)]
    if kinds[0] & kinds[1]:
        return False
    return any(
        only <= sums and only and not other & sums and len(other) >= FULL
        for only, other in (kinds, kinds[::-1])
    )


def _read(state: _Reading, row: Row) -> bool:
    """False where the table ends."""
    kind = _kind(row, state.grid)
    if kind == "total":
        return False
    if kind == "subtotal":
        state.section += 1
    if kind in ("subtotal", "carried"):
        state.last = None
        state.loose.clear()
    elif kind == "entry":
        _begin(state, row)
    elif not _continue(state, row):
        state.loose.append(row)
    return True


def _kind(row: Row, grid: Grid) -> str:
    taxed = row.prints_a_sum and any(one.number.percent for one in row.tokens)
    if taxed and is_of_a_tax(row.labels[:1]):
        return "total"
    texts = set(grid.text_columns)
    numeric = set(row.numbers) - texts
    sums = numeric & set(grid.amounts)
    if len(numeric - sums) < FULL and row.prints_a_sum:
        summary = summary_of(row.labels)
        if summary is not None:
            return summary
    priced = [at for at in numeric if "unit_price" in grid.columns[at].roles]
    if len(numeric) <= FULL and any(label.endswith(":") for label in row.labels):
        return "text"
    if any(row.texts[at][-1].text.endswith(":") for at in set(row.texts) - texts):
        return "text"
    named = row.texts or len(numeric) > FULL
    if named and (sums or (priced and len(numeric) >= FULL)):
        return "entry"
    return "text"


def _begin(state: _Reading, row: Row) -> None:
    _centre(state)
    grid = state.grid
    own = row.texts.get(grid.description, ())
    text: list[tuple[Word, ...]] = list(_by_line(own))
    if grid.columns[grid.description].stacked:
        text = []
    elif not text:
        text = _above(state, row)
    else:
        state.above = _above(state, row)
    beside = set(row.numbers) - set(grid.text_columns) - set(grid.amounts)
    counted = [at for at in beside if not row.numbers[at].number.percent]
    extra = not counted and any(map(is_extra, row.labels))
    if extra:
        text = [tuple(word for words in row.texts.values() for word in words)]
    state.entries.append(Entry(row, grid, tuple(text), state.section, extra))
    state.loose.clear()
    state.last, state.pitch = row, None


def _centre(state: _Reading) -> None:
    """As many lines above the numbers as below them: the text is centred beside them."""
    above, state.above = state.above, []
    if above and len(above) == len(state.entries[-1].text) - 1:
        entry = state.entries[-1]
        if _aligned(entry, above[0]):
            state.entries[-1] = replace(entry, text=(*above, *entry.text))


def _by_line(words: Sequence[Word]) -> Iterator[tuple[Word, ...]]:
    """A row of two printed lines has its text on both."""
    line: list[Word] = []
    for word in words:
        if line and word.left < line[-1].left:
            yield tuple(line)
            line = []
        line.append(word)
    if line:
        yield tuple(line)


def _above(state: _Reading, row: Row) -> list[tuple[Word, ...]]:
    text: list[tuple[Word, ...]] = []
    below = row
    for loose in reversed(state.loose):
        words = loose.texts.get(state.grid.description)
        near = _gap(loose, below) < ABOVE_PITCH * max(loose.line.height, below.line.height)
        if not words or not near:
            break
        text.insert(0, words)
        below = loose
    return text


def _continue(state: _Reading, row: Row) -> bool:
    words = row.texts.get(state.grid.description)
    if (
        state.last is None
        or not state.entries
        or set(row.numbers) - set(state.grid.text_columns)
    ):
        return False
    gap = _gap(state.last, row)
    limit = TEXT_PITCH * max(state.last.line.height, row.line.height)
    if state.pitch is not None:
        limit = min(limit, PITCH_GROWTH * state.pitch)
    if gap > limit:
        state.last = None
        return False
    entry = state.entries[-1]
    if not words or not _aligned(entry, words):
        return bool(not words)
    state.last, state.pitch = row, state.pitch or gap
    # A text that begins with its number goes on with its name.
    if not _is_attribute(words) or (entry.text and _is_attribute(entry.text[0])):
        state.entries[-1] = replace(entry, text=(*entry.text, words))
    return True


def _gap(above: Row, row: Row) -> float:
    if above.line.page != row.line.page:
        return float("inf")
    return row.line.words[0].top - max(word.top for word in above.line.words)


def _aligned(entry: Entry, words: Sequence[Word]) -> bool:
    return not entry.text or abs(words[0].left - entry.text[0][0].left) < ALIGNED


def _is_attribute(words: Sequence[Word]) -> bool:
    """`Serial no: 4711` describes the piece that was sold, not what was sold."""
    if words[0].text in _BULLETS:
        return True
    return bool(_ATTRIBUTE.match(" ".join(fold(word.text) for word in words)))

"""Tables without a line of labels: sums under one another, with a text before them.

Nothing says what their columns are, so every number may be anything, and such a table counts
only when its rows sum up to a printed total or multiply.
"""

from collections.abc import Iterator, Sequence

from services.extractor.domain.offline.columns import Roles
from services.extractor.domain.offline.entries import Entry, entries_of
from services.extractor.domain.offline.grid import CELL_GAP_CHARS
from services.extractor.domain.offline.labels import parted
from services.extractor.domain.offline.numbers import Token, tokens_of
from services.extractor.domain.offline.summaries import summary_of
from services.extractor.domain.offline.tables import Column, Head
from services.extractor.domain.words import Line, fold

ANYTHING: Roles = ("quantity", "unit_price", "tax_rate", "discount")
ALIGNED = 0.008
# Between two rows of one table there is their text, and nothing else.
TEXT_LINES_MAX = 4
COLUMNS_MAX = 4
CENTS = 2

Sum = tuple[int, Token]


def entries_without_a_head(
    lines: Sequence[Line], mark: str, repeated: frozenset[int]
) -> Iterator[list[Entry]]:
    for run in _runs(lines, mark):
        first, last = run[0][0], run[-1][0]
        columns = _columns(lines, run, mark)
        if len(columns) > 1:
            head = Head(first - 1, first - 1, columns)
            yield entries_of(lines, head, last + 1, mark, repeated)


def _runs(lines: Sequence[Line], mark: str) -> Iterator[list[Sum]]:
    """Lines that end in an aligned sum, until a summary comes or other things stand between."""
    run: list[Sum] = []
    for at, line in enumerate(lines):
        sum_ = _sum_of(line, mark)
        if sum_ is None:
            continue
        summary = any(summary_of([phrase]) for phrase in _phrases(line))
        if run and (summary or not _goes_on(lines, run[-1], at, sum_)):
            yield run
            run = []
        if not summary:
            run.append((at, sum_))
    if run:
        yield run


def _sum_of(line: Line, mark: str) -> Token | None:
    tokens = tokens_of(line, mark)
    if not tokens or not any(word.text[:1].isalpha() for word in line.words):
        return None
    number = tokens[-1].number
    is_sum = not number.percent and (number.places == CENTS or number.money)
    # A sum in a sentence is none of a table.
    ends = tokens[-1].words[-1] in line.words[-2:] and len(_phrases(line)) > 1
    return tokens[-1] if is_sum and ends else None


def _goes_on(lines: Sequence[Line], before: Sum, at: int, sum_: Token) -> bool:
    return (
        abs(before[1].right - sum_.right) < ALIGNED
        and at - before[0] <= TEXT_LINES_MAX
        and lines[at].page == lines[before[0]].page
    )


def _phrases(line: Line) -> list[str]:
    return [
        " ".join(fold(word.text) for word in part)
        for part in parted(line.words, 2 * CELL_GAP_CHARS)
    ]


def _columns(lines: Sequence[Line], run: Sequence[Sum], mark: str) -> tuple[Column, ...]:
    sums = [token for _, token in run]
    taken = {id(token.words[0]) for token in sums}
    others = [
        token
        for at, _ in run
        for token in tokens_of(lines[at], mark)
        if id(token.words[0]) not in taken
    ]
    clusters = [some for some in _clusters(others) if 2 * len(some) >= len(run)][:COLUMNS_MAX]
    numeric = [_column(some, ANYTHING) for some in clusters]
    left = min(_text_left(lines[at]) for at, _ in run)
    text = Column(left, left, ("description",))
    columns = [text, *numeric, _column(sums, ("amount",))]
    return tuple(sorted(columns, key=lambda one: (one.left, one.right)))


def _clusters(tokens: Sequence[Token]) -> list[list[Token]]:
    clusters: list[list[Token]] = []
    for token in sorted(tokens, key=lambda one: one.right):
        if clusters and token.right - clusters[-1][-1].right < ALIGNED:
            clusters[-1].append(token)
        else:
            clusters.append([token])
    return clusters


def _column(tokens: Sequence[Token], roles: Roles) -> Column:
    return Column(
        min(token.left for token in tokens), max(token.right for token in tokens), roles
    )


def _text_left(line: Line) -> float:
    return next((word.left for word in line.words if word.text[:1].isalpha()), 1.0)

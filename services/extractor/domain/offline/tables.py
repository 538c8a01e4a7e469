"""Where a table of things sold begins, and where its columns are.

The head of a table is found by its labels, which may take several lines and stand above, on or
below one another. A column is known by the box of its label only: what is printed under it may
be aligned to the left, the right or the middle.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest

from services.extractor.domain.offline.columns import (
    Roles,
    names_a_table,
    narrows,
    roles_of,
)
from services.extractor.domain.words import Line, fold
from shared.pages.words import Word

# Labels stand closer together than columns of prose, and a space is half a character.
LABEL_GAP_CHARS = 1.2
LABEL_WORDS_MAX = 6
LABELS_MIN = 2
COLUMNS_MAX = 20
HEAD_LINES_AROUND = 4
# From top to top, in heights of a line: further away stands something else.
HEAD_PITCH = 1.75
# Of the space between two words: a wider one parts two labels, if they are two.
WIDE_SPACES = 1.4


@dataclass(frozen=True, slots=True)
class Column:
    left: float
    right: float
    roles: Roles
    # What the label says above and below: a code above a description in one column.
    stacked: tuple[Roles, ...] = ()

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2


@dataclass(frozen=True, slots=True)
class Head:
    """The labels of a table: from which line to which, and its columns from left to right."""

    first: int
    last: int
    columns: tuple[Column, ...]

    @property
    def of_items(self) -> bool:
        return len(self.columns) <= COLUMNS_MAX and names_a_table(
            [column.roles for column in self.columns]
        )


@dataclass(frozen=True, slots=True)
class Piece:
    text: str
    left: float
    right: float
    roles: Roles
    line: int


def heads(lines: Sequence[Line]) -> list[Head]:
    """From the first to the last, other tables among them: where they begin, this one ends.

    Where two would share a line, the one with more labels is.
    """
    space = _usual_space(lines)
    pieces = [_pieces(line, at, space) for at, line in enumerate(lines)]
    seeds = [at for at in range(len(lines)) if _may_be_a_head(pieces[at])]
    found: list[Head] = []
    taken: set[int] = set()
    for at in sorted(seeds, key=lambda one: (-_labels(pieces[one]), one)):
        if at not in taken:
            found.append(_head(lines, pieces, at))
            taken.update(range(found[-1].first, found[-1].last + 1))
    return sorted(found, key=lambda head: head.first)


def _labels(pieces: Sequence[Piece]) -> int:
    return len({piece.roles[0] for piece in pieces if piece.roles})


def _may_be_a_head(pieces: Sequence[Piece]) -> bool:
    inner = _within_the_margin(pieces)
    named = sum(bool(piece.roles) for piece in inner)
    digits = any(map(str.isdigit, "".join(piece.text for piece in inner)))
    return _labels(inner) >= LABELS_MIN and 2 * named >= len(inner) and not digits


def _within_the_margin(pieces: Sequence[Piece]) -> Sequence[Piece]:
    """From the first label on: before it stands what is printed along the margin."""
    first = next((at for at, piece in enumerate(pieces) if piece.roles), len(pieces))
    return pieces[first:]


def _pieces(line: Line, at: int, space: float) -> list[Piece]:
    return [
        piece
        for words in parted(line.words, LABEL_GAP_CHARS)
        for piece in _apart(words, at, space * line.height)
    ]


def _usual_space(lines: Sequence[Line]) -> float:
    """Between two words of a phrase, in heights of a line."""
    gaps = sorted(
        gap / line.height
        for line in lines
        if line.height
        for word, following in pairwise(line.words)
        if 0 < (gap := following.left - word.right) < LABEL_GAP_CHARS * word.char_width
    )
    return gaps[len(gaps) // 2] if gaps else 0.0


def _apart(words: Sequence[Word], at: int, space: float) -> list[Piece]:
    """Labels of narrow columns nearly touch, but stand wider apart than words of one label."""
    wide = [
        place
        for place, (word, following) in enumerate(pairwise(words), 1)
        if space and following.left - word.right > WIDE_SPACES * space
    ]
    cuts = [0, *wide, len(words)]
    parts = [_labelled(words[start:end], at) for start, end in pairwise(cuts)]
    pieces = _counted([piece for part in parts for piece in part])
    kinds = [piece.roles[0] for piece in pieces if piece.roles]
    whole = _labelled(words, at)
    told = len({one.roles[0] for one in whole if one.roles})
    if wide and len(set(kinds)) == len(kinds) >= max(told, LABELS_MIN):
        return pieces
    # What is unknown beside what is known is a label too, of a column that nobody asks for.
    unknown = wide and kinds and not any(piece.roles for piece in whole)
    return pieces if unknown else whole


def parted(words: Sequence[Word], gap_chars: float) -> Iterator[list[Word]]:
    """Words of a line, parted where the gap is wider than so many characters."""
    part: list[Word] = []
    right, width = 0.0, 0.0
    for word in words:
        own = word.char_width
        if part and word.left - right > gap_chars * (width if width > own else own):
            yield part
            part = []
        part.append(word)
        right, width = word.right, own
    if part:
        yield part


def _counted(pieces: Sequence[Piece]) -> list[Piece]:
    """`Item` before `Description` counts the rows; alone it would be what was sold."""
    return [
        replace(piece, roles=("position", "code"))
        if "position" in piece.roles and following and following.roles[:1] == ("description",)
        else piece
        for piece, following in zip_longest(pieces, pieces[1:])
    ]


def _labelled(words: Sequence[Word], at: int) -> list[Piece]:
    """One label, or several without a gap between them: then the longest ones that fit."""
    whole = _piece(words, at)
    if len(words) == 1:
        return [whole]
    first, last = _piece(words[:-1], at), _piece(words[-1:], at)
    if last.roles == ("description",) and first.roles[:1] in (("code",), ("position",)):
        return [*_labelled(words[:-1], at), last]
    if whole.roles:
        return [whole]
    pieces: list[Piece] = []
    start = 0
    while start < len(words):
        ends = range(min(len(words), start + LABEL_WORDS_MAX), start, -1)
        fits = (_piece(words[start:end], at) for end in ends)
        label = next((piece for piece in fits if piece.roles), None)
        if label is None:
            return [whole]
        start += len(label.text.split(" "))
        if pieces and pieces[-1].roles[0] == label.roles[0] == "description":
            label = replace(label, left=pieces.pop().left, roles=("description",))
        pieces.append(label)
    return pieces


def _piece(words: Sequence[Word], at: int) -> Piece:
    text = " ".join(fold(word.text) for word in words)
    short = len(words) <= LABEL_WORDS_MAX and not any(map(str.isdigit, text))
    roles = roles_of(text) if short else ()
    return Piece(text, words[0].left, words[-1].right, roles, at)


def _head(lines: Sequence[Line], pieces: Sequence[Sequence[Piece]], at: int) -> Head:
    stacks: list[list[Piece]] = [[piece] for piece in _within_the_margin(pieces[at])]
    first = last = at
    for step in (-1, 1):
        here = at
        for beside in range(at + step, at + step * (HEAD_LINES_AROUND + 1), step):
            if not 0 <= beside < len(lines) or not _near(lines[here], lines[beside]):
                break
            if _outside(stacks, pieces[beside]):
                continue
            if not _adds(stacks, pieces[beside]):
                break
            here = beside
        first, last = min(first, here), max(last, here)
    columns = sorted((_column(stack) for stack in stacks), key=lambda one: one.left)
    return Head(first, last, tuple(columns))


def _near(line: Line, other: Line) -> bool:
    pitch = abs(line.top - other.top)
    return line.page == other.page and pitch < HEAD_PITCH * max(line.height, other.height)


def _outside(stacks: Sequence[Sequence[Piece]], pieces: Sequence[Piece]) -> bool:
    """What is printed along the margin has no part in the table."""
    left, right = min(map(_left, stacks)), max(map(_right, stacks))
    return all(piece.right < left or piece.left > right for piece in pieces)


def _adds(stacks: list[list[Piece]], pieces: Sequence[Piece]) -> bool:
    """Lays a line of labels on the labels that are there. False when it is none."""
    added: list[tuple[int | None, Piece]] = []
    inside = [piece for piece in pieces if not _outside(stacks, [piece])]
    for piece in inside:
        if any(map(str.isdigit, piece.text)):
            return False
        at = _over(stacks, piece)
        if at is not None and _fits(stacks[at], piece):
            added.append((at, piece))
        elif at is None and piece.roles:
            added.append((None, piece))
    if not added or 2 * len(added) < len(inside):
        return False
    for at, piece in added:
        if at is None:
            stacks.append([piece])
        else:
            stacks[at].append(piece)
    return True


def _fits(stack: Sequence[Piece], piece: Piece) -> bool:
    return bool(piece.roles or _together([*stack, piece])) or narrows(piece.text)


def _over(stacks: Sequence[Sequence[Piece]], piece: Piece) -> int | None:
    shares = [
        (min(piece.right, _right(stack)) - max(piece.left, _left(stack)), at)
        for at, stack in enumerate(stacks)
    ]
    best = max(shares, default=(0.0, 0))
    return best[1] if best[0] > 0 else None


def _together(stack: Sequence[Piece]) -> Roles:
    """What the labels of a column say when read from the top."""
    texts = [piece.text for piece in sorted(stack, key=lambda one: one.line)]
    spaced = " ".join(texts)
    breaks = [at for at, character in enumerate(spaced) if character == " "]
    # A long label is broken where the column ends, with a hyphen or without one.
    unbroken = [spaced[:at].removesuffix("-") + spaced[at + 1 :] for at in breaks]
    for text in (spaced, *unbroken):
        roles = roles_of(text)
        if roles:
            return roles
    return ()


def _column(stack: Sequence[Piece]) -> Column:
    ordered = sorted(stack, key=lambda one: one.line)
    column = Column(_left(stack), _right(stack), _together(ordered))
    named = tuple(piece.roles for piece in ordered if piece.roles)
    if column.roles or not named:
        return column
    kinds = dict.fromkeys(roles[0] for roles in named)
    roles = tuple(dict.fromkeys(role for roles in named for role in roles))
    if "description" in kinds:
        roles = ("description", *(role for role in roles if role != "description"))
    return replace(column, roles=roles, stacked=named if len(kinds) > 1 else ())


def _left(stack: Sequence[Piece]) -> float:
    return min(piece.left for piece in stack)


def _right(stack: Sequence[Piece]) -> float:
    return max(piece.right for piece in stack)

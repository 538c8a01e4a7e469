"""Where a table of things sold begins, and where its columns are.

The head of a table is found by its labels, which may take several lines and stand above, on or
below one another. A column is known by the box of its label only: what is printed under it may
be aligned to the left, the right or the middle.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from services.extractor.domain.offline.columns import (
    Roles,
    names_a_table,
    narrows,
    roles_of,
)
from services.extractor.domain.offline.labels import LABELS_MIN, Piece, labels_on, usual_space
from services.extractor.domain.words import Line

COLUMNS_MAX = 20
HEAD_LINES_AROUND = 4
# From top to top, in heights of a line: further away stands something else.
HEAD_PITCH = 1.75


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


def heads(lines: Sequence[Line]) -> list[Head]:
    """From the first to the last, other tables among them: where they begin, this one ends.

    Where two would share a line, the one with more labels is.
    """
    space = usual_space(lines)
    pieces = [labels_on(line, at, space) for at, line in enumerate(lines)]
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
    roles = stack[0].roles if len(stack) == 1 else _together(ordered)
    column = Column(_left(stack), _right(stack), roles)
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

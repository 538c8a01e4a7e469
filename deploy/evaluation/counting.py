"""Right, false and missed: counts that add up, and what can be said of a rate by so few."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from deploy.evaluation.corpus import Truth
from deploy.evaluation.forms import CELLS, Cells

# A description may be cut or hyphenated otherwise and still be the same one.
ALIKE = 0.8
# Of the normal distribution: 19 of 20 intervals hold the true rate.
Z = 1.96


@dataclass(frozen=True, slots=True)
class Counts:
    right: int = 0
    false: int = 0
    missed: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            self.right + other.right, self.false + other.false, self.missed + other.missed
        )

    @property
    def precision(self) -> float:
        return _rate(self.right, self.right + self.false)

    @property
    def recall(self) -> float:
        return _rate(self.right, self.right + self.missed)

    @property
    def f1(self) -> float:
        return _rate(2 * self.right, 2 * self.right + self.false + self.missed)


def together(counts: Iterable[Counts]) -> Counts:
    return sum(counts, Counts())


def interval(right: int, of: int) -> tuple[float, float]:
    """Wilson's: within 0 and 1, and honest for a rate near either end."""
    if not of:
        return 0.0, 1.0
    rate = right / of
    middle = rate + Z * Z / (2 * of)
    half = Z * math.sqrt(rate * (1 - rate) / of + Z * Z / (4 * of * of))
    scale = 1 + Z * Z / of
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)


def count_fields(truth: Truth, read: Mapping[str, str | None]) -> dict[str, Counts]:
    return {name: _count(right, read.get(name)) for name, right in truth.fields.items()}


def _count(right: Sequence[str], read: str | None) -> Counts:
    if read is None:
        return Counts(missed=int(bool(right)))
    if read in right:
        return Counts(right=1)
    return Counts(false=1, missed=int(bool(right)))


def count_rows(truth: Sequence[Cells], read: Sequence[Cells]) -> Counts:
    """A row is right when every cell of the truth is. Each row counts once at most."""
    pairs = _pairs(truth, read)
    right = sum(
        all(_same(cell, truth[at][cell], read[other].get(cell)) for cell in truth[at])
        for at, other in pairs
    )
    return Counts(right, len(read) - right, len(truth) - right)


def _pairs(truth: Sequence[Cells], read: Sequence[Cells]) -> list[tuple[int, int]]:
    """Which row was meant: most equal cells first, the amount counting double, then the nearest
    in order."""
    ranked = sorted(
        (-alike, abs(at - other), at, other)
        for at, row in enumerate(truth)
        for other, candidate in enumerate(read)
        if (alike := _alikeness(row, candidate))
    )
    taken: dict[int, int] = {}
    for _, _, at, other in ranked:
        if at not in taken and other not in taken.values():
            taken[at] = other
    return list(taken.items())


def _alikeness(row: Cells, candidate: Cells) -> int:
    return sum(
        (2 if cell == "amount" else 1)
        for cell in CELLS
        if cell in row and _same(cell, row[cell], candidate.get(cell))
    )


def _same(cell: str, true: str, read: str | None) -> bool:
    if read is None or true == read:
        return read is not None
    if cell != "description":
        return False
    return SequenceMatcher(None, true, read, autojunk=False).ratio() >= ALIKE


def _rate(part: int, whole: int) -> float:
    return part / whole if whole else 0.0

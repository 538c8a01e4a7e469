"""A document as every rule needs it: lines, their labels, and the values in them, found once.

Which convention its numbers and dates follow is decided here, by all of them together.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Generic, TypeVar

from services.extractor.domain.offline.languages import language_of
from services.extractor.domain.offline.phrases import Phrases, Tag
from services.extractor.domain.offline.wording_dates import DATES
from services.extractor.domain.offline.wording_header import NUMBERS
from services.extractor.domain.offline.wording_money import MONEY
from services.extractor.domain.offline.wording_parties import PARTIES
from services.extractor.domain.words import Line, Span
from shared.values.amounts import Amount, amounts_in, decimal_mark
from shared.values.dates import dates_in, month_comes_first

V = TypeVar("V")

_PHRASES = Phrases((*NUMBERS, *DATES, *MONEY, *PARTIES))
# The letters of `INV-2024-7` label nothing.
_IN_A_NUMBER = re.compile(r"[-_]\d")
_SHORT = 4
# What only American invoices have: their state and ZIP code, or their currency.
_AMERICAN = re.compile(r"\bUSD\b|\bU\.?S\.?A\b|\$|\b[A-Z]{2} \d{5}(?:-\d{4})?\b")
_NOT_AMERICAN = re.compile(r"€|£|\bEUR\b|\bGBP\b|\bABN\b|\bAUD\b|\bA\$|\bS\$|\bNZ\$")


@dataclass(frozen=True, slots=True)
class Hit(Generic[V]):
    """A value found in a line, and where."""

    value: V
    start: int
    end: int


class Sheet:
    def __init__(self, lines: Sequence[Line], page_count: int = 1) -> None:
        self.lines = lines
        self.page_count = page_count
        # What may be the number of something, as `references.py` knows it when it was asked.
        self.numbers: Sequence[Sequence[Hit[str]]] | None = None

    @cached_property
    def tags(self) -> Sequence[tuple[Tag, ...]]:
        # Pages repeat their head and foot.
        known: dict[str, tuple[Tag, ...]] = {}
        found = []
        for line in self.lines:
            if line.folded not in known:
                tags = _PHRASES.tags(line.folded)
                known[line.folded] = tuple(
                    one
                    for one in tags
                    if one.end - one.start > _SHORT
                    or not _IN_A_NUMBER.match(line.folded, one.end)
                )
            found.append(known[line.folded])
        return found

    @cached_property
    def tagged(self) -> Mapping[str, Sequence[tuple[int, Tag]]]:
        """By kind of label, each with the line it stands on."""
        found: dict[str, list[tuple[int, Tag]]] = {}
        for at, tags in enumerate(self.tags):
            for tag in tags:
                found.setdefault(tag.kind, []).append((at, tag))
        return found

    @cached_property
    def language(self) -> str | None:
        return language_of(line.folded for line in self.lines)

    @cached_property
    def mark(self) -> str | None:
        return decimal_mark(line.text for line in self.lines)

    @cached_property
    def month_first(self) -> bool:
        likely = self.language in (None, "en") and self._american
        return month_comes_first((line.text for line in self.lines), likely=likely)

    @property
    def _american(self) -> bool:
        american = any(_AMERICAN.search(line.text) for line in self.lines)
        return american and not any(_NOT_AMERICAN.search(line.text) for line in self.lines)

    @cached_property
    def amounts(self) -> Sequence[Sequence[Hit[Amount]]]:
        return [
            [Hit(one, one.start, one.end) for one in amounts_in(line.text, self.mark)]
            for line in self.lines
        ]

    @cached_property
    def money(self) -> Sequence[Sequence[Hit[Decimal]]]:
        return [
            [Hit(one.value.value, one.start, one.end) for one in line] for line in self.amounts
        ]

    @cached_property
    def dates(self) -> Sequence[Sequence[Hit[date]]]:
        return [
            sorted(
                (
                    Hit(one.value, one.start, one.end)
                    for one in dates_in(line.text, month_first=self.month_first)
                ),
                key=lambda one: one.start,
            )
            for line in self.lines
        ]

    def span(self, at: int, hit: Hit[V]) -> Span:
        return self.lines[at].span(hit.start, hit.end)

"""Three amounts that may be the net, the tax and the gross of an invoice, and if they are.

A part that no label names may still be printed somewhere; what is not even printed is summed up
from the rows of the rates, and says so.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from itertools import combinations, product

from services.extractor.domain.offline.candidates import Candidate
from shared.values.amounts import CENT

Money = Candidate[Decimal]

# No country's rate is higher; what is has been put together from three other numbers.
RATE_MAX = Decimal("0.35")
RATES_MAX = 4
ROWS_MAX = 8
NOTHING = Decimal(0)


@dataclass(frozen=True)
class Triple:
    subtotal: Money | None
    tax: Money | None
    total: Money | None
    # Summed up by us: of one tax per rate, the document prints no sum.
    summed: bool = False
    over_rows: bool = False
    # What is added so that coins of five cents do.
    rounding: Decimal = NOTHING

    @cached_property
    def agrees(self) -> bool:
        if not (self.subtotal and self.tax and self.total):
            return False
        net, tax, total = self.subtotal.value, self.tax.value, self.total.value
        short = total - net - tax
        adds_up = min(abs(short), abs(short - self.rounding)) <= CENT
        return adds_up and total != NOTHING and may_be_taxed(net, tax)

    @property
    def contradicts(self) -> bool:
        return bool(self.subtotal and self.tax and self.total) and not self.agrees

    @property
    def is_absurd(self) -> bool:
        """Two of them already say that the third would be no tax."""
        if not self.total or (self.subtotal and self.tax):
            return False
        net = self.subtotal.value if self.subtotal else None
        tax = self.tax.value if self.tax else None
        if net is None and tax is None:
            return False
        net = self.total.value - tax if tax is not None else net
        return net is not None and not may_be_taxed(net, self.total.value - net)

    @property
    def gross(self) -> Decimal:
        return self.total.value if self.total else NOTHING

    @property
    def labels(self) -> float:
        return sum(one.score for one in (self.subtotal, self.tax, self.total) if one)


def may_be_taxed(net: Decimal, tax: Decimal) -> bool:
    return tax == NOTHING or (net != NOTHING and NOTHING <= tax / net <= RATE_MAX)


def triples_of(
    subtotals: Sequence[Money],
    taxes: Sequence[Money],
    gross: Sequence[Money],
    printed: Mapping[Decimal, Money],
    owned: Collection[Decimal] = (),
) -> Iterator[Triple]:
    """`owned` are what no tax can be: a label calls them freight, or a deposit."""
    for chosen in product([*subtotals, None], [*taxes, None], [*gross, None]):
        yield Triple(*chosen)
    yield from _completed(subtotals, taxes, gross, printed)
    for total, net in product(gross, subtotals):
        rest = abs(total.value - net.value)
        if rest and rest not in owned:
            yield from _between(net, total, taxes, printed)


def _completed(
    subtotals: Sequence[Money],
    taxes: Sequence[Money],
    gross: Sequence[Money],
    printed: Mapping[Decimal, Money],
) -> Iterator[Triple]:
    """With a part that is printed somewhere, and named by no label."""
    taxed = [one for one in taxes if one.value]
    for total, tax in product(gross, taxed):
        if total.value - tax.value in printed:
            yield Triple(printed[total.value - tax.value], tax, total)
    for net, tax in product(subtotals, taxed):
        if net.value + tax.value in printed:
            yield Triple(net, tax, printed[net.value + tax.value])


def _between(
    net: Money, total: Money, taxes: Sequence[Money], printed: Mapping[Decimal, Money]
) -> Iterator[Triple]:
    rest = total.value - net.value
    summed = _summed(taxes, rest)
    if rest in printed:
        yield Triple(net, printed[rest], total)
    elif summed:
        yield Triple(net, summed, total, summed=True)


def _summed(taxes: Sequence[Money], rest: Decimal) -> Money | None:
    """One tax per rate, and no sum of them."""
    for count in range(2, RATES_MAX + 1):
        for some in combinations(taxes, count):
            if sum(one.value for one in some) == rest:
                return replace(some[0], value=rest, score=min(one.score for one in some))
    return None


def over_rows(gross: Sequence[Money], triples: Sequence[Triple]) -> Iterator[Triple]:
    """A row per rate that adds up, and only the gross of all of them has a sum."""
    rows = {one.gross: one for one in triples if one.agrees and one.tax and one.tax.value}
    for total in gross:
        if total.value in rows:
            continue
        for count in range(2, RATES_MAX + 1):
            for some in combinations(list(rows.values())[:ROWS_MAX], count):
                if sum(one.gross for one in some) == total.value:
                    net = _sum([one.subtotal for one in some])
                    tax = _sum([one.tax for one in some])
                    if _share_no_line(some):
                        yield Triple(net, tax, total, summed=True, over_rows=True)


def _share_no_line(rows: Sequence[Triple]) -> bool:
    lines = [one.total.at for one in rows if one.total]
    return len(set(lines)) == len(lines)


def _sum(parts: Sequence[Money | None]) -> Money:
    there = [one for one in parts if one]
    value = sum((one.value for one in there), NOTHING)
    return replace(there[0], value=value, score=min(one.score for one in there))

"""Net, tax and gross, chosen together: of all labelled amounts the ones that add up.

Labels alone mistake a column of net prices for the total; arithmetic alone finds accidents.
Together they are the strongest evidence a page offers: that is why agreement raises the
confidence of all three fields, and contradiction lowers it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from itertools import combinations, product

from services.extractor.domain.offline.amounts import CENT, plain
from services.extractor.domain.offline.candidates import Candidate, Search, labelled, weighed
from services.extractor.domain.offline.fields import made, others
from services.extractor.domain.offline.sheet import Hit, Sheet
from services.extractor.domain.reading import MISSING, Field
from services.extractor.domain.words import Span

Money = Candidate[Decimal]

RIVALS = frozenset(
    (
        *("subtotal", "lines_total", "tax_total", "total", "amount_due", "prepaid", "shipping"),
        *("allowances_total", "charges_total", "rounding", "previous_balance", "other_money"),
    )
)
SUM_OF_ROWS_BONUS = 1.0
KEPT_PER_FIELD = 9
ROWS_MAX = 8
# No country's rate is higher; what is has been put together from three other numbers.
RATE_MAX = Decimal("0.35")
AGREEMENT_BONUS = 1.2
# Without tax any two equal amounts agree.
UNTAXED_BONUS = 0.3
PRINTED_RATE_BONUS = 0.3
LARGEST_BONUS = 0.3
AGREED_LARGEST_BONUS = 0.9
AGREED = 0.97
# Several sums on the page add up: it is less sure which of them is the invoice's.
AGREED_TWICE = 0.88
AGREED_UNLABELLED = 0.85
ALONE_MAX = 0.75
COMPUTED = 0.6
CONTRADICTED_MAX = 0.4
LINES_TOTAL_FACTOR = 0.8
DUE_FACTOR = 0.9
STRONG = 0.7
RATES_MAX = 4
NOTHING = Decimal(0)
_PERCENT = re.compile(r"(?<![\d.,])(\d{1,2})(?:[.,](\d{1,2})\d*)? ?%")


@dataclass(frozen=True)
class Triple:
    subtotal: Money | None
    tax: Money | None
    total: Money | None
    # Summed up by us: of one tax per rate, the document prints no sum.
    summed: bool = False
    over_rows: bool = False

    @cached_property
    def agrees(self) -> bool:
        if not (self.subtotal and self.tax and self.total):
            return False
        net, tax, total = self.subtotal.value, self.tax.value, self.total.value
        return total != NOTHING and abs(net + tax - total) <= CENT and _may_be_taxed(net, tax)

    @property
    def contradicts(self) -> bool:
        return bool(self.subtotal and self.tax and self.total) and not self.agrees

    @property
    def gross(self) -> Decimal:
        return self.total.value if self.total else NOTHING

    @property
    def labels(self) -> float:
        return sum(one.score for one in (self.subtotal, self.tax, self.total) if one)


def _may_be_taxed(net: Decimal, tax: Decimal) -> bool:
    return tax == NOTHING or (net != NOTHING and NOTHING <= tax / net <= RATE_MAX)


def totals(sheet: Sheet) -> dict[str, Field]:
    search = money_of(sheet)
    subtotals = labelled(sheet, "subtotal", search)
    subtotals += [
        weighed(one, LINES_TOTAL_FACTOR) for one in labelled(sheet, "lines_total", search)
    ]
    gross = labelled(sheet, "total", search)
    gross += [weighed(one, DUE_FACTOR) for one in labelled(sheet, "amount_due", search)]
    found = _best(subtotals), _best(labelled(sheet, "tax_total", search)), _best(gross)
    triples = list(_triples(*found, _printed(sheet)))
    largest = max((abs(one.value) for one in found[2]), default=NOTHING) or CENT
    rates = _rates(sheet)
    rows = _distinct(triples)
    triples += _over_rows(_best(gross), triples)
    best = max(triples, key=lambda one: _score(one, largest, rates) + _as_a_sum(one, rows))
    rivals = {one.gross for one in triples if one.agrees and one.tax and one.tax.value}
    return _fields(best, found, AGREED if len(rivals) <= 1 else AGREED_TWICE)


def money_of(sheet: Sheet) -> Search[Decimal]:
    hits = [
        [Hit(one.value.value, one.start, one.end) for one in line] for line in sheet.amounts
    ]
    return Search(hits, RIVALS, owned_factor=0.35, next_factor=0.92)


def _triples(
    subtotals: Sequence[Money],
    taxes: Sequence[Money],
    gross: Sequence[Money],
    printed: Mapping[Decimal, Money],
) -> Iterator[Triple]:
    for chosen in product([*subtotals, None], [*taxes, None], [*gross, None]):
        yield Triple(*chosen)
    taxed = [one for one in taxes if one.value]
    for total, tax in product(gross, taxed):
        if total.value - tax.value in printed:
            yield Triple(printed[total.value - tax.value], tax, total)
    for net, tax in product(subtotals, taxed):
        if net.value + tax.value in printed:
            yield Triple(net, tax, printed[net.value + tax.value])
    for total, net in product(gross, subtotals):
        if total.value != net.value:
            yield from _between(net, total, taxes, printed)


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


def _score(triple: Triple, largest: Decimal, rates: frozenset[Decimal]) -> float:
    """The row of one tax rate adds up too: of several such rows the largest is the total."""
    share = float(abs(triple.gross) / largest)
    score = triple.labels + LARGEST_BONUS * min(1.0, share)
    if not (triple.agrees and triple.subtotal and triple.tax):
        return score
    if not triple.tax.value:
        return score + UNTAXED_BONUS
    score += AGREEMENT_BONUS + AGREED_LARGEST_BONUS * min(1.0, share)
    rate = 100 * triple.tax.value / triple.subtotal.value
    known = rates and min(rates) - 1 <= rate <= max(rates) + 1
    return score + PRINTED_RATE_BONUS * bool(known)


def _over_rows(gross: Sequence[Money], triples: Sequence[Triple]) -> Iterator[Triple]:
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


def _distinct(triples: Sequence[Triple]) -> frozenset[tuple[Decimal, Decimal]]:
    """Net and gross of all that add up and are taxed."""
    return frozenset(
        (one.subtotal.value, one.gross)
        for one in triples
        if one.agrees and one.subtotal and one.tax and one.tax.value
    )


def _as_a_sum(triple: Triple, rows: frozenset[tuple[Decimal, Decimal]]) -> float:
    """Below the rows of several rates stands their sum: net and gross both say so."""
    if triple.over_rows:
        return SUM_OF_ROWS_BONUS
    if not (triple.agrees and triple.subtotal):
        return 0.0
    whole = (triple.subtotal.value, triple.gross)
    for net, gross in rows:
        if (whole[0] - net, whole[1] - gross) in rows and (net, gross) != whole:
            return SUM_OF_ROWS_BONUS
    return 0.0


def _rates(sheet: Sheet) -> frozenset[Decimal]:
    return frozenset(
        Decimal(f"{whole}.{part or 0}")
        for line in sheet.lines
        for whole, part in _PERCENT.findall(line.text)
    )


def _fields(
    best: Triple, found: tuple[list[Money], list[Money], list[Money]], sure: float
) -> dict[str, Field]:
    fields = {
        name: _field(money, best, sure, pool)
        for name, money, pool in zip(
            ("subtotal", "tax_total", "total"),
            (best.subtotal, best.tax, best.total),
            found,
            strict=True,
        )
    }
    computed = ("tax_total", "subtotal")[: best.summed + best.over_rows]
    for name in computed:
        fields[name] = replace(fields[name], status="computed", raw=None)
    if best.subtotal is None and best.tax and best.total:
        net = best.total.value - best.tax.value
        if min(best.tax.score, best.total.score) >= STRONG and _may_be_taxed(
            net, best.tax.value
        ):
            fields["subtotal"] = made(
                best.total,
                plain(net),
                COMPUTED,
                others(found[0], best.total, plain),
                "computed",
            )
    return fields


def _field(money: Money | None, triple: Triple, sure: float, pool: Sequence[Money]) -> Field:
    if money is None:
        return MISSING
    confidence = min(ALONE_MAX, money.score)
    if triple.agrees:
        confidence = sure if money.score > 0 else min(sure, AGREED_UNLABELLED)
    elif triple.contradicts:
        confidence = min(CONTRADICTED_MAX, money.score)
    field = made(money, plain(money.value), confidence, others(pool, money, plain))
    return replace(field, signals={**field.signals, "sum": float(triple.agrees)})


def _best(found: Sequence[Money]) -> list[Money]:
    """One candidate per value. Totals stand low on the page, so of equals the last one wins."""
    best: dict[Decimal, Money] = {}
    for one in found:
        known = best.get(one.value)
        if known is None or (one.score, _place(one.span)) > (known.score, _place(known.span)):
            best[one.value] = one
    ranked = sorted(best.values(), key=lambda one: (-one.score, _low_first(one.span)))
    return ranked[:KEPT_PER_FIELD]


def _place(span: Span) -> tuple[int, float]:
    return span.page, span.box[1]


def _low_first(span: Span) -> tuple[int, float]:
    return -span.page, -span.box[1]


def _printed(sheet: Sheet) -> Mapping[Decimal, Money]:
    """Every amount of the document: a part that no label names must at least be printed."""
    return {
        hit.value.value: Candidate(hit.value.value, 0.0, sheet.span(at, hit), 0.0, at)
        for at, hits in enumerate(sheet.amounts)
        for hit in hits
    }

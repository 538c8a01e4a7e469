"""Net, tax and gross, chosen together: of all labelled amounts the ones that add up.

Labels alone mistake a column of net prices for the total; arithmetic alone finds accidents.
Together they are the strongest evidence a page offers: that is why agreement raises the
confidence of all three fields, and contradiction lowers it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from services.extractor.domain.offline.candidates import Candidate, Search, labelled, weighed
from services.extractor.domain.offline.fields import made, others
from services.extractor.domain.offline.sheet import Sheet
from services.extractor.domain.offline.triples import (
    NOTHING,
    Money,
    Triple,
    may_be_taxed,
    over_rows,
    triples_of,
)
from services.extractor.domain.reading import MISSING, Field
from services.extractor.domain.words import Span
from shared.values.amounts import CENT, plain

RIVALS = frozenset(
    (
        *("subtotal", "lines_total", "tax_total", "total", "amount_due", "prepaid", "shipping"),
        *("allowances_total", "charges_total", "rounding", "previous_balance", "other_money"),
    )
)
NO_TAX = frozenset(
    ("shipping", "charges_total", "allowances_total", "prepaid", "rounding", "previous_balance")
)
SUM_OF_ROWS_BONUS = 1.0
ABSURD = 1.0
KEPT_PER_FIELD = 9
AGREEMENT_BONUS = 1.2
# Without tax any two equal amounts agree.
UNTAXED_BONUS = 0.3
PRINTED_RATE_BONUS = 0.3
ACCIDENT = 2.0
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
NET_AS_GROSS_FACTOR = 0.4
STRONG = 0.7
ROUNDING_MAX = Decimal("0.05")
_PERCENT = re.compile(r"(?<![\d.,])(\d{1,2})(?:[.,](\d{1,2})\d*)? ?%")


def totals(sheet: Sheet) -> dict[str, Field]:
    search = money_of(sheet)
    subtotals = labelled(sheet, "subtotal", search)
    subtotals += [
        weighed(one, LINES_TOTAL_FACTOR) for one in labelled(sheet, "lines_total", search)
    ]
    gross = labelled(sheet, "total", search)
    gross += [weighed(one, DUE_FACTOR) for one in labelled(sheet, "amount_due", search)]
    # `Net total` is what is to be paid, too; adding up has to say so.
    gross += [weighed(one, NET_AS_GROSS_FACTOR) for one in subtotals]
    found = _best(subtotals), _best(labelled(sheet, "tax_total", search)), _best(gross)
    triples = list(triples_of(*found, _printed(sheet), _owned(sheet)))
    rounding = _rounding(labelled(sheet, "rounding", search))
    triples = [replace(one, rounding=rounding) for one in triples] if rounding else triples
    largest = max((abs(one.value) for one in found[2]), default=NOTHING) or CENT
    rates = _rates(sheet)
    rows = _distinct(triples)
    triples += over_rows(_best(gross), triples)
    best = max(triples, key=lambda one: _score(one, largest, rates) + _as_a_sum(one, rows))
    rivals = {one.gross for one in triples if one.agrees and one.tax and one.tax.value}
    return _fields(best, found, AGREED if len(rivals) <= 1 else AGREED_TWICE)


def _rounding(found: Sequence[Money]) -> Decimal:
    return next((one.value for one in found if abs(one.value) <= ROUNDING_MAX), NOTHING)


def money_of(sheet: Sheet) -> Search[Decimal]:
    return Search(sheet.money, RIVALS, owned_factor=0.35, next_factor=0.92)


def _score(triple: Triple, largest: Decimal, rates: frozenset[Decimal]) -> float:
    """The row of one tax rate adds up too: of several such rows the largest is the total."""
    share = float(abs(triple.gross) / largest)
    score = triple.labels + LARGEST_BONUS * min(1.0, share) - ABSURD * triple.is_absurd
    if not (triple.agrees and triple.subtotal and triple.tax):
        return score
    if not triple.tax.value:
        return score + UNTAXED_BONUS
    score += AGREEMENT_BONUS + AGREED_LARGEST_BONUS * min(1.0, share)
    rate = 100 * triple.tax.value / triple.subtotal.value
    known = rates and min(rates) - 1 <= rate <= max(rates) + 1
    # Three amounts that happen to add up, and a rate that nobody mentions.
    accident = rates and not known and not triple.tax.label
    return score + PRINTED_RATE_BONUS * bool(known) - ACCIDENT * bool(accident)


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
        if min(best.tax.score, best.total.score) >= STRONG and may_be_taxed(
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


def _owned(sheet: Sheet) -> frozenset[Decimal]:
    """Amounts that a label calls something else, so that none of them is a tax."""
    found: set[Decimal] = set()
    for tags, hits in zip(sheet.tags, sheet.amounts, strict=True):
        at, owner = 0, None
        for hit in hits:
            while at < len(tags) and tags[at].end <= hit.start:
                owner, at = tags[at].kind, at + 1
            if owner in NO_TAX:
                found.add(abs(hit.value.value))
    return frozenset(found)


def _printed(sheet: Sheet) -> Mapping[Decimal, Money]:
    """Every amount of the document: a part that no label names must at least be printed."""
    return {
        hit.value.value: Candidate(hit.value.value, 0.0, sheet.span(at, hit), 0.0, at)
        for at, hits in enumerate(sheet.amounts)
        for hit in hits
    }

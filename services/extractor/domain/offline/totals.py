"""Net, tax and gross, chosen together: of all labelled amounts the ones that add up.

Labels alone mistake a column of net prices for the total; arithmetic alone finds accidents.
Together they are the strongest evidence a page offers: that is why agreement raises the
confidence of all three fields, and contradiction lowers it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import product

from services.extractor.domain.offline.amounts import CENT, Amount, amounts_in, plain
from services.extractor.domain.offline.candidates import Candidate, Hit, labelled
from services.extractor.domain.offline.labels import NOT_THE_TAX, SUBTOTAL, TAX, TOTAL
from services.extractor.domain.reading import MISSING, Field
from services.extractor.domain.words import Line, Span, fold

Money = Candidate[Decimal]

KEPT_PER_FIELD = 12
_NAMES = {
    **{"eur": "EUR", "euro": "EUR", "€": "EUR", "usd": "USD", "$": "USD"},
    **{"gbp": "GBP", "£": "GBP", "chf": "CHF"},
}
AGREEMENT_BONUS = 1.2
AGREED = 0.97
# Several sums on the page add up: it is less sure which of them is the invoice's.
AGREED_TWICE = 0.88
LARGEST_BONUS = 0.3
AGREED_UNLABELLED = 0.85
ALONE_MAX = 0.75
CONTRADICTED_MAX = 0.4
NOTHING = Decimal(0)


@dataclass(frozen=True, slots=True)
class Triple:
    subtotal: Money | None
    tax: Money | None
    total: Money | None

    @property
    def agrees(self) -> bool:
        if not (self.subtotal and self.tax and self.total):
            return False
        difference = self.subtotal.value + self.tax.value - self.total.value
        return abs(difference) <= CENT and self.total.value != NOTHING

    @property
    def contradicts(self) -> bool:
        return bool(self.subtotal and self.tax and self.total) and not self.agrees

    @property
    def score(self) -> float:
        chosen = (self.subtotal, self.tax, self.total)
        return sum(one.score for one in chosen if one) + AGREEMENT_BONUS * self.agrees


def totals(lines: Sequence[Line]) -> dict[str, Field]:
    printed = _printed(lines)
    subtotals = _best(labelled(lines, SUBTOTAL, _amounts))
    taxes = _best(labelled(_without_mentions(lines), TAX, _amounts))
    gross = _best(labelled(lines, TOTAL, _amounts))
    triples = [
        Triple(*chosen)
        for chosen in product([*subtotals, None], [*taxes, None], [*gross, None])
    ]
    triples += [
        Triple(net, tax, total)
        for total in gross
        for tax in taxes
        if (net := printed.get(total.value - tax.value))
    ]
    triples += [
        Triple(net, tax, total)
        for total in gross
        for net in subtotals
        if (tax := printed.get(total.value - net.value))
    ]
    largest = max((abs(one.value) for one in gross), default=NOTHING) or CENT
    best = max(triples, key=lambda one: one.score + _share(one, largest))
    sure = AGREED if len({_gross(one) for one in triples if one.agrees}) == 1 else AGREED_TWICE
    return {
        "subtotal": _field(best.subtotal, best, sure),
        "tax_total": _field(best.tax, best, sure),
        "total": _field(best.total, best, sure),
    }


def _share(triple: Triple, largest: Decimal) -> float:
    """The row of one tax rate adds up too: of several such rows the largest is the total."""
    return LARGEST_BONUS * float(abs(_gross(triple)) / largest)


def _gross(triple: Triple) -> Decimal:
    return triple.total.value if triple.total else NOTHING


def _field(money: Money | None, triple: Triple, sure: float) -> Field:
    if money is None:
        return MISSING
    confidence = min(ALONE_MAX, money.score)
    if triple.agrees:
        confidence = sure if money.score > 0 else min(sure, AGREED_UNLABELLED)
    elif triple.contradicts:
        confidence = min(CONTRADICTED_MAX, money.score)
    return Field(
        plain(money.value), money.span.text, round(confidence, 4), "extracted", (money.span,)
    )


def _amounts(text: str) -> Iterator[Hit[Decimal]]:
    for amount in amounts_in(text):
        yield Hit(amount.value, amount.start, amount.end)


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


def _printed(lines: Sequence[Line]) -> Mapping[Decimal, Money]:
    """Every amount of the document: a part that no label names must at least be printed."""
    return {
        amount.value: Candidate(amount.value, 0.0, line.span(amount.start, amount.end))
        for line in lines
        for amount in amounts_in(line.text)
    }


def _without_mentions(lines: Sequence[Line]) -> list[Line]:
    """`Total incl. VAT` names no tax, and a tax number is none either."""
    return [line for line in lines if not NOT_THE_TAX.search(line.folded)]


def currency(lines: Sequence[Line]) -> Field:
    """What stands beside the most amounts; a code alone somewhere is the weaker evidence."""
    votes: dict[str, list[tuple[Amount, Line]]] = {}
    for line in lines:
        for amount in amounts_in(line.text):
            if amount.currency:
                votes.setdefault(amount.currency, []).append((amount, line))
    if votes:
        code, seen = max(votes.items(), key=lambda item: len(item[1]))
        amount, line = seen[0]
        span = line.span(amount.start, amount.end)
        sure = 0.95 if len(votes) == 1 else 0.7
        return Field(code, span.text, 0.6 if "$" in span.text else sure, "extracted", (span,))
    return _named_currency(lines)


def _named_currency(lines: Sequence[Line]) -> Field:
    for line in lines:
        for word in line.words:
            code = _NAMES.get(fold(word.text).strip("()[],.:;"))
            if code:
                box = (word.left, word.top, word.right, word.bottom)
                span = Span(word.text, word.page, box)
                return Field(code, word.text, 0.6, "extracted", (span,))
    return MISSING

"""The tax breakdown: rates with what they are of and what they make, wherever it is printed.

A rate, a base and an amount on one line that multiply (E6) are a row of the breakdown, whatever
the columns are called; of rows that repeat each other those are taken that sum up to the tax of
the invoice (E3).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice, product

from services.extractor.domain.offline.line_items import Items
from services.extractor.domain.offline.numbers import Token, tokens_of
from services.extractor.domain.offline.tables import Head
from services.extractor.domain.reading import Field
from services.extractor.domain.words import Line, span_of
from shared.values.amounts import decimal_mark

CENT = Decimal("0.01")
HUNDRED = Decimal(100)
RATE_MAX = Decimal(30)
SLACK = Decimal("0.02")
CENTS = 2
# A table of rates is short; what stands further below belongs to something else.
LINES_UNDER_A_HEAD = 9
CHOICES_PER_RATE = 4
CHOICES_MAX = 256
RATES_MAX = 6
# A line with more amounts than these is no row of a breakdown.
MONEY_MAX = 12
SURE, MULTIPLIES, ALONE = 0.95, 0.8, 0.55
COMPUTED = 0.7

_TAX = re.compile(
    r"(?<![a-z])(?:vat|tax|taxes|gst|hst|pst|u\.?st\.?|mwst\.?|mehrwertsteuer\w*|umsatzsteuer\w*|"
    r"steuer\w*|t\.?v\.?a\.?|taxe|i\.?v\.?a\.?|igic|btw|versicherungs?steuer)(?![a-z])"
)
_CATEGORY = re.compile(r"\((AE|[SZEGKOLM])\)")
_REVERSE = re.compile(
    r"reverse charge|steuerschuldnerschaft|autoliquidation|verlegd|inversione"
)


@dataclass(frozen=True, slots=True)
class Row:
    line: Line
    rate: Token
    amount: Token
    base: Token | None

    @property
    def percent(self) -> Decimal:
        return self.rate.number.value.normalize()

    @property
    def key(self) -> tuple[Decimal, Decimal, Decimal | None]:
        base = self.base.number.value if self.base else None
        return self.percent, self.amount.number.value, base


def taxes(lines: Sequence[Line], known: Mapping[str, Field], items: Items) -> dict[str, Field]:
    """Without the lines of things sold: their rates are no breakdown."""
    mark = decimal_mark(line.text for line in lines) or "."
    total, subtotal = _value(known, "tax_total"), _value(known, "subtotal")
    sums = (subtotal, total)
    under = _under_heads(lines, items.heads)
    rows = {
        row.key: row
        for at, line in enumerate(lines)
        if at not in items.rows and (at in under or _TAX.search(line.folded))
        for row in _rows(line, tokens_of(line, mark), sums, in_a_table=at in under)
    }
    chosen, agrees = _chosen(list(rows.values()), total)
    fields: dict[str, Field] = {}
    for place, row in enumerate(chosen):
        sure = SURE if agrees else MULTIPLIES
        for path, field in _fields(row, sure if row.base else ALONE + 0.3 * agrees, subtotal):
            fields[f"taxes.{place}.{path}"] = field
    return fields


def _value(known: Mapping[str, Field], path: str) -> Decimal | None:
    field = known.get(path)
    return Decimal(field.value) if field is not None and field.value is not None else None


def _under_heads(lines: Sequence[Line], found: Sequence[Head]) -> frozenset[int]:
    """The lines under heads that name a rate, and are of no things sold."""
    under: set[int] = set()
    for place, head in enumerate(found):
        kinds = {role for column in head.columns for role in column.roles[:1]}
        if head.of_items or not kinds & {"tax_rate", "tax_amount", "tax_base"}:
            continue
        end = found[place + 1].first if place + 1 < len(found) else len(lines)
        under.update(range(head.last + 1, min(end, head.last + 1 + LINES_UNDER_A_HEAD)))
    return frozenset(under)


def _rows(
    line: Line,
    tokens: Sequence[Token],
    sums: tuple[Decimal | None, Decimal | None],
    *,
    in_a_table: bool,
) -> Iterator[Row]:
    money = [one for one in tokens if _is_money(one)][:MONEY_MAX]
    signs = [one for one in tokens if one.number.percent]
    bare = [one for one in tokens if in_a_table and one.words not in [m.words for m in signs]]
    for rate in [one for one in signs or bare if 0 <= one.number.value <= RATE_MAX]:
        others = [one for one in money if one is not rate]
        pair = next(_pairs(rate, others), None)
        if pair is not None:
            yield Row(line, rate, pair[1], pair[0])
            return
        if rate.number.percent and len(others) == 1 and _fits(rate, others[0], *sums):
            yield Row(line, rate, others[0], None)
            return


def _is_money(token: Token) -> bool:
    number = token.number
    return not number.percent and (number.places == CENTS or number.money)


def _pairs(rate: Token, money: Sequence[Token]) -> Iterator[tuple[Token, Token]]:
    """Base and amount: of all pairs that multiply the one with the largest base."""
    found = [
        (base, amount)
        for base in money
        for amount in money
        if base is not amount
        and base.number.value
        and abs(base.number.value) >= abs(amount.number.value)
        and _multiply(rate.number.value, base.number.value, amount.number.value)
    ]
    yield from sorted(found, key=lambda pair: -abs(pair[0].number.value))


def _multiply(rate: Decimal, base: Decimal, amount: Decimal) -> bool:
    return abs(abs(base) * rate / HUNDRED - abs(amount)) <= SLACK


def _fits(rate: Token, amount: Token, subtotal: Decimal | None, total: Decimal | None) -> bool:
    """A rate of a part may make any amount that is less than the rate of all."""
    if amount.number.value == total:
        return True
    if not rate.number.value:
        return not amount.number.value
    most = abs(subtotal) * rate.number.value / HUNDRED if subtotal is not None else None
    return bool(amount.number.value) and (
        most is None or abs(amount.number.value) <= most + SLACK
    )


def _chosen(rows: Sequence[Row], total: Decimal | None) -> tuple[list[Row], bool]:
    by_rate: dict[Decimal, list[Row]] = {}
    for row in rows:
        by_rate.setdefault(row.percent, []).append(row)
    for some in by_rate.values():
        some.sort(key=lambda row: row.base is None)
    groups = list(by_rate.values())[:RATES_MAX]
    if total is not None and groups:
        choices = product(*([*some[:CHOICES_PER_RATE], None] for some in groups))
        for choice in islice(choices, CHOICES_MAX):
            taken = [row for row in choice if row is not None]
            value = sum((row.amount.number.value for row in taken), Decimal(0))
            if taken and abs(abs(value) - abs(total)) <= CENT * len(taken):
                return taken, True
    return [some[0] for some in groups if some[0].base is not None], False


def _fields(row: Row, sure: float, subtotal: Decimal | None) -> Iterator[tuple[str, Field]]:
    yield "rate", _field(row.rate, sure)
    yield "amount", _field(row.amount, sure)
    if row.base is not None:
        yield "base", _field(row.base, sure)
    elif subtotal is not None and _multiply(row.percent, subtotal, row.amount.number.value):
        evidence = (span_of(row.amount.words),)
        yield "base", Field(f"{subtotal:f}", None, COMPUTED, "computed", evidence)
    category = _category(row)
    if category is not None:
        yield (
            "category",
            Field(category, None, COMPUTED, "computed", (span_of(row.rate.words),)),
        )


def _category(row: Row) -> str | None:
    printed = _CATEGORY.search(row.line.text)
    if printed is not None:
        return printed[1]
    if row.percent > 0:
        return "S"
    return "AE" if _REVERSE.search(row.line.folded) else None


def _field(token: Token, sure: float) -> Field:
    raw = " ".join(word.text for word in token.words)
    return Field(
        f"{token.number.value:f}", raw, round(sure, 4), "extracted", (span_of(token.words),)
    )

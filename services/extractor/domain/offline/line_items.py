"""The line items of an invoice as fields, and what is to be said about them.

Tables that were found are read, the best one is chosen, and each cell says how sure it is:
most where its row multiplies (E8) and the rows sum up to a printed total (E1).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from services.extractor.domain.offline.entries import Entry, entries_of
from services.extractor.domain.offline.grid import CELL_GAP_CHARS
from services.extractor.domain.offline.headless import entries_without_a_head
from services.extractor.domain.offline.items import CENT, Table, best_table, together
from services.extractor.domain.offline.labels import parted
from services.extractor.domain.offline.line_fields import fields_of
from services.extractor.domain.offline.numbers import tokens_of
from services.extractor.domain.offline.summaries import summary_of
from services.extractor.domain.offline.tables import Head, heads
from services.extractor.domain.reading import Field, Finding
from services.extractor.domain.words import Line, fold
from shared.values.amounts import decimal_mark

TRUSTED = 0.9
GROSS = 0.9
CENTS = 2
_PAGE = re.compile(
    r"(?:^|\t)(?:seite|page|pag(?:ina|\.)?|blatt|p\.)[ \t]*:?[ \t]*\d+"
    r"(?:[ \t]*(?:von|of|de|di|van|sur|/)[ \t]*\d+)?[ \t]*$"
)
_SUM = re.compile(r"\d[.,]\d{2}(?!\d)")
_KNOWN_TOTALS = ("lines_total", "subtotal", "total")


@dataclass(frozen=True, slots=True)
class Items:
    fields: Mapping[str, Field] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    # The lines that they begin on.
    rows: frozenset[int] = frozenset()
    # Of all tables, those of taxes among them.
    heads: tuple[Head, ...] = ()


def line_items(lines: Sequence[Line], known: Mapping[str, Field]) -> Items:
    """`known` are the totals that were read elsewhere."""
    mark = decimal_mark(line.text for line in lines) or "."
    totals, others = _totals(lines, known, mark), set(_before_extras(known))
    found_heads = heads(lines)
    tables = [
        best_table(entries, totals, _others(lines, entries, mark) | others)
        for entries in _groups(lines, found_heads, mark)
    ]
    found = [table for table in tables if table is not None and table.items]
    found += together(found, totals)
    if not any(table.total is not None for table in found):
        found += _headless(lines, totals, mark)
    if not found:
        return Items(heads=tuple(found_heads))
    best = max(found, key=lambda table: table.score)
    fields = fields_of(best)
    if _gross(best, known):
        fields["prices_include_tax"] = replace(
            known["total"], value="true", confidence=GROSS, status="computed", alternatives=()
        )
    rows = frozenset(item.entry.row.at for item in best.items)
    return Items(fields, tuple(_findings(best, known)), rows, tuple(found_heads))


def _gross(table: Table, known: Mapping[str, Field]) -> bool:
    """Whether the rows are what is to be paid, and not what it is without tax."""
    net, total = (known.get(path) for path in ("subtotal", "total"))
    if any(item.net_of_gross is not None for item in table.items):
        return False
    if table.total is None or not (net and total and net.value and total.value):
        return False
    return table.total == Decimal(total.value) != Decimal(net.value)


def _headless(lines: Sequence[Line], totals: Sequence[Decimal], mark: str) -> Iterator[Table]:
    for entries in entries_without_a_head(lines, mark, _repeated(lines)):
        table = best_table(entries, totals)
        whole = table is not None and len(table.items) == len(entries)
        if table is not None and whole and (table.total is not None or _multiplies(table)):
            yield table


def _multiplies(table: Table) -> bool:
    right = sum(bool(item.multiplies) for item in table.items)
    return right > 1 and 2 * right > len(table.items)


def _groups(lines: Sequence[Line], found: Sequence[Head], mark: str) -> Iterator[list[Entry]]:
    """One table per kind of head: what goes on over the page has the same head again."""
    groups: dict[tuple[object, ...], list[Entry]] = {}
    repeated = _repeated(lines)
    for at, head in enumerate(found):
        if not head.of_items:
            continue
        end = found[at + 1].first if at + 1 < len(found) else len(lines)
        groups.setdefault(_kind(head), []).extend(entries_of(lines, head, end, mark, repeated))
    yield from groups.values()


def _kind(head: Head) -> tuple[object, ...]:
    return tuple(column.roles for column in head.columns)


def _repeated(lines: Sequence[Line]) -> frozenset[int]:
    """Heads and feet of pages: what stands at the same place of several pages, and numbers."""
    places: dict[tuple[str, float], list[int]] = {}
    for at, line in enumerate(lines):
        # The same thing sold twice is no foot of a page.
        if len(_SUM.findall(line.text)) <= 1:
            places.setdefault((line.folded, round(line.top, 2)), []).append(at)
    numbers = {at for at, line in enumerate(lines) if _PAGE.search(line.folded)}
    return frozenset(at for same in places.values() if len(same) > 1 for at in same) | numbers


def _totals(lines: Sequence[Line], known: Mapping[str, Field], mark: str) -> list[Decimal]:
    sums = [known[path].value for path in _KNOWN_TOTALS if path in known]
    printed = [
        token.number.value
        for line in lines
        if _sums_up(line)
        for token in tokens_of(line, mark)
        if token.number.places == CENTS or token.number.money
    ]
    values = [*(Decimal(one) for one in sums if one), *printed]
    return [one for one in dict.fromkeys(values) if one]


def _before_extras(known: Mapping[str, Field]) -> Iterator[Decimal]:
    """What the rows come to where discounts and freight of all of them follow."""
    net, *extras = (
        Decimal(known[path].value or 0) if path in known else Decimal(0)
        for path in ("subtotal", "allowances_total", "charges_total", "shipping")
    )
    if net and any(extras):
        yield net + extras[0] - extras[1] - extras[2]


def _others(lines: Sequence[Line], entries: Sequence[Entry], mark: str) -> set[Decimal]:
    """Amounts under the table whose label is not beside them but, say, over them."""
    rows = {entry.row.at for entry in entries}
    return {
        token.number.value
        for at, line in enumerate(lines)
        if rows and at > max(rows)
        for token in tokens_of(line, mark)
        if token.number.places == CENTS and token.number.value
    }


def _sums_up(line: Line) -> bool:
    phrases = (
        " ".join(fold(word.text) for word in part)
        for part in parted(line.words, 2 * CELL_GAP_CHARS)
    )
    return any(summary_of([phrase]) not in (None, "carried") for phrase in phrases)


def _findings(table: Table, known: Mapping[str, Field]) -> Iterator[Finding]:
    """Rows that do not make up the total: some are missing, or one is read wrong."""
    trusted = {
        path: Decimal(known[path].value or 0)
        for path in _KNOWN_TOTALS
        if path in known and known[path].value and known[path].confidence >= TRUSTED
    }
    if table.total is not None or not trusted:
        return
    amounts = [item.amount for item in table.items if item.amount is not None]
    value = sum(amounts, Decimal(0))
    if any(_explained(abs(total) - abs(value), known) for total in trusted.values()):
        return
    path, total = next(iter(trusted.items()))
    detail = f"{len(amounts)} rows sum up to {value:f}, {path} is {total:f}"
    pages = sorted({item.entry.row.line.page for item in table.items})
    yield Finding("rows_missing", "block", detail, ("lines", path), tuple(pages))


def _explained(difference: Decimal, known: Mapping[str, Field]) -> bool:
    """By a discount, a surcharge or the freight of the whole document."""
    extras = [
        Decimal(known[path].value or 0)
        for path in ("allowances_total", "charges_total", "shipping")
        if path in known and known[path].value
    ]
    sums = [sign * one for one in extras for sign in (1, -1)]
    sums += [one - other for one in extras for other in extras]
    return any(abs(difference - one) <= CENT for one in sums)

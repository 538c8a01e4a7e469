"""The fields of an item: every cell with what was printed, where, and how sure it is.

Most sure is what multiplies (E8) in a table that sums up to a printed total (E1); a row that
does not multiply is the least, because then one of its cells is another's.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from services.extractor.domain.offline.columns import Role
from services.extractor.domain.offline.items import Item, Table
from services.extractor.domain.offline.numbers import Token
from services.extractor.domain.reading import Field, Status
from services.extractor.domain.words import span_of
from shared.pages.words import Word

Cell = tuple[str, Field]

_PATHS: tuple[tuple[Role, str], ...] = (
    ("quantity", "quantity"),
    ("unit_price", "unit_price"),
    ("price_base_qty", "price_base_qty"),
    ("tax_amount", "tax_amount"),
)
ALONE, MULTIPLIES, SUMS_UP, BEST = 0.6, 0.18, 0.2, 0.97
CONTRADICTED, CONTRADICTED_SUM = 0.35, 0.6
TEXT, TEXT_BEST = 0.6, 0.88
UNIT_CHARS_MAX = 12
RATE_MAX = 40
_CODE_FIRST = re.compile(r"[\[(*#]([A-Z0-9][\w./-]{1,24})[\])*#]")
_UNIT = re.compile(r"[^\W\d][\w²³./()-]*")


@dataclass(frozen=True, slots=True)
class Reduced:
    """An item with the discount that is printed on a row of its own under it."""

    item: Item
    discount: Item | None = None


def fields_of(table: Table) -> dict[str, Field]:
    fields: dict[str, Field] = {}
    for place, reduced in enumerate(_reduced(table.items)):
        for path, field in _cells(reduced, summed=table.total is not None):
            fields[f"lines.{place}.{path}"] = field
    return fields


def _reduced(items: Sequence[Item]) -> list[Reduced]:
    found: list[Reduced] = []
    sold = {item.entry.section for item in items if not item.entry.extra}
    # After the subtotal it is of the document, and no line.
    of_lines = [one for one in items if not one.entry.extra or one.entry.section in sold]
    last_sold = max((at for at, one in enumerate(of_lines) if not one.entry.extra), default=0)
    for place, item in enumerate(of_lines):
        # After all that was sold it may be a discount on all: then it stands for itself.
        lowers = item.entry.extra and (item.amount or 0) < 0 and place < last_sold
        if lowers and found and found[-1].discount is None:
            found[-1] = Reduced(found[-1].item, item)
        else:
            found.append(Reduced(item))
    return found


def _cells(reduced: Reduced, *, summed: bool) -> Iterator[Cell]:
    item = reduced.item
    sure = _sure(item, summed=summed)
    yield from _texts(item, min(TEXT_BEST, TEXT + (sure - ALONE) / 1.2))
    for role, path in _PATHS:
        if role in item.cells:
            yield path, _number(item.cells[role], sure)
    yield from _rates(item, sure)
    yield from _unit(item, sure)
    token = item.cells.get("amount") or item.cells.get("gross")
    if token is None:
        return
    if item.multiplies is False and summed:
        sure = CONTRADICTED_SUM
    if item.net_of_gross is not None:
        yield "net_amount", _number(token, sure, value=item.net_of_gross, status="computed")
    elif reduced.discount is None:
        yield "net_amount", _number(token, sure)
    else:
        yield from _discounted(token, reduced.discount, sure)


def _sure(item: Item, *, summed: bool) -> float:
    if item.multiplies is False:
        return CONTRADICTED
    return min(BEST, ALONE + MULTIPLIES * bool(item.multiplies) + SUMS_UP * summed)


def _discounted(token: Token, discount: Item, sure: float) -> Iterator[Cell]:
    off = discount.cells.get("amount") or discount.cells.get("gross")
    if off is None:
        return
    yield "discount.amount", _number(off, sure, value=abs(off.number.value))
    value = token.number.value + off.number.value
    yield "net_amount", _number(token, sure, value=value, status="computed")


def _rates(item: Item, sure: float) -> Iterator[Cell]:
    rate = item.cells.get("tax_rate")
    if rate is not None and 0 <= rate.number.value <= RATE_MAX:
        yield "tax_rate", _number(rate, sure)
    discount = item.cells.get("discount")
    if discount is not None and discount.number.value:
        percent = discount.number.percent or not discount.number.money
        path = "discount.percent" if percent else "discount.amount"
        yield path, _number(discount, sure, value=abs(discount.number.value))


def _unit(item: Item, sure: float) -> Iterator[Cell]:
    token = item.cells.get("quantity")
    if token is not None and token.number.unit:
        yield (
            "unit",
            Field(
                token.number.unit,
                _text(token.words),
                sure,
                "extracted",
                (span_of(token.words),),
            ),
        )
        return
    for role in ("unit", "quantity"):
        for at, one in enumerate(item.roles):
            words = item.entry.row.texts.get(at, ()) if one == role else ()
            text = _text(words)
            if words and len(text) <= UNIT_CHARS_MAX and _UNIT.match(text):
                yield "unit", _field(words, sure)
                return


def _texts(item: Item, sure: float) -> Iterator[Cell]:
    row, grid = item.entry.row, item.entry.grid
    position = item.cells.get("position")
    if position is not None:
        yield "position", _field(position.words, sure, text=_text(position.words).rstrip(".:)"))
    code = item.cells.get("code")
    words = code.words if code else _code_words(item)
    lines = [line for line in item.entry.text if line]
    first = _CODE_FIRST.fullmatch(lines[0][0].text) if lines else None
    if first and len(lines[0]) > 1:
        words, lines[0] = words or lines[0][:1], lines[0][1:]
    if words:
        yield "code", _field(words, sure, text=_text(words).strip("[]()*#"))
    if lines:
        yield "description", _description(lines, sure)
    elif row.texts.get(grid.description):
        yield "description", _field(row.texts[grid.description], sure)


def _code_words(item: Item) -> tuple[Word, ...]:
    row, grid = item.entry.row, item.entry.grid
    for at, role in enumerate(item.roles):
        words = row.texts.get(at, ()) if role == "code" and at != grid.description else ()
        # A word without a digit is a kind of thing, not its number.
        if any(map(str.isdigit, _text(words))):
            return words
    stacked = grid.columns[grid.description].stacked
    if stacked and stacked[0][0] == "code":
        return row.texts.get(grid.description, ())
    return ()


def _description(lines: Sequence[Sequence[Word]], sure: float) -> Field:
    words = [word for line in lines for word in line]
    return _field(words, sure)


def _number(
    token: Token, sure: float, *, value: Decimal | None = None, status: Status = "extracted"
) -> Field:
    text = _plain(token.number.value if value is None else value)
    return Field(text, _text(token.words), round(sure, 4), status, (span_of(token.words),))


def _field(words: Sequence[Word], sure: float, *, text: str | None = None) -> Field:
    raw = _text(words)
    return Field(text or raw, raw, round(sure, 4), "extracted", (span_of(words),))


def _plain(value: Decimal) -> str:
    return f"{value:f}"


def _text(words: Sequence[Word]) -> str:
    return " ".join(word.text for word in words)

"""What an export shows of a result: a row of a document, and a row of each of its lines.

The columns of the two are fixed, so that last month's file and this month's fit together; new
ones come at the end. What is not of its column's type is left out, never guessed.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

from services.storage.domain.cells import Cell

Kind = Literal["text", "number", "date", "moment"]

_LINE = re.compile(r"lines\.(0|[1-9]\d{0,5})\.")


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    kind: Kind
    # A key of the result, or the path of a field of it.
    at: str


def _named(kind: Kind, *paths: str) -> tuple[Column, ...]:
    return tuple(Column(path.replace(".", "_"), kind, path) for path in paths)


# Keys of the result itself.
ABOUT = (
    *_named("text", "document_id"),
    *_named("number", "version"),
    *_named("text", "owner_id"),
    *_named("moment", "accepted_at"),
    *_named("text", "filename", "verdict", "reviewer", "engine"),
    *_named("number", "confidence"),
)
# Fields of the invoice.
INVOICE = (
    *_named("text", "document.type", "seller.name", "seller.vat_id", "buyer.name"),
    *_named("text", "invoice_number", "purchase_order"),
    *_named("date", "issue_date", "due_date", "delivery_date"),
    *_named("text", "currency"),
    *_named("number", "lines_total", "allowances_total", "charges_total", "subtotal"),
    *_named("number", "tax_total", "total", "prepaid", "amount_due"),
    *_named("text", "payment.reference", "payment.accounts.0.iban"),
    *_named("text", "payment.accounts.0.bic"),
)
DOCUMENT_COLUMNS = (*ABOUT, *INVOICE)
# By which the lines are put together with their document.
OF_DOCUMENT = (
    *_named("text", "document_id"),
    *_named("number", "version"),
    *_named("text", "seller.name", "invoice_number"),
    *_named("date", "issue_date"),
    *_named("text", "currency"),
)
OF_LINE = (
    *_named("text", "position", "code", "gtin", "description"),
    *_named("number", "quantity"),
    *_named("text", "unit", "unit_code"),
    *_named("number", "unit_price", "price_base_qty", "discount.amount", "net_amount"),
    *_named("text", "tax_category"),
    *_named("number", "tax_rate", "tax_amount"),
    *_named("text", "po_line", "order_ref"),
)
LINE_COLUMNS = (*OF_DOCUMENT, Column("line", "number", ""), *OF_LINE)


def document_row(content: Mapping[str, Any]) -> list[Cell]:
    about = [_typed(column.kind, content.get(column.at)) for column in ABOUT]
    return about + [_typed(one.kind, _value(content, one.at)) for one in INVOICE]


def line_rows(content: Mapping[str, Any]) -> Iterator[list[Cell]]:
    """In the order of the document; `line` counts them from 1."""
    document = [
        _typed(one.kind, content.get(one.at) or _value(content, one.at)) for one in OF_DOCUMENT
    ]
    for nth, place in enumerate(_places(content), start=1):
        line = [_typed(one.kind, _value(content, f"lines.{place}.{one.at}")) for one in OF_LINE]
        yield [*document, nth, *line]


def _places(content: Mapping[str, Any]) -> Sequence[int]:
    found = (_LINE.match(path) for path in content.get("fields", {}))
    return sorted({int(one[1]) for one in found if one})


def _value(content: Mapping[str, Any], path: str) -> object:
    field = content.get("fields", {}).get(path)
    return field.get("value") if field else None


def _typed(kind: Kind, value: object) -> Cell:
    if value is None:
        return None
    try:
        match kind:
            case "number":
                return _number(value)
            case "date":
                return date.fromisoformat(str(value))
            case "moment":
                return datetime.fromisoformat(str(value))
            case _:
                return str(value)
    except (ValueError, InvalidOperation):
        return None


def _number(value: object) -> Cell:
    if isinstance(value, int):
        return value
    number = Decimal(str(value))
    return number if number.is_finite() else None

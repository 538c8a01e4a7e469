"""A result as one typed row: which columns an analyst finds, and what stands in them.

The columns of schema version 1 come first and keep their names, order and types for good; what
came later stands behind them. A value that is not of its column's type is null, never a guess:
what the document says in words is in `fields`, whatever it is.
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, date
from decimal import Decimal, InvalidOperation
from typing import Literal

from services.storage.domain.results import Result
from shared.contracts.extraction import ExtractedField, ExtractionV1

Row = Mapping[str, object]
Kind = Literal["text", "date", "money", "number", "rate", "flag", "count"]
Columns = Mapping[str, Kind]

SCHEMA_VERSION = 2
SELLER_CHARS_MAX = 200
COUNT = re.compile(r"[0-9]{1,9}")
# Of decimal128: how many digits before the point, and after it. What does not fit is no
# amount of an invoice.
DIGITS: Mapping[Kind, tuple[int, int]] = {"money": (16, 4), "number": (16, 8), "rate": (5, 4)}

# Each of these has a column for how sure it is, too.
HEADER_V1: Columns = {
    **dict.fromkeys(("seller.name", "invoice_number", "currency"), "text"),
    **dict.fromkeys(("issue_date", "due_date"), "date"),
    **dict.fromkeys(("subtotal", "tax_total", "total"), "money"),
}
HEADER_V2: Columns = {
    **dict.fromkeys(("document.type", "document.type_code", "document.language"), "text"),
    **dict.fromkeys(("tax_point_date", "delivery_date"), "date"),
    **dict.fromkeys(("service_period.start", "service_period.end"), "date"),
    **{"accounting_currency": "text", "exchange_rate": "number"},
    **dict.fromkeys(
        (
            *("purchase_order", "buyer_reference", "contract_ref", "project_ref"),
            *("sales_order", "delivery_note", "customer_number"),
        ),
        "text",
    ),
    **dict.fromkeys(
        (
            *("lines_total", "allowances_total", "charges_total", "shipping", "prepaid"),
            *("rounding", "previous_balance", "amount_due", "tax_total_accounting"),
        ),
        "money",
    ),
    "prices_include_tax": "flag",
    **{"payment.terms_text": "text", "payment.net_days": "count"},
    **{"payment.discount.percent": "rate", "payment.discount.days": "count"},
    **dict.fromkeys(
        (
            *("payment.means_code", "payment.reference", "payment.accounts.0.iban"),
            *("seller.vat_id", "seller.tax_number", "seller.address.country"),
            *("buyer.name", "buyer.vat_id", "buyer.address.country"),
        ),
        "text",
    ),
}
LISTS: Mapping[str, Columns] = {
    "lines": {
        **dict.fromkeys(("position", "code", "description"), "text"),
        **{"quantity": "number", "unit": "text", "unit_price": "number"},
        **{"discount.amount": "money", "net_amount": "money"},
        **{"tax_rate": "rate", "tax_amount": "money", "tax_category": "text", "date": "date"},
    },
    "taxes": {
        **{"category": "text", "rate": "rate", "base": "money", "amount": "money"},
        "exemption_reason": "text",
    },
}


def column(path: str) -> str:
    return path.replace(".", "_")


def row_of(result: Result) -> Row:
    extraction = result.extraction
    row: dict[str, object] = {
        "document_id": str(extraction.document_id),
        "version": result.version,
        "owner_id": extraction.owner_id,
        "accepted_at": extraction.accepted_at.astimezone(UTC),
        "filename": extraction.filename,
        "media_type": extraction.media_type,
        "sha256": extraction.sha256,
        "page_count": extraction.page_count,
        "engine": extraction.engine,
        "config": extraction.config,
        "confidence": extraction.confidence,
        "verdict": result.verdict,
        "reviewer": result.reviewer,
    }
    fields = extraction.fields
    for path, name, typed_as in _SURE:
        field = fields.get(path)
        row[name] = None if field is None or field.value is None else typed_as(field.value)
        row[f"{name}_confidence"] = field.confidence if field else None
    row["schema_version"] = SCHEMA_VERSION
    row["degraded"] = extraction.degraded
    for path, name, typed_as in _PLAIN:
        field = fields.get(path)
        row[name] = None if field is None or field.value is None else typed_as(field.value)
    for name in LISTS:
        row[name] = _members(fields, name)
    row["findings"] = [
        {"code": one.code, "severity": one.severity, "detail": one.detail}
        for one in extraction.findings
    ]
    row["fields"] = _lineage(extraction)
    return row


def sorted_by(row: Row) -> tuple[date | None, str]:
    """By what it stands where it stands in the file of its day."""
    issued, seller = row["issue_date"], row["seller_name"]
    text = str(seller or "").replace("\x00", "")[:SELLER_CHARS_MAX]
    return issued if isinstance(issued, date) else None, text


def typed(value: str | None, kind: Kind) -> object:
    return None if value is None else _TYPES[kind](value)


def _members(fields: Mapping[str, ExtractedField], name: str) -> list[dict[str, object]]:
    """In the order of their places. Only what is there is looked at: most cells are empty."""
    beginning, columns = f"{name}.", _LISTED[name]
    told: dict[int, dict[str, object]] = {}
    for path, field in fields.items():
        if not path.startswith(beginning):
            continue
        text, _, rest = path[len(beginning) :].partition(".")
        if not COUNT.fullmatch(text):
            continue
        place = int(text)
        if place not in told:
            told[place] = {"place": place, **_EMPTY[name]}
        # Of `lines.07` and `lines.7` only the one is the path of a member.
        if rest in columns and text == str(place) and field.value is not None:
            cell, typed_as = columns[rest]
            told[place][cell] = typed_as(field.value)
    return [told[place] for place in sorted(told)]


def _lineage(extraction: ExtractionV1) -> list[dict[str, object]]:
    rules: dict[str, list[dict[str, object]]] = {}
    for finding in extraction.findings:
        told: dict[str, object] = {
            "rule": finding.code,
            "result": "failed",
            "severity": finding.severity,
        }
        for path in dict.fromkeys(finding.touches):
            rules.setdefault(path, []).append(told)
    return [
        {
            "path": path,
            "value": field.value,
            "raw": field.raw,
            "confidence": field.confidence,
            "status": field.status,
            "source": field.source,
            "page": field.evidence[0].page if field.evidence else None,
            "box": dict(zip(BOX, field.evidence[0].bbox, strict=True))
            if field.evidence
            else None,
            "rules": _checked(field.signals) + rules.get(path, []),
        }
        for path, field in extraction.fields.items()
    ]


BOX = ("x0", "y0", "x1", "y1")
# Of the signals those that are a check of the field; 1 is passed and 0 is failed. What lies
# between them says that there was nothing to check it with.
CHECKS = {"agree": "engines_agree", "grounded": "on_the_page"}


def _checked(signals: Mapping[str, float]) -> list[dict[str, object]]:
    told: list[dict[str, object]] = []
    if not signals:
        return told
    for signal, rule in CHECKS.items():
        if (value := signals.get(signal)) in (0, 1):
            result = "passed" if value else "failed"
            told.append({"rule": rule, "result": result, "severity": None})
    if signals.get("checks_passed"):
        told.append({"rule": "checks", "result": "passed", "severity": None})
    return told


def _date(value: str) -> date | None:
    try:
        return date.fromisoformat(value)
    except ValueError:
        return None


def _decimal(kind: Kind) -> Callable[[str], Decimal | None]:
    before, after = DIGITS[kind]
    limit, scale = Decimal(10) ** before, Decimal(1).scaleb(-after)

    def typed_as(value: str) -> Decimal | None:
        try:
            number = Decimal(value)
        except InvalidOperation:
            return None
        if not number.is_finite() or abs(number) >= limit:
            return None
        # Rounding may carry it over the limit: 99999.99999 as a rate.
        rounded = number.quantize(scale)
        return rounded if abs(rounded) < limit else None

    return typed_as


def _count(value: str) -> int | None:
    return int(value) if COUNT.fullmatch(value) else None


def _flag(value: str) -> bool | None:
    return {"true": True, "false": False}.get(value)


_TYPES: Mapping[Kind, Callable[[str], object]] = {
    "text": str,
    "date": _date,
    "money": _decimal("money"),
    "number": _decimal("number"),
    "rate": _decimal("rate"),
    "flag": _flag,
    "count": _count,
}

# Asked for every document: by path, its column and how it is typed.
Typed = Callable[[str], object]
_SURE = [(path, column(path), _TYPES[kind]) for path, kind in HEADER_V1.items()]
_PLAIN = [(path, column(path), _TYPES[kind]) for path, kind in HEADER_V2.items()]
_LISTED: Mapping[str, Mapping[str, tuple[str, Typed]]] = {
    name: {path: (column(path), _TYPES[kind]) for path, kind in members.items()}
    for name, members in LISTS.items()
}
_EMPTY = {
    name: dict.fromkeys(cell for cell, _ in columns.values())
    for name, columns in _LISTED.items()
}

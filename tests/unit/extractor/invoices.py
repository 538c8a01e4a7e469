"""Readings that hold together, for tests that then break one thing about them."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import cache

from services.extractor.domain.reading import Field, Reading, Source
from shared.checks.assessment import Assessment
from shared.checks.book import RuleBook
from shared.checks.configured import rule_book
from shared.checks.evaluate import assess
from shared.configuration.load import load_configuration

TODAY = date(2026, 11, 18)


@cache
def book() -> RuleBook:
    return rule_book(load_configuration())


def reading(values: dict[str, str], source: Source = "pdf_text") -> Reading:
    return Reading(
        "offline",
        1,
        {
            path: Field(value, value, 0.8, "extracted", source=source)
            for path, value in values.items()
        },
    )


def invoice(lines: int = 2, **changes: str) -> dict[str, str]:
    """Consistent to the cent; `total="1"` changes one value, `a__b` stands for `a.b`."""
    net = Decimal(lines) * 50
    tax = net * 19 / 100
    values = {
        "document.type": "invoice",
        "document.type_code": "380",
        "invoice_number": "R-1042",
        "issue_date": "2026-11-02",
        "due_date": "2026-12-02",
        "payment.net_days": "30",
        "currency": "EUR",
        "seller.name": "Harbour Works",
        "seller.vat_id": "DE136695976",
        "seller.address.country": "DE",
        "buyer.name": "Lantern Books",
        "buyer.address.country": "DE",
        "payment.accounts.0.iban": "DE89370400440532013000",
        "lines_total": f"{net:.2f}",
        "subtotal": f"{net:.2f}",
        "tax_total": f"{tax:.2f}",
        "total": f"{net + tax:.2f}",
        "amount_due": f"{net + tax:.2f}",
        "taxes.0.category": "S",
        "taxes.0.rate": "19",
        "taxes.0.base": f"{net:.2f}",
        "taxes.0.amount": f"{tax:.2f}",
    }
    for place in range(lines):
        values |= {
            f"lines.{place}.quantity": "4",
            f"lines.{place}.unit_price": "12.50",
            f"lines.{place}.net_amount": "50.00",
            f"lines.{place}.tax_rate": "19",
        }
    return values | dotted(changes)


def dotted(changes: dict[str, str]) -> dict[str, str]:
    return {path.replace("__", "."): value for path, value in changes.items()}


def assessed(values: dict[str, str], source: Source = "pdf_text") -> Assessment:
    return assess(reading(values, source).fields, book(), TODAY)


def without(values: dict[str, str], *paths: str) -> dict[str, str]:
    return {path: value for path, value in values.items() if path not in paths}


def codes(found: Assessment) -> set[str]:
    return {one.code for one in found.findings}


def with_field(one: Reading, path: str, field: Field) -> Reading:
    return replace(one, fields={**one.fields, path: field})

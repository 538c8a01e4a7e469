"""Two documents of one seller: the same invoice, nearly the same, or none of the other's."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.extractor.domain.duplicates import (
    InvoiceKey,
    Nearness,
    invoice_key,
    likeness,
    normalised_number,
    seller_key,
    within_edits,
)
from tests.unit.extractor.invoices import invoice, reading, without

CENT = Decimal("0.01")
NEAR = Nearness()


def _key(**changes: object) -> InvoiceKey:
    told = {
        "seller": "vat:DE136695976",
        "number": "1042",
        "issued": date(2026, 11, 2),
        "total": Decimal("119.00"),
        "currency": "EUR",
    } | changes
    return InvoiceKey(**told)  # type: ignore[arg-type]  # each test names its own values


@pytest.mark.parametrize(
    ("printed", "number"),
    [
        ("INV-0042", "42"),
        ("Re. 2026/0042", "20260042"),
        ("RG#42", "42"),
        ("FACT_042", "42"),
        (" 00 42 ", "42"),
        ("REGAL", "REGAL"),
        ("000", "0"),
        ("", ""),
    ],
)
def test_one_number_has_one_form(printed: str, number: str) -> None:
    assert normalised_number(printed) == number


@given(st.text(max_size=60))
def test_a_number_that_is_normal_stays_as_it_is(text: str) -> None:
    once = normalised_number(text, ())

    assert normalised_number(once, ()) == once


def test_a_seller_is_known_by_the_strongest_there_is() -> None:
    everything = {
        "vat_id": "DE 136695976",
        "legal_id": "HRB 1",
        "iban": "DE89370400440532013000",
        "name": "Harbour Works",
    }
    keys = []
    while everything:
        keys.append(seller_key(**everything, post_code="20457"))
        del everything[next(iter(everything))]

    assert keys == [
        "vat:DE136695976",
        "legal:HRB1",
        "iban:DE89370400440532013000",
        "name:harbourworks:20457",
    ]
    assert seller_key() is None


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "block"),
        ({"total": Decimal(7)}, "block"),
        ({"issued": None}, "block"),
        ({"issued": date(2025, 11, 2)}, "warn"),
        ({"issued": date(2025, 11, 2), "total": Decimal(7)}, None),
        ({"number": "1043"}, "warn"),
        ({"number": "9999"}, "warn"),
        ({"number": "9999", "issued": date(2026, 11, 6)}, None),
        ({"number": "1043", "total": Decimal("119.02")}, None),
        ({"number": "1043", "currency": "USD"}, None),
        ({"number": "1043", "total": None}, None),
        ({"seller": "vat:DE1"}, None),
    ],
)
def test_likeness_of_two_invoices(changes: dict[str, object], expected: str | None) -> None:
    one, other = _key(), _key(**changes)

    assert likeness(one, other, NEAR, CENT) == expected
    assert likeness(other, one, NEAR, CENT) == expected


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [("1042", "1042", True), ("1042", "142", True), ("1042", "1142", True),
     ("1042", "1024", False), ("", "1", True), ("1", "123", False)],
)  # fmt: skip
def test_one_edit_is_near(one: str, other: str, near: bool) -> None:
    assert within_edits(one, other, 1) is near


def test_a_key_is_made_of_what_was_read() -> None:
    key = invoice_key(reading(invoice()), NEAR)

    assert key == _key(number="R1042")
    assert invoice_key(reading(without(invoice(), "invoice_number")), NEAR) is None

"""Values as people type them, in the one form that an invoice keeps them in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.values.typed import WANTED, FormKind, Habits, typed

GERMAN = Habits(mark=",")
AMERICAN = Habits(mark=".", month_first=True)
KUWAITI = Habits(mark=".", minor_units=3)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.234,56 €", "1234.56"),
        ("1,234.56", "1234.56"),
        ("1 234,56", "1234.56"),
        ("1'234.50 CHF", "1234.50"),
        ("EUR 99", "99.00"),
        ("- 12,50 EUR", "-12.50"),
        ("(12.50)", "-12.50"),
        ("1.234", "1234.00"),
        ("0.5", "0.50"),
        ("12345678", "12345678.00"),
        ("1234.5678", "1234.5678"),
        ("1,234.567", "1234.567"),
        ("1234.567", "1234.567"),
        ("−3", "-3.00"),
        ("-0", "0.00"),
    ],
)
def test_an_amount_is_taken_in_every_convention(text: str, value: str) -> None:
    assert typed("money", text, GERMAN) == value


@pytest.mark.parametrize(
    "text", ["", "abc", "12 %", "12 pcs", "1 2", "1e9", "NaN", "12..5", "9" * 30, "٣", "1,2,3"]
)
def test_what_is_no_amount_is_refused(text: str) -> None:
    assert typed("money", text, GERMAN) is None


def test_a_currency_of_three_decimals_has_no_thousand_in_them() -> None:
    assert typed("money", "1.234", KUWAITI) == "1.234"


@pytest.mark.parametrize(
    ("text", "habits", "value"),
    [
        ("1,234", GERMAN, "1.234"),
        ("1,234", AMERICAN, "1234"),
        ("1.5", GERMAN, "1.5"),
        ("19 %", GERMAN, "19"),
        ("3 Std.", GERMAN, "3"),
        ("0,5", AMERICAN, "0.5"),
    ],
)
def test_a_number_is_read_as_the_document_writes_them(
    text: str, habits: Habits, value: str
) -> None:
    assert typed("number", text, habits) == value


@pytest.mark.parametrize(
    ("text", "habits", "value"),
    [
        ("2026-03-03", GERMAN, "2026-03-03"),
        ("3. März 2026", GERMAN, "2026-03-03"),
        ("03/04/2026", GERMAN, "2026-04-03"),
        ("03/04/2026", AMERICAN, "2026-03-04"),
        ("3.4.26", AMERICAN, "2026-04-03"),
        ("Rechnungsdatum: 3.4.2026", GERMAN, "2026-04-03"),
    ],
)
def test_a_day_is_taken_in_figures_and_in_words(text: str, habits: Habits, value: str) -> None:
    assert typed("date", text, habits) == value


@pytest.mark.parametrize("text", ["31.2.2026", "soon", "2026", "1.2.2026 - 3.2.2026", "3.4."])
def test_what_is_no_one_day_is_refused(text: str) -> None:
    assert typed("date", text, GERMAN) is None


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("currency", "€", "EUR"),
        ("currency", "usd", "USD"),
        ("currency", "Swiss francs", "CHF"),
        ("currency", "money", None),
        ("country", "de", "DE"),
        ("country", "Germany", None),
        ("iban", "de89 3704 0044 0532 0130 00", "DE89370400440532013000"),
        ("iban", "12345", None),
        ("vat_id", "DE 136.695.976", "DE136695976"),
        ("code", "b 2", "B2"),
        ("flag", "Ja", "true"),
        ("flag", "perhaps", None),
        ("text", " Nord\u200bwind\tGmbH\n", "Nordwind GmbH"),
        ("text", "\u200b", None),
    ],
)
def test_every_kind_has_one_form(kind: FormKind, text: str, value: str | None) -> None:
    assert typed(kind, text, GERMAN) == value


@given(st.sampled_from(sorted(WANTED)), st.text(max_size=40))
def test_what_was_taken_once_is_taken_again_as_it_is(kind: FormKind, text: str) -> None:
    once = typed(kind, text, GERMAN)

    assert once is None or typed(kind, once, GERMAN) == once

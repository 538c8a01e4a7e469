"""Where a quote stands: not what a model says, but what can be pointed at."""

import pytest

from services.extractor.domain.grounding import (
    BESIDE_A_LABEL,
    ELSEWHERE,
    Found,
    Ground,
    grounded,
    printed_in,
)
from services.extractor.domain.reading import Field, Reading
from shared.pages.words import Word
from tests.unit.extractor.pages import page

INVOICE = page(
    "Nordwind GmbH",
    "Rechnungsnummer: RE-2024-00482      Kundennummer 4711",
    "Rechnungsdatum:  07.02.2024         Lieferdatum  07.02.2024",
    "Handhobel          3     89,90      269,70",
    "Stechbeitel        2    134,85      269,70",
    "Nettobetrag                       1 539,40 EUR",
    "MwSt. 19 %                          102,49 EUR",
    "IBAN DE91 1000 0000 0123 4567 89",
)


def find(quote: str, path: str = "", words: list[Word] = INVOICE) -> Found | None:
    return Ground(words).find(quote, path)


def row_of(found: Found | None) -> int:
    """Counted from 0, as `page` draws them."""
    assert found is not None
    return round((found.span.box[1] - 0.05) / 0.02)


def test_a_quote_beside_its_label_is_where_it_says() -> None:
    found = find("RE-2024-00482", "invoice_number")

    assert found is not None
    assert found.span.text == "RE-2024-00482"
    assert found.signal == BESIDE_A_LABEL


@pytest.mark.parametrize("quote", ["DE91100000000123456789", "de91 1000-0000 0123 4567 89"])
def test_spaces_punctuation_and_case_do_not_count(quote: str) -> None:
    found = find(quote, "payment.accounts.0.iban")

    assert found is not None
    assert found.span.text == "DE91 1000 0000 0123 4567 89"


def test_what_is_not_printed_is_found_nowhere() -> None:
    assert find("RE-2024-00483", "invoice_number") is None
    assert find("", "invoice_number") is None
    assert find(" - ", "invoice_number") is None


@pytest.mark.parametrize(
    ("value", "signal"),
    [("DE91100000000123456789", BESIDE_A_LABEL), ("GB33BUKB20201555555555", 0.0)],
)
def test_an_account_beside_the_quote_of_another_stands_nowhere(
    value: str, signal: float
) -> None:
    path, quote = "payment.accounts.0.iban", "DE91 1000 0000 0123 4567 89"
    field = Field(value, quote, 0.9, "extracted", (), "gemini")

    reading = grounded(Reading("gemini", 1, {path: field}), INVOICE)

    assert reading.fields[path].signals["grounded"] == signal


def test_a_part_of_a_longer_number_is_not_the_number() -> None:
    assert find("00482", "invoice_number") is not None  # its own piece, behind the hyphen
    assert find("482", "invoice_number") is None
    assert find("2.490", "total") is None


def test_of_two_places_the_one_beside_the_label_is_meant() -> None:
    found = find("07.02.2024", "issue_date")

    assert found is not None
    assert found.signal == BESIDE_A_LABEL
    assert found.span.box[0] < 0.3


def test_a_place_without_the_label_is_weaker() -> None:
    found = find("4711", "invoice_number", page("Kunde 4711", "", "", "", "", "Seite 1"))

    assert found is not None
    assert found.signal == ELSEWHERE


def test_a_letter_that_looks_like_a_digit_is_forgiven_and_costs() -> None:
    found = find("RE-2024-OO482", "invoice_number")

    assert found is not None
    assert found.signal == ELSEWHERE


def test_the_cells_of_a_row_are_found_in_their_row() -> None:
    quotes = {
        "lines.0.description": "Handhobel",
        "lines.0.net_amount": "269,70",
        "lines.1.description": "Stechbeitel",
        "lines.1.net_amount": "269,70",
    }
    reading = Reading("gemini", 1, {path: Field("x", raw) for path, raw in quotes.items()})

    placed = grounded(reading, INVOICE).fields

    rows = [placed[f"lines.{row}.net_amount"].evidence[0].box[1] for row in (0, 1)]
    assert rows[0] == pytest.approx(placed["lines.0.description"].evidence[0].box[1])
    assert rows[1] == pytest.approx(placed["lines.1.description"].evidence[0].box[1])
    assert rows[0] < rows[1]


def test_a_field_without_a_place_says_so() -> None:
    reading = Reading("gemini", 1, {"total": Field("1.00", "1,00", signals={"self": 0.9})})

    field = grounded(reading, INVOICE).fields["total"]

    assert field.signals == {"self": 0.9, "grounded": 0.0}
    assert field.evidence == ()


def test_a_quote_over_two_pages_is_where_it_begins() -> None:
    words = page("Summe 12,50") + page("EUR", number=2)

    found = find("12,50 EUR", words=words)

    assert found is not None
    assert (found.span.page, row_of(found)) == (1, 0)


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        ("269.70", "269,70"),
        ("3", "3"),
        ("1540.00", "1 540,00"),
        ("19", "19"),
        ("89.90", "89,90"),
    ],
)
def test_a_number_is_found_in_its_row_as_it_is_printed(value: str, printed: str) -> None:
    row = "Handhobel 3 89,90 19 % 269,70 1 540,00"

    assert printed_in(row, value, number=True) == printed


def test_a_number_that_the_row_does_not_hold_is_not_found_in_it() -> None:
    assert printed_in("Handhobel 3 89,90", "8.99", number=True) is None
    assert printed_in("Handhobel 3 89,90", "899", number=True) is None


def test_the_words_of_a_cell_are_found_in_spite_of_their_case() -> None:
    assert printed_in("HANDHOBEL Nr. 4 3", "Handhobel nr. 4", number=False) == "HANDHOBEL Nr. 4"

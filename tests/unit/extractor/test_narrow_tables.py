"""Tables whose labels nearly touch, and rows that are none."""

from decimal import Decimal

import pytest

from services.extractor.domain.offline.rules import read_invoice
from shared.pages.words import Word
from shared.values.amounts import amounts_in, decimal_mark
from shared.values.numbers import number_of
from tests.unit.extractor.pages import CHAR, page
from tests.unit.extractor.tables_read import cells

# A space is this wide on these pages; a gap of a character and less is no column yet.
NARROW = 0.0098


def with_narrow_gaps(words: list[Word], before: set[str]) -> list[Word]:
    """What follows on the line is moved to the right by less than a column's gap."""
    moved, shift, row = [], 0.0, -1.0
    for word in words:
        if word.top != row:
            row, shift = word.top, 0.0
        shift += NARROW * 0.9 if word.text in before else 0.0
        moved.append(word._replace(left=word.left + shift, right=word.right + shift))
    return moved


def test_a_rate_beside_a_tax_rate_is_two_columns() -> None:
    words = page(
        "Service              Hours     Rate Tax rate   Amount",
        "Consulting            2,00   150,00      19%   300,00",
        "Training              3,00   100,00      19%   300,00",
        "",
        "Net total                                      600,00",
    )
    read = cells(with_narrow_gaps(words, {"Tax"}), "quantity", "unit_price", "tax_rate")

    assert read == [("2.00", "150.00", "19"), ("3.00", "100.00", "19")]


def test_a_code_beside_a_description_is_two_columns() -> None:
    words = page(
        "Artikelcode Omschrijving      Aantal    Prijs    Bedrag",
        "A-3963      Tulpen                 2    10,00     20,00",
        "B-3101      Narcissen, geel        3     5,00     15,00",
        "",
        "Subtotaal                                         35,00",
    )

    assert cells(words, "code", "description") == [
        ("A-3963", "Tulpen"),
        ("B-3101", "Narcissen, geel"),
    ]


def test_an_item_before_a_description_counts_rows_or_names_codes() -> None:
    words = page(
        "Item        Description         Qty    Price    Total",
        "A-1         Oak shelf             2    10.00    20.00",
        "B-2         Pine shelf            3     5.00    15.00",
        "",
        "Subtotal                                        35.00",
    )

    assert cells(words, "code", "description") == [("A-1", "Oak shelf"), ("B-2", "Pine shelf")]


def test_net_alone_is_the_sum_of_a_row() -> None:
    words = page(
        "Description         Qty    Price     Disc. %      Net",
        "Oak shelf             2    10.00         10%    18.00",
        "Pine shelf            3     5.00          0%    15.00",
        "",
        "Subtotal                                        33.00",
    )

    assert cells(words, "quantity", "net_amount") == [("2", "18.00"), ("3", "15.00")]


def test_what_is_carried_over_the_page_is_no_sum_of_the_rows() -> None:
    head = "Description         Qty    Price    Total"
    first = page(
        head,
        "Oak shelf             2    10.00    20.00",
        "Pine shelf            3     5.00    15.00",
        "Carried forward                     35.00",
        number=1,
    )
    second = page(
        head,
        "Brought forward                     35.00",
        "Ash shelf             4     2.00     8.00",
        "VAT 20%                              8.60",
        "Total                               51.60",
        number=2,
    )
    fields = read_invoice([*first, *second], 2, "pdf_text").fields

    amounts = [one.value for path, one in fields.items() if path.endswith(".net_amount")]
    assert amounts == ["20.00", "15.00", "8.00"]


def test_a_tax_on_an_amount_is_nothing_sold() -> None:
    words = page(
        "Descripción         Uds.    Precio    Importe",
        "Curso                  1    594,24     594,24",
        "IVA 10% s/ 594,24                       59,42",
        "Total                                  653,66",
    )
    fields = read_invoice(words, 1, "pdf_text").fields

    assert "lines.1.net_amount" not in fields
    assert "prices_include_tax" not in fields


def test_freight_is_no_tax() -> None:
    words = page(
        "Description         Qty    Price    Total",
        "Oak shelf             2    10.00    20.00",
        "",
        "Goods total                         20.00",
        "Shipping                             4.90",
        "Subtotal                            24.90",
        "VAT 0%                               0.00",
        "Total                               24.90",
    )
    fields = read_invoice(words, 1, "pdf_text").fields

    assert fields["subtotal"].value == "24.90"
    assert fields["tax_total"].value == "0.00"


@pytest.mark.parametrize("printed", ["1,23,456.00", "12,34,567.89", "1,00,00,000.00"])
def test_thousands_are_grouped_as_in_india_too(printed: str) -> None:
    wanted = Decimal(printed.replace(",", ""))

    [amount] = amounts_in(f"Total {printed}")
    number = number_of(printed, ".")
    assert number is not None
    assert (amount.value, number.value) == (wanted, wanted)
    assert decimal_mark([printed]) == "."


def test_three_amounts_with_commas_are_not_taken_for_one() -> None:
    assert [one.value for one in amounts_in("1,23 4,56")] == [Decimal("1.23"), Decimal("4.56")]


def test_the_letters_of_a_number_label_nothing() -> None:
    words = page("Invoice no.     Customer no.", "INV-2024-7123   91274")
    fields = read_invoice(words, 1, "pdf_text").fields

    assert fields["invoice_number"].value == "INV-2024-7123"
    assert fields["customer_number"].value == "91274"


def test_the_province_of_rome_is_no_currency() -> None:
    words = page("Fattura n. 15-2024", "00184 Roma RM", "Importi in EUR")

    assert read_invoice(words, 1, "pdf_text").fields["currency"].value == "EUR"


assert NARROW < CHAR

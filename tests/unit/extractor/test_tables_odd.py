"""Tables whose labels stand aside or are missing, and numbers in cells of any kind."""

import pytest

from services.extractor.domain.offline.rules import read_invoice
from shared.values.numbers import number_of
from tests.unit.extractor.pages import page
from tests.unit.extractor.tables_read import CORE, cells, rows_of


def test_two_tables_are_one_when_they_sum_up_as_one() -> None:
    words = page(
        "Description           Qty     Price    Amount",
        "Brake disc              2     40.00     80.00",
        "",
        "Date        Service                        Hours        Rate      Total",
        "01/02/2024  Fitting                          1.5       60.00      90.00",
        "",
        "Net total                                                        170.00",
    )
    assert [row["net_amount"] for row in rows_of(words)] == ["80.00", "90.00"]


def test_a_label_may_stand_to_the_right_of_its_text() -> None:
    words = page(
        "No                     Article     Qty     Price     Amount",
        "1   Blue chair                       2     10.00      20.00",
        "2   Red chair, large                 1     15.00      15.00",
        "",
        "    Net total                                         35.00",
    )
    assert [row["description"] for row in rows_of(words)] == ["Blue chair", "Red chair, large"]


def test_sums_without_a_label_of_their_own_are_found_to_the_right_of_all_labels() -> None:
    words = page(
        "Description           Qty     Price",
        "Blue chair              2     10.00                     20.00",
        "Red chair               1     15.00                     15.00",
        "",
        "Net total                                               35.00",
    )
    assert [row["net_amount"] for row in rows_of(words)] == ["20.00", "15.00"]


def test_a_text_without_a_label_of_its_own_stands_in_the_widest_gap() -> None:
    words = page(
        "No                      Qty     Price    Amount",
        "1    Blue chair           2     10.00     20.00",
        "",
        "     Net total                            20.00",
    )
    assert cells(words, *CORE) == [("Blue chair", "2", "10.00", "20.00")]


def test_where_only_the_gross_sum_is_printed_the_net_one_is_computed() -> None:
    words = page(
        "Item           Quantity   Net price   VAT rate   Gross amount",
        "Hosting               2       50.00        20%         120.00",
        "",
        "Total net                                              100.00",
        "VAT                                                     20.00",
        "Total                                                  120.00",
    )
    fields = read_invoice(words, 1, "pdf_text").fields
    assert (fields["lines.0.net_amount"].value, fields["lines.0.net_amount"].status) == (
        "100.00",
        "computed",
    )
    assert "prices_include_tax" not in fields


def test_a_discount_on_the_whole_document_is_no_item() -> None:
    words = page(
        "Description           Qty     Price    Amount",
        "Blue chair              2     10.00     20.00",
        "Red chair               1     15.00     15.00",
        "Subtotal                                85.00",
        "Discount 10%                            -3.50",
        "Net total                               31.50",
    )
    assert [row["net_amount"] for row in rows_of(words)] == ["20.00", "15.00"]


def test_the_number_of_a_page_is_no_item() -> None:
    words = page(
        "Description           Qty     Price    Amount",
        "Blue chair              2     10.00     20.00",
        "                         Page    1 of       2",
    ) + page(
        "Red chair               1     15.00     15.00",
        "Net total                               35.00",
        number=2,
    )
    assert [row["net_amount"] for row in rows_of(words)] == ["20.00", "15.00"]


def test_numbers_at_the_start_of_a_line_of_text_stay_in_the_text() -> None:
    words = page(
        "No   Description           Qty     Price    Amount",
        "1    Lamp with a cable       2     10.00     20.00",
        "     12V 40W",
        "",
        "     Net total                               20.00",
    )
    assert rows_of(words)[0]["description"] == "Lamp with a cable 12V 40W"


def test_a_label_may_stand_to_the_right_of_a_text_without_a_number_before_it() -> None:
    words = page(
        "                       Article     UM     Qty     Price     Amount",
        "Blue chair                         pcs      2     10.00      20.00",
        "Red chair                          pcs      1     15.00      15.00",
        "",
        "Net total                                                    35.00",
    )
    assert [row["description"] for row in rows_of(words)] == ["Blue chair", "Red chair"]


def test_the_price_of_one_stands_before_the_price_of_all() -> None:
    words = page(
        "Artikel               Aantal    Prijs per stuk    Prijs incl. btw",
        "Tablet                     1            399,00             399,00",
        "waarvan heffing            1                                 4,24",
        "Hoes                       1             69,99              69,99",
        "",
        "Totaal                                                     468,99",
    )
    assert [row["net_amount"] for row in rows_of(words)] == ["399.00", "4.24", "69.99"]


@pytest.mark.parametrize(
    ("text", "mark", "value"),
    [
        ("1.000", ",", "1000"),
        ("1.000", ".", "1.000"),
        ("3,3333", ".", "3.3333"),
        ("1'250.50", ".", "1250.50"),
        ("12,50-", ",", "-12.50"),
        ("(45.00)", ".", "-45.00"),
        ("(10%)", ".", "10"),
        ("€1.234,50", ",", "1234.50"),
        ("20Stk", ",", "20"),
    ],
)
def test_a_cell_is_read_with_the_decimal_mark_of_its_document(
    text: str, mark: str, value: str
) -> None:
    number = number_of(text, mark)
    assert number is not None
    assert str(number.value) == value


@pytest.mark.parametrize("text", ["4012345001235", "0042", "16X6X28", "01.02.2024", "A-100"])
def test_a_code_or_a_date_is_no_number(text: str) -> None:
    assert number_of(text, ".") is None


def test_hours_of_business_say_nothing_about_the_decimal_mark() -> None:
    words = page(
        "Montag bis Freitag  8.00-20.00 Uhr",
        "Samstag  9.00-16.00 Uhr",
        "",
        "Bezeichnung            Menge     Preis         Betrag",
        "Schrauben M4           1.500     12,50  18.750,00 EUR",
        "",
        "Nettobetrag                             18.750,00 EUR",
    )
    [row] = rows_of(words)
    assert (row["quantity"], row["unit_price"]) == ("1500", "12.50")

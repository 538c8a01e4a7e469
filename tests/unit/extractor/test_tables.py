"""Tables of things sold, as issuers never seen before might draw them."""

import pytest

from services.extractor.domain.offline.rules import read_invoice
from tests.unit.extractor.pages import page
from tests.unit.extractor.tables_read import CORE, cells, rows_of


@pytest.mark.parametrize(
    ("head", "row", "total"),
    [
        (
            "Description           Qty     Price    Amount",
            "Blue chair              2     10.00     20.00",
            "Subtotal                                20.00",
        ),
        (
            "Bezeichnung         Menge   E-Preis   G-Preis",
            "Blue chair              2     10,00     20,00",
            "Summe netto                             20,00",
        ),
        (
            "Désignation           Qté   P.U. HT  Total HT",
            "Blue chair              2     10,00     20,00",
            "Total HT                                20,00",
        ),
        (
            "Concepto         Cantidad    Precio   Importe",
            "Blue chair              2     10,00     20,00",
            "Base imponible                          20,00",
        ),
        (
            "Descrizione         Q.tà    Prezzo    Importo",
            "Blue chair              2     10,00     20,00",
            "Imponibile                              20,00",
        ),
        (
            "Omschrijving       Aantal     Prijs    Bedrag",
            "Blue chair              2     10,00     20,00",
            "Subtotaal                               20,00",
        ),
    ],
)
def test_columns_are_known_by_their_labels_in_six_languages(
    head: str, row: str, total: str
) -> None:
    assert cells(page("Nr. 1", "", head, row, "", total), *CORE) == [
        ("Blue chair", "2", "10.00", "20.00")
    ]


def test_text_that_follows_closely_is_more_of_the_description() -> None:
    words = page(
        "Pos   Bezeichnung              Menge     Preis    Betrag",
        "1     Schraube M8                100      0,12     12,00",
        "      verzinkt, DIN 933",
        "      Serien-Nr: 4711",
        "2     Mutter M8                  100      0,02      2,00",
        "",
        "      Summe netto                                  14,00",
    )
    assert [row["description"] for row in rows_of(words)] == [
        "Schraube M8 verzinkt, DIN 933",
        "Mutter M8",
    ]


def test_numbers_beside_the_middle_of_their_text_have_the_lines_above_them_too() -> None:
    words = page(
        "Item description            Qty   Unit price    Total",
        "Large wooden table",
        "with four chairs              1       500.00   500.00",
        "and a cushion",
        "",
        "Delivery                      1        50.00    50.00",
        "",
        "Subtotal                                       550.00",
    )
    assert (
        rows_of(words)[0]["description"] == "Large wooden table with four chairs and a cushion"
    )


def test_labels_over_two_lines_are_one_label() -> None:
    words = page(
        "                              Unit      Line",
        "Description           Qty     price     total",
        "Blue chair              2     10.00     20.00",
        "",
        "Subtotal                                20.00",
    )
    assert cells(words, *CORE) == [("Blue chair", "2", "10.00", "20.00")]


def test_what_amount_means_is_decided_by_multiplying() -> None:
    words = page(
        "Amount   Product               Price     Total",
        "3        Blue chair            10.00     30.00",
        "2        Red chair             20.00     40.00",
        "",
        "Net total                                70.00",
    )
    assert cells(words, *CORE) == [
        ("Blue chair", "3", "10.00", "30.00"),
        ("Red chair", "2", "20.00", "40.00"),
    ]


def test_the_net_column_is_the_amount_where_a_gross_one_stands_beside_it() -> None:
    words = page(
        "Description     Qty     Price     Net worth    VAT    Gross worth",
        "Blue chair        2     10.00         20.00    10%          22.00",
        "",
        "Total                                 20.00   2.00          22.00",
    )
    assert rows_of(words)[0]["net_amount"] == "20.00"


def test_what_is_carried_over_to_the_next_page_is_no_item() -> None:
    head = "Pos  Bezeichnung           Menge   Preis    Betrag"
    words = page(
        head,
        "1    Erster Artikel            2   10,00     20,00",
        "2    Zweiter Artikel           1   15,00     15,00",
        "     Übertrag                                35,00",
    ) + page(
        "     Übertrag                                35,00",
        head,
        "3    Dritter Artikel           4    5,00     20,00",
        "",
        "     Summe netto                             55,00",
        number=2,
    )
    assert [row["net_amount"] for row in rows_of(words)] == ["20.00", "15.00", "20.00"]


def test_a_table_goes_on_over_the_page_without_its_labels() -> None:
    words = page(
        "No   Description           Qty     Price    Amount",
        "1    First thing               2   10.00     20.00",
    ) + page(
        "2    Second thing              4    5.00     20.00",
        "",
        "     Net total                               40.00",
        number=2,
    )
    assert [row["description"] for row in rows_of(words)] == ["First thing", "Second thing"]


def test_items_go_on_after_a_subtotal_and_end_at_the_total() -> None:
    words = page(
        "Description           Qty     Price    Amount",
        "Honey                   1     42.00     42.00",
        "Subtotal                                42.00",
        "Oil                     2      4.00      8.00",
        "Subtotal                                 8.00",
        "",
        "Total                                   50.00",
        "Paid by card                            50.00",
    )
    assert [row["description"] for row in rows_of(words)] == ["Honey", "Oil"]


def test_a_unit_may_stand_in_the_cell_of_its_quantity() -> None:
    words = page(
        "Menge      Leistung                        Einzel      Gesamt",
        "3,5 h      Wartung der Anlage              80,00 €     280,00 €",
        "12 Stk     Filter                           5,00 €      60,00 €",
        "",
        "Netto                                               340,00 €",
    )
    assert cells(words, "quantity", "unit") == [("3.5", "h"), ("12", "Stk")]


def test_a_discount_under_its_item_lowers_it() -> None:
    words = page(
        "Bezeichnung              Menge     Preis    Betrag",
        "Kunstrasen                   3      4,00     12,00",
        "abzgl. 10% Rabatt                            -1,20",
        "Steak                        5      5,50     27,50",
        "",
        "Zwischensumme                                38,30",
    )
    fields = read_invoice(words, 1, "pdf_text").fields
    assert fields["lines.0.discount.amount"].value == "1.20"
    assert (fields["lines.0.net_amount"].value, fields["lines.0.net_amount"].status) == (
        "10.80",
        "computed",
    )
    assert fields["lines.1.net_amount"].value == "27.50"


def test_a_table_without_labels_counts_when_it_sums_up() -> None:
    rows = (
        "Kaffee Crema          2     3,20      6,40",
        "Apfelkuchen           1     4,50      4,50",
        "",
    )
    words = page("Quittung 12", "", *rows, "Gesamt                               10,90 EUR")
    assert cells(words, *CORE) == [
        ("Kaffee Crema", "2", "3.20", "6.40"),
        ("Apfelkuchen", "1", "4.50", "4.50"),
    ]


def test_aligned_numbers_that_sum_up_to_nothing_are_no_items() -> None:
    words = page(
        "Basic tariff                          120,00",
        "Telephone tariff                       35,00",
        "",
        "Gesamt                                 99,00 EUR",
    )
    assert rows_of(words) == []


def test_what_stands_under_the_head_of_another_table_is_no_item() -> None:
    words = page(
        "Artikel      Menge   Einzelpreis   MwSt.   Gesamt",
        "Brot             2          3,00     7 %     6,00",
        "",
        "MwSt.-Satz   Netto    MwSt.   Brutto",
        "7 %           6,00     0,42     6,42",
    )
    assert [row["description"] for row in rows_of(words)] == ["Brot"]

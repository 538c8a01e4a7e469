"""The tax breakdown, as a sentence, as a line under the total and as a table."""

from services.extractor.domain.offline.rules import read_invoice
from shared.pages.words import Word
from tests.unit.extractor.pages import page


def rates(words: list[Word]) -> list[tuple[str | None, ...]]:
    fields = read_invoice(words, 1, "pdf_text").fields
    count = len({path.split(".")[1] for path in fields if path.startswith("taxes.")})
    return [
        tuple(
            fields[path].value if (path := f"taxes.{place}.{cell}") in fields else None
            for cell in ("rate", "base", "amount")
        )
        for place in range(count)
    ]


def test_a_table_of_rates_is_read_by_what_multiplies() -> None:
    words = page(
        "MwSt.-Satz   Netto    MwSt.   Brutto",
        "7 %           6,00     0,42     6,42",
        "19 %         10,00     1,90    11,90",
        "Summe        16,00     2,32    18,32",
    )
    assert rates(words) == [("7", "6.00", "0.42"), ("19", "10.00", "1.90")]


def test_a_rate_needs_no_percent_sign_under_a_label() -> None:
    words = page(
        "Base imponible    IVA %     Cuota IVA      Total",
        "390,00            21            81,90     471,90",
    )
    assert rates(words) == [("21", "390.00", "81.90")]


def test_a_sentence_says_rate_base_and_amount() -> None:
    words = page(
        "Net total                              100.00",
        "VAT 20% on 100.00                       20.00",
        "Total                                  120.00",
    )
    assert rates(words) == [("20", "100.00", "20.00")]


def test_the_base_of_the_only_rate_is_the_net_total_and_computed() -> None:
    words = page(
        "Summe netto                            155,00 €",
        "19% MwSt                                29,45 €",
        "Gesamtbetrag                           184,45 €",
    )
    assert rates(words) == [("19", "155.00", "29.45")]
    fields = read_invoice(words, 1, "pdf_text").fields
    assert fields["taxes.0.base"].status == "computed"


def test_the_rate_of_an_item_is_no_row_of_the_breakdown() -> None:
    words = page(
        "Description     Qty     Price    VAT     Amount    VAT amount     Gross",
        "Tax advice        1     20.00    10%      20.00          2.00     22.00",
        "Tax return        1     10.00    40%      10.00          4.00     14.00",
        "",
        "Subtotal                                  30.00",
        "VAT 20%                                    6.00",
        "Total                                     36.00",
    )
    assert rates(words) == [("20", "30.00", "6.00")]


def test_numbers_that_do_not_multiply_are_no_breakdown() -> None:
    words = page(
        "Taxable     Rate     VAT",
        "100.00       20     13.00",
    )
    assert rates(words) == []

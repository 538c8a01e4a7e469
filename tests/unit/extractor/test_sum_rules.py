"""Amounts that add up, that are summed up, and that only look like sums."""

from decimal import Decimal

import pytest

from services.extractor.domain.offline.rules import read_invoice
from services.extractor.domain.reading import Reading
from shared.values.amounts import amounts_in
from tests.unit.extractor.pages import page


def read(*lines: str) -> Reading:
    return read_invoice(page(*lines), 1, "pdf_text")


def value(path: str, *lines: str) -> str | None:
    return read(*lines).fields[path].value


def test_the_taxes_of_several_rates_are_summed_up_and_say_that_they_are() -> None:
    fields = read(
        "Net total        473.00",
        "VAT 7 %           19.25",
        "VAT 19 %          37.62",
        "Grand total      529.87",
    ).fields

    assert fields["tax_total"].value == "56.87"
    assert fields["tax_total"].status == "computed"
    assert fields["total"].status == "extracted"


def test_rows_per_rate_without_a_sum_are_added_up_to_the_total() -> None:
    fields = read(
        "Total   276.00",
        "VAT %     Net        VAT       Gross",
        "7.00      224.30     15.70     240.00",
        "19.00      30.25      5.75      36.00",
    ).fields

    assert fields["total"].value == "276.00"
    assert fields["subtotal"].value == "254.55"
    assert fields["subtotal"].status == "computed"


def test_the_row_below_the_rates_is_their_sum() -> None:
    assert (
        value(
            "total",
            "Net amount      VAT amount    Total",
            "321.40          61.07         382.47",
            "127.59           8.93         136.52",
            "448.99          70.00         518.99",
        )
        == "518.99"
    )


def test_three_numbers_that_add_up_by_accident_are_no_tax() -> None:
    fields = read("Net total 275.00", "VAT 198.00", "Total 473.00").fields

    assert fields["total"].confidence < 0.5


def test_what_is_to_be_paid_is_less_than_the_total_after_a_deposit() -> None:
    fields = read(
        "Net total        100.00",
        "VAT 20 %          20.00",
        "Grand total      120.00",
        "Deposit paid      50.00",
        "Amount due        70.00",
    ).fields

    assert fields["total"].value == "120.00"
    assert fields["prepaid"].value == "50.00"
    assert fields["amount_due"].value == "70.00"
    assert fields["amount_due"].confidence > 0.9


def test_a_credit_note_is_positive_and_says_what_it_is() -> None:
    fields = read(
        "Credit note CN-7", "Net total  -100.00", "VAT 20 %  -20.00", "Grand total  -120.00"
    ).fields

    assert fields["document.type"].value == "credit_note"
    assert fields["total"].value == "120.00"
    assert fields["total"].raw == "-120.00"


def test_brackets_are_a_minus_to_accountants_who_write_points() -> None:
    [english] = amounts_in("(1,250.00)", ".")
    [german] = amounts_in("(1.250,00)", ",")

    assert english.value == Decimal("-1250.00")
    assert german.value == Decimal("1250.00")


@pytest.mark.parametrize(
    ("text", "mark"), [("0.025 €", None), ("1.234 €", "."), ("1,234 €", ",")]
)
def test_a_unit_price_of_three_decimals_is_no_thousand(text: str, mark: str | None) -> None:
    assert not list(amounts_in(text, mark))


def test_an_amount_without_cents_follows_the_others_of_its_document() -> None:
    [amount] = amounts_in("1.234 €", ",")

    assert amount.value == Decimal(1234)


def test_hours_do_not_vote_on_the_decimal_mark() -> None:
    fields = read(
        "Mo-Fr 8.00-20.00 Uhr, Sa 8.00-14.00 Uhr", "Summe 1.234 €", "Porto 4,90 €"
    ).fields

    assert fields["total"].value == "1234.00"


def test_a_total_may_be_rounded_to_the_next_coin() -> None:
    fields = read(
        "Net total       100.03",
        "VAT 8.1 %         8.10",
        "Rounding          0.02",
        "Total           108.15",
    ).fields

    assert fields["total"].value == "108.15"
    assert fields["total"].confidence > 0.9


def test_what_a_receipt_calls_net_total_is_the_total_when_it_adds_up() -> None:
    assert value("total", "SubTotal  179.00", "GST 6 %  10.74", "Net Total  189.74") == "189.74"


def test_a_net_that_leaves_no_room_for_a_tax_is_not_taken() -> None:
    fields = read("Net  3.89", "Total due  34.73").fields

    assert fields["total"].value == "34.73"
    assert fields["subtotal"].value is None


def test_a_surcharge_among_the_goods_is_not_a_sum_of_charges() -> None:
    assert "charges_total" not in read("Fuel surcharge   35.50", "Grand total   35.50").fields

"""Amounts and dates as they are printed in different countries."""

from datetime import date
from decimal import Decimal

import pytest

from shared.values.amounts import amounts_in, plain
from shared.values.currencies import CODES
from shared.values.dates import dates_in, month_comes_first
from shared.values.numbers import number_of


@pytest.mark.parametrize(
    ("printed", "value", "currency"),
    [
        ("1,234.56", "1234.56", None),
        ("1.234,56", "1234.56", None),
        ("1 234,56 €", "1234.56", "EUR"),
        ("1'234.56 CHF", "1234.56", "CHF"),
        ("EUR 12.345.678,90", "12345678.90", "EUR"),
        ("$1,200", "1200.00", "USD"),
        ("-12,50 EUR", "-12.50", "EUR"),
        ("£0.99", "0.99", "GBP"),
    ],
)
def test_an_amount_is_read_in_either_decimal_convention(
    printed: str, value: str, currency: str | None
) -> None:
    [amount] = amounts_in(f"Total {printed}")

    assert amount.value == Decimal(value)
    assert amount.currency == currency


@pytest.mark.parametrize("mark", [None, ",", "."])
@pytest.mark.parametrize("text", ["USD 1,234.567", "1.234,567 EUR", "CHF 1'234.567"])
def test_three_decimals_behind_thousands_do_not_make_it_a_thousand_times_more(
    text: str, mark: str | None
) -> None:
    assert not list(amounts_in(text, mark))
    found = number_of(text.replace(" ", ""), mark or ".")
    assert found is not None
    assert found.value == Decimal("1234.567")


@pytest.mark.parametrize(
    "text", [f"{code}100.00" for code in CODES.split("|")] + ["100.00Euro", "NZ$100.00"]
)
def test_a_currency_that_an_amount_may_have_a_cell_may_have(text: str) -> None:
    found = number_of(text, ".")

    assert found is not None
    assert (found.value, found.money) == (Decimal("100.00"), True)


@pytest.mark.parametrize(
    "text", ["19 %", "19,00 %", "2024", "12 Stück", "01.02.2024", "A-4711"]
)
def test_what_is_no_amount_is_not_taken_for_one(text: str) -> None:
    assert not list(amounts_in(text))


def test_an_amount_is_written_as_the_contract_wants_it() -> None:
    assert plain(Decimal("1234.5")) == "1234.50"


@pytest.mark.parametrize(
    ("printed", "value"),
    [
        ("2024-03-05", date(2024, 3, 5)),
        ("05.03.2024", date(2024, 3, 5)),
        ("5.3.24", date(2024, 3, 5)),
        ("05/03/2024", date(2024, 3, 5)),
        ("5 March 2024", date(2024, 3, 5)),
        ("March 5, 2024", date(2024, 3, 5)),
        # The longest way to say a month, in any language that is read here.
        ("1º de septiembre del 2024", date(2024, 9, 1)),
        ("5 de diciembre de 2024", date(2024, 12, 5)),
        ("5. März 2024", date(2024, 3, 5)),
        ("12 août 2024", date(2024, 8, 12)),
        ("1er juillet 2024", date(2024, 7, 1)),
        ("30 juin 2024", date(2024, 6, 30)),
    ],
)
def test_a_date_is_read_in_figures_and_in_words(printed: str, value: date) -> None:
    [found] = dates_in(f"Datum {printed}", month_first=False)

    assert found.value == value


def test_the_month_comes_first_only_where_slashes_are_written() -> None:
    [american] = dates_in("03/05/2024", month_first=True)
    [german] = dates_in("03.05.2024", month_first=True)

    assert american.value == date(2024, 3, 5)
    assert german.value == date(2024, 5, 3)


def test_a_date_with_one_reading_decides_for_the_others() -> None:
    assert month_comes_first(["03/05/2024", "03/25/2024"], likely=False)
    assert not month_comes_first(["03/05/2024", "25/03/2024"], likely=True)
    assert month_comes_first(["03/05/2024"], likely=True)


@pytest.mark.parametrize("text", ["31.02.2024", "00/00/0000", "1.2.3.4.2024", "05.13.2024"])
def test_an_impossible_date_is_no_date(text: str) -> None:
    assert not list(dates_in(text, month_first=False))

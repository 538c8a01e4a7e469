"""Two readers of one page: what is taken, and how far they agree."""

import time

from services.extractor.domain.reading import Field, Reading
from services.extractor.domain.trust.consensus import agreed
from services.extractor.domain.words import Span
from tests.unit.extractor.pages import page

WORDS = tuple(page("Invoice RE-7", "Acme Ltd", "Net  100,00", "Total  119,00 EUR"))
SEEN = Span("119,00 EUR", 1, (0.1, 0.1, 0.2, 0.12))


def model(**values: tuple[str, str]) -> Reading:
    """Each value with the quote that the model gives for it."""
    fields = {
        path.replace("__", "."): Field(value, raw, 0.9, "extracted", (), "gemini")
        for path, (value, raw) in values.items()
    }
    return Reading("gemini", 1, fields)


def ours(**values: str) -> Reading:
    fields = {
        path.replace("__", "."): Field(value, value, 0.8, "extracted", (), "pdf_text")
        for path, value in values.items()
    }
    return Reading("offline", 1, fields, words=WORDS)


def test_the_same_value_in_another_form_is_agreement() -> None:
    reading = agreed(model(total=("119.0", "119,00")), ours(total="119.00"))

    assert reading.fields["total"].signals["agree"] == 1.0
    assert not reading.fields["total"].alternatives


def test_a_longer_name_is_nearly_the_same_one() -> None:
    reading = agreed(
        model(seller__name=("Acme Ltd", "Acme Ltd")), ours(seller__name="Acme Ltd Berlin")
    )

    assert reading.fields["seller.name"].signals["agree"] == 0.5


def test_of_two_values_the_one_that_stands_on_the_page_is_taken_and_the_other_kept() -> None:
    seen = Field("119.00", "119,00", 0.8, "extracted", (SEEN,), "pdf_text")
    from_page = Reading("offline", 1, {"total": seen}, words=WORDS)

    reading = agreed(model(total=("911.00", "911,00")), from_page)

    assert reading.fields["total"].value == "119.00"
    assert reading.fields["total"].signals["agree"] == 0.0
    assert [one.value for one in reading.fields["total"].alternatives] == ["911.00"]
    # That the other's is nowhere is no fault of this one.
    assert "grounded" not in reading.fields["total"].signals


def test_a_grounded_value_of_the_model_is_taken_before_ours() -> None:
    reading = agreed(model(total=("119.00", "119,00")), ours(total="100.00"))

    assert reading.fields["total"].value == "119.00"
    assert [one.value for one in reading.fields["total"].alternatives] == ["100.00"]


def test_what_only_one_reader_saw_is_taken_and_said() -> None:
    reading = agreed(model(total=("119.00", "119,00")), ours(invoice_number="RE-7"))

    assert reading.fields["total"].signals["agree"] == 0.3
    assert reading.fields["invoice_number"].signals["agree"] == 0.3


IBAN, ANOTHER = "DE91100000000123456789", "GB33BUKB20201555555555"


def test_an_account_that_the_model_leaves_out_puts_those_it_names_in_doubt() -> None:
    both = ours(payment__accounts__0__iban=IBAN, payment__accounts__1__iban=ANOTHER)

    reading = agreed(model(payment__accounts__0__iban=(ANOTHER, ANOTHER)), both)

    account = reading.fields["payment.accounts.0.iban"]
    assert (account.value, account.signals["agree"]) == (ANOTHER, 0.0)
    assert [one.value for one in account.alternatives] == [IBAN]


def test_accounts_that_both_readers_name_are_in_no_doubt() -> None:
    both = ours(payment__accounts__0__iban=IBAN, payment__accounts__1__iban=ANOTHER)
    turned = model(
        payment__accounts__0__iban=(ANOTHER, ANOTHER),
        payment__accounts__1__iban=(IBAN, IBAN),
    )

    reading = agreed(turned, both)

    accounts = [reading.fields[f"payment.accounts.{one}.iban"] for one in (0, 1)]
    assert [one.signals["agree"] for one in accounts] == [1.0, 1.0]


def test_rows_come_from_the_reader_whose_rows_add_up() -> None:
    theirs = model(
        subtotal=("100.00", "100,00"),
        lines__0__net_amount=("60.00", "60,00"),
        lines__0__description=("Bolts", "Bolts"),
    )
    mine = ours(
        subtotal="100.00",
        lines__0__net_amount="60.00",
        lines__1__net_amount="40.00",
    )

    fields = agreed(theirs, mine).fields

    assert fields["lines.1.net_amount"].value == "40.00"
    assert fields["lines.0.net_amount"].signals["agree"] == 1.0


def test_rows_are_told_apart_by_what_they_cost_and_not_by_their_place() -> None:
    theirs = model(
        lines__0__net_amount=("40.00", "40,00"), lines__1__net_amount=("60.00", "60,00")
    )
    mine = ours(
        lines__0__net_amount="60.00", lines__0__quantity="6", lines__1__net_amount="40.00"
    )

    fields = agreed(theirs, mine).fields

    assert fields["lines.1.net_amount"].signals["agree"] == 1.0


def test_a_value_that_both_read_is_on_the_page_however_the_model_quotes_it() -> None:
    seen = Field("119.00", "119,00", 0.8, "extracted", (SEEN,), "pdf_text")
    from_page = Reading("offline", 1, {"total": seen}, words=WORDS)

    reading = agreed(model(total=("119.00", "EUR one hundred nineteen")), from_page)

    assert reading.fields["total"].signals["grounded"] == 0.6
    assert reading.fields["total"].evidence == (SEEN,)


def test_a_table_of_thousands_of_rows_is_compared_in_no_time() -> None:
    rows = {
        f"lines.{row}.{cell}": Field(f"{row}.00", f"{row},00", 0.8, "extracted")
        for row in range(4_000)
        for cell in ("net_amount", "unit_price", "quantity", "description")
    }
    began = time.process_time()

    reading = agreed(Reading("gemini", 1, {}), Reading("offline", 1, rows))

    assert len(reading.fields) == len(rows)
    assert time.process_time() - began < 3

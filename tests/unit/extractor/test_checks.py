"""The rules over readings: what holds passes, what does not is named with its numbers."""

import pytest

from services.extractor.domain.reading import Field
from shared.checks.assessment import with_checks
from shared.checks.evaluate import assess
from tests.unit.extractor.invoices import (
    TODAY,
    assessed,
    book,
    codes,
    dotted,
    invoice,
    reading,
    with_field,
    without,
)


def test_a_consistent_invoice_has_no_finding() -> None:
    found = assessed(invoice())

    assert codes(found) == set()
    assert {"E1", "E4", "E5", "E8"} <= {one.rule for one in found.outcomes if one.passed}
    assert found.of("total").reward > found.of("due_date").reward > 0


def test_a_consistent_e_invoice_passes_the_core_checks() -> None:
    found = assessed(invoice(), "einvoice_xml")

    assert codes(found) == set()
    assert {"BR-CO-10", "BR-CO-15", "BR-CO-17"} <= set(found.of("total").passed) | {
        one.rule for one in found.outcomes
    }
    assert "E4" in found.skipped


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"total": "118.99", "amount_due": "118.99"}, None),
        ({"total": "118.98", "amount_due": "118.98"}, "E4"),
        ({"amount_due": "100.00"}, "E5"),
        ({"taxes__0__base": "90.00"}, "E7"),
        ({"taxes__0__amount": "17.00"}, "E6_FAR"),
        ({"lines__1__net_amount": "55.00"}, "E8"),
        ({"lines__1__tax_rate": "7"}, "LINE_RATE"),
        ({"taxes__0__category": "AE"}, "NO_TAX"),
        ({"due_date": "2026-10-02"}, "DATE_ORDER"),
        ({"due_date": "2028-10-02"}, "DUE_FAR"),
        ({"payment__net_days": "14"}, "NET_DAYS"),
        ({"currency": "EUX"}, "field_enum"),
        ({"issue_date": "1999-12-31"}, "field_range"),
        ({"issue_date": "2026-12-31"}, "field_range"),
        ({"issue_date": "2026-02-30"}, "field_malformed"),
        ({"customer_number": "r1042"}, "field_mistaken"),
        ({"seller__name": "1"}, "field_letters"),
        ({"payment__card_last4": "4111111111111111"}, "field_pattern"),
        ({"payment__accounts__0__iban": "DE89370400440532013001"}, "IBAN97"),
        ({"seller__vat_id": "DE136695977"}, "VATFMT"),
        ({"lines__0__gtin": "4006381333932"}, "GTIN"),
        ({"payment__reference": "RF19539007547034"}, "REFERENCE"),
        ({"seller__legal_id": "732829321", "seller__legal_id_scheme": "SIREN"}, "LEGAL_ID"),
    ],
)
def test_one_wrong_value_is_named(change: dict[str, str], rule: str | None) -> None:
    found = codes(assessed(invoice() | dotted(change)))

    assert (rule in found) if rule else found == set()


LIST_PRICE = {"lines__1__unit_price": "10.00", "lines__1__net_amount": "36.00"}


@pytest.mark.parametrize(
    ("change", "fits"),
    [
        ({**LIST_PRICE}, False),
        # 4 at 10.00, of which a tenth is let off; whichever of the two prices that is.
        ({**LIST_PRICE, "lines__1__discount__percent": "10"}, True),
        ({**LIST_PRICE, "lines__1__discount__amount": "4.00"}, True),
        ({**LIST_PRICE, "lines__1__gross_price": "9.00"}, True),
        ({**LIST_PRICE, "lines__1__gross_price": "9.50"}, False),
        (
            {
                **{"lines__1__unit_price": "9.00", "lines__1__net_amount": "36.00"},
                **{"lines__1__gross_price": "10.00", "lines__1__discount__percent": "10"},
            },
            True,
        ),
        (
            {
                **{"lines__1__unit_price": "9.10", "lines__1__net_amount": "36.00"},
                **{"lines__1__gross_price": "10.00", "lines__1__discount__amount": "4.00"},
            },
            True,
        ),
        # Told of a discount, the whole is not the line's amount.
        ({"lines__1__discount__amount": "4.00"}, False),
        # The price of a hundred.
        (
            {
                **{"lines__1__unit_price": "1", "lines__1__gross_price": "1250"},
                "lines__1__price_base_qty": "100",
            },
            True,
        ),
        ({"lines__1__gross_price": "1250", "lines__1__price_base_qty": "0"}, True),
    ],
)
def test_a_line_is_multiplied_by_the_price_that_is_paid_or_by_the_one_before_its_discount(
    change: dict[str, str], fits: bool
) -> None:
    found = assessed(invoice() | dotted(change))

    assert ("E8" not in codes(found)) is fits


def test_a_line_with_nothing_but_a_price_before_its_discount_is_multiplied_too() -> None:
    line = without(invoice(lines__1__gross_price="12.50"), "lines.1.unit_price")

    found = assessed(line)

    assert [one.rule for one in found.outcomes if one.rule == "E8" and one.passed] == ["E8"] * 2
    assert "E8" in codes(assessed(line | {"lines.1.gross_price": "12.75"}))


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"total": "119.01", "amount_due": "119.01"}, "BR-CO-15"),
        ({"lines_total": "100.01"}, "BR-CO-10"),
        ({"subtotal": "99.99"}, "BR-CO-13"),
        ({"tax_total": "19.01"}, "BR-CO-14"),
        ({"amount_due": "118.99"}, "BR-CO-16"),
        ({"taxes__0__amount": "20.01", "tax_total": "20.01"}, "BR-CO-17"),
    ],
)
def test_data_has_to_be_exact_where_print_may_be_rounded(
    change: dict[str, str], rule: str
) -> None:
    assert rule in codes(assessed(invoice() | dotted(change), "einvoice_xml"))


@pytest.mark.parametrize(
    ("currency", "total", "fails"),
    [("EUR", "119.01", False), ("JPY", "120", False), ("JPY", "121", True),
     ("KWD", "119.001", False), ("KWD", "119.010", True)],
)  # fmt: skip
def test_a_tolerance_is_counted_in_the_smallest_coin(
    currency: str, total: str, fails: bool
) -> None:
    found = assessed(invoice(currency=currency, total=total, amount_due=total))

    assert ("E4" in codes(found)) is fails


def test_a_finding_says_the_numbers_and_the_fields() -> None:
    (one,) = [one for one in assessed(invoice(total="129.00")).findings if one.code == "E4"]

    assert one.detail == "100.00 and 19.00 of tax do not make 129.00; off by 10.00."
    assert set(one.touches) == {"subtotal", "tax_total", "total"}
    assert one.severity == "block"


def test_prices_that_include_tax_are_summed_to_the_total() -> None:
    gross = without(
        invoice(
            prices_include_tax="true",
            lines__0__net_amount="59.50",
            lines__1__net_amount="59.50",
            lines__0__unit_price="14.875",
            lines__1__unit_price="14.875",
        ),
        "lines_total",
    )

    assert codes(assessed(gross)) == set()
    assert "E1" in codes(assessed(gross | {"prices_include_tax": "false"}))


def test_a_credit_note_may_be_positive_or_negative() -> None:
    credit = invoice(document__type="credit_note")
    money = ("total", "amount", "base", "quantity", "due")
    negative = {
        path: f"-{value}" if path.endswith(money) and "rate" not in path else value
        for path, value in credit.items()
    }

    assert codes(assessed(credit)) == codes(assessed(negative)) == {"CREDITED_INVOICE"}


def test_a_previous_balance_is_due_as_well() -> None:
    assert codes(assessed(invoice(previous_balance="31.00", amount_due="150.00"))) == set()


def test_nothing_due_says_nothing_about_the_total() -> None:
    found = assessed(invoice(amount_due="0.00"))

    assert codes(found) == set()
    assert "E5" in found.skipped
    assert "E5" in codes(assessed(invoice(amount_due="0.00", prepaid="19.00")))


def test_a_rule_without_its_fields_is_skipped() -> None:
    found = assessed(without(invoice(), "tax_total"))

    assert {"E3", "E4"} <= set(found.skipped)
    assert codes(found) == {"field_required"}


def test_a_missing_value_is_computed_and_says_so() -> None:
    one = reading(without(invoice(), "subtotal", "lines_total"))
    found = assess(one.fields, book(), TODAY)
    kept = with_checks(one.fields, found)

    assert found.computed["subtotal"].value == "100.00"
    assert kept["subtotal"].status == "computed"
    assert kept["subtotal"].source == "rule"


def test_nothing_is_computed_from_a_value_that_a_blocker_doubts() -> None:
    values = without(invoice(amount_due="7.00"), "subtotal", "lines_total", "taxes.0.base")

    assert not assessed(values).computed
    assert assessed(values | {"amount_due": "119.00"}).computed


def test_what_was_read_is_never_replaced_by_what_was_computed() -> None:
    one = reading(invoice(total="129.00"))
    found = assess(one.fields, book(), TODAY)
    kept = with_checks(one.fields, found)

    assert not found.computed
    assert {path: field.value for path, field in kept.items()} == {
        path: field.value for path, field in one.fields.items()
    }


def test_a_computed_value_proves_nothing() -> None:
    computed = Field("119.00", None, 0.8, "computed", source="rule")
    found = assess(with_field(reading(invoice()), "total", computed).fields, book(), TODAY)

    (equation,) = [one for one in found.outcomes if one.rule == "E4"]
    assert equation.passed
    assert equation.reward == 0


@pytest.mark.parametrize(
    ("path", "read", "meant"),
    [
        ("total", "179.00", "119.00"),
        ("total", "11900", "119.00"),
        ("tax_total", "79.00", "19.00"),
        ("payment.accounts.0.iban", "DE8937040044O532013000", "DE89370400440532013000"),
        ("lines.1.net_amount", "5000", "50.00"),
    ],
)
def test_the_smallest_misreading_is_offered(path: str, read: str, meant: str) -> None:
    found = assessed(invoice() | {path: read})

    assert meant in {one.value for one in found.alternatives[path]}
    assert {one.source for one in found.alternatives[path]} == {"rule"}


def test_two_totals_that_changed_places_are_offered_swapped() -> None:
    found = assessed(invoice(subtotal="119.00", total="100.00", amount_due="119.00"))

    assert "100.00" in {one.value for one in found.alternatives["subtotal"]}
    assert "119.00" in {one.value for one in found.alternatives["total"]}

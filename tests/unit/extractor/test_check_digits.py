"""Numbers with check digits: right, one figure wrong, and of a country that has no rule."""

import pytest

from shared.checks.book import Hints
from shared.checks.check_digits import CHECK_DIGITS


@pytest.mark.parametrize(
    ("check", "number"),
    [
        ("iban", "DE89 3704 0044 0532 0130 00"),
        ("iban", "GB82WEST12345698765432"),
        ("bic", "COBADEFFXXX"),
        ("vat_id", "DE136695976"),
        ("vat_id", "EL094259216"),
        ("vat_id", "CHE-123.456.788"),
        ("vat_id", "CHE-123.456.788 MWST"),
        ("vat_id", "CHE-123.456.788 IVA"),
        ("gtin", "4006381333931"),
    ],
)
def test_a_number_is_right_in_whatever_form_it_is_printed(check: str, number: str) -> None:
    assert CHECK_DIGITS[check](number, Hints()) is True


@pytest.mark.parametrize(
    ("check", "number"),
    [
        ("iban", "DE89 3704 0044 0532 0130 01"),
        ("bic", "COBADEFXXX"),
        ("vat_id", "DE136695975"),
        ("vat_id", "CHE-123.456.787 TVA"),
        ("gtin", "4006381333932"),
    ],
)
def test_a_wrong_figure_is_noticed(check: str, number: str) -> None:
    assert CHECK_DIGITS[check](number, Hints()) is False


def test_nobody_is_accused_where_no_rule_is_known() -> None:
    assert CHECK_DIGITS["vat_id"]("US12-3456789", Hints()) is None
    assert CHECK_DIGITS["vat_id"]("12345", Hints()) is None

"""A label has one name for a field, however many rows an invoice has."""

import pytest

from shared.invoice.paths import field_of


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("total", "total"),
        ("lines.12.net_amount", "lines.net_amount"),
        ("payment.accounts.0.iban", "payment.accounts.iban"),
        ("lines.3", "lines"),
        ("lines.3.whatever", "other"),
        ("to.whom.it.may.concern", "other"),
    ],
)
def test_a_field_has_one_name_whichever_row_it_stands_in(path: str, field: str) -> None:
    assert field_of(path) == field

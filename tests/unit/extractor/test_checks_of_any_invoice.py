"""What holds of the rules for every invoice, however odd: they find what is wrong."""

from dataclasses import replace
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from services.extractor.domain.reading import MISSING
from shared.checks.assessment import with_checks
from shared.checks.evaluate import assess, failures
from tests.unit.extractor.invoices import TODAY, assessed, book, codes, invoice, reading

TOUCHED = {
    "lines_total": {"E1", "E2"},
    "subtotal": {"E2", "E4", "E7"},
    "tax_total": {"E3", "E4"},
    "total": {"E4", "E5"},
    "amount_due": {"E5"},
    "taxes.0.base": {"E6", "E7"},
}
EQUATIONS = {"E1", "E2", "E3", "E4", "E5", "E6", "E7", "E8"}


@settings(max_examples=60, deadline=None)
@given(
    lines=st.lists(
        st.tuples(st.integers(1, 400), st.integers(1, 900_000)), min_size=1, max_size=12
    ),
    rate=st.sampled_from([7, 19]),
)
def test_a_changed_amount_fails_exactly_the_equations_that_touch_it(
    lines: list[tuple[int, int]], rate: int
) -> None:
    net = sum((Decimal(q) * p / 100 for q, p in lines), Decimal(0))
    tax = (net * rate / 100).quantize(Decimal("0.01"))
    values = invoice(
        0,
        lines_total=f"{net:.2f}",
        subtotal=f"{net:.2f}",
        tax_total=f"{tax:.2f}",
        total=f"{net + tax:.2f}",
        amount_due=f"{net + tax:.2f}",
        taxes__0__rate=str(rate),
        taxes__0__base=f"{net:.2f}",
        taxes__0__amount=f"{tax:.2f}",
    )
    for place, (quantity, price) in enumerate(lines):
        values[f"lines.{place}.quantity"] = str(quantity)
        values[f"lines.{place}.unit_price"] = f"{Decimal(price) / 100:.2f}"
        values[f"lines.{place}.net_amount"] = f"{Decimal(quantity) * price / 100:.2f}"

    assert not codes(assessed(values)) & EQUATIONS
    for path, equations in TOUCHED.items():
        wrong = values | {path: f"{Decimal(values[path]) + 1000:.2f}"}
        assert codes(assessed(wrong)) & EQUATIONS == equations


ODD = st.one_of(
    st.text(max_size=40),
    st.sampled_from(["NaN", "1e999", "-Infinity", "9" * 5000, "١٢٣", "1_000", "0x10", "--1",
                     "9999-12-31", "0000-00-00", "999999999999999.9999999999", "\x00", "0"]),
)  # fmt: skip
PATHS = [
    *invoice(3),
    "prepaid",
    "payment.reference",
    "payment.creditor_id",
    "seller.legal_id",
    "lines.0.gtin",
    "lines.0.price_base_qty",
    "lines.0.discount.percent",
    "lines.0.gross_price",
]


@settings(max_examples=120, deadline=None)
@given(st.dictionaries(st.sampled_from(PATHS), ODD, max_size=12), st.booleans())
def test_no_value_of_a_document_makes_the_rules_fail(
    changes: dict[str, str], as_data: bool
) -> None:
    one = reading(invoice(3) | changes, "einvoice_xml" if as_data else "ocr")
    found = assess(one.fields, book(), TODAY)

    kept = with_checks(one.fields, found)
    assert all(
        kept[path].value == field.value
        for path, field in one.fields.items()
        if field is not MISSING
    )


@settings(max_examples=100, deadline=None)
@given(
    changed=st.dictionaries(st.sampled_from(PATHS), ODD, max_size=8),
    exact=st.sets(st.sampled_from(PATHS)),
)
def test_what_failed_is_the_same_for_whoever_asks_for_nothing_else(
    changed: dict[str, str], exact: set[str]
) -> None:
    fields = {
        path: replace(one, source="einvoice_xml") if path in exact else one
        for path, one in reading(invoice(3) | changed).fields.items()
    }

    found = assess(fields, book(), TODAY)

    assert failures(fields, book(), TODAY) == [one for one in found.outcomes if not one.passed]

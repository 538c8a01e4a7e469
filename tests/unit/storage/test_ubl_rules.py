"""What breaks a rule of EN 16931 is named, and does not leave as UBL."""

from collections.abc import Mapping

import pytest

from services.storage.domain.concluding import invoice_of
from services.storage.domain.en16931 import broken_rules
from tests.unit.extractor.einvoices import STATED
from tests.unit.storage.stated import ACTING, COUNTRY, NAME, VAT_ID, Values, but, free


def rules(values: Mapping[str, str | None]) -> set[str]:
    return {one.rule for one in broken_rules(invoice_of(values))}


BROKEN: Mapping[str, tuple[str, Values]] = {
    "no number": ("BR-02", but(invoice_number=None)),
    "no date": ("BR-03", but(issue_date=None)),
    "no currency": ("BR-05", but(currency=None)),
    "no seller": ("BR-06", but(seller__name=None)),
    "no buyer": ("BR-07", but(buyer__name=None)),
    "no country of the seller": ("BR-09", but(seller__address__country=None)),
    "no country of the buyer": ("BR-11", but(buyer__address__country=None)),
    "no total": ("BR-14", but(total=None, subtotal=None)),
    "no line": ("BR-16", {k: v for k, v in STATED.items() if not k.startswith("lines.")}),
    "a type that is none": ("BR-CL-01", but(document__type_code="999")),
    "a currency in words": ("BR-CL-04", but(currency="Euro")),
    "a foreign currency in words": ("BR-CL-05", but(accounting_currency="Kronor")),
    "a country in words": ("BR-CL-14", but(buyer__address__country="Austria")),
    "a means of payment in words": ("BR-CL-16", but(payment__means_code="cash")),
    "a unit in words": ("BR-CL-23", but(lines__0__unit_code="hours")),
    "no quantity": ("BR-22", but(lines__0__quantity=None)),
    "no net amount": ("BR-24", but(lines__0__net_amount=None)),
    "no name of an item": ("BR-25", but(lines__0__description=None)),
    "no price": ("BR-26", but(lines__0__unit_price=None)),
    "a negative price": ("BR-27", but(lines__0__unit_price="-55.00")),
    "a period that ends first": (
        "BR-29",
        but(service_period__start="2024-02-02", service_period__end="2024-02-01"),
    ),
    "an allowance without a reason": ("BR-33", but(allowances__0__reason=None)),
    "a transfer to nowhere": (
        "BR-61",
        {k: v for k, v in STATED.items() if not k.startswith("payment.accounts")},
    ),
    "tax in a foreign currency": ("BR-53", but(accounting_currency="CHF")),
    "lines that do not add up": ("BR-CO-10", but(lines_total="105.01")),
    "allowances that do not add up": ("BR-CO-11", but(allowances_total="6.00")),
    "a net that does not add up": ("BR-CO-13", but(subtotal="100.01")),
    "taxes that do not add up": ("BR-CO-14", but(tax_total="19.01")),
    "a total that does not add up": ("BR-CO-15", but(total="119.01")),
    "an amount due that does not add up": ("BR-CO-16", but(amount_due="100.01")),
    "a tax that is not its rate": ("BR-CO-17", but(taxes__0__amount="25.00")),
    "no breakdown": ("BR-CO-18", {k: v for k, v in STATED.items() if "taxes." not in k}),
    "nothing due and no terms": ("BR-CO-25", but(due_date=None, payment__terms_text=None)),
    "nothing that identifies the seller": ("BR-CO-26", but(seller__vat_id=None)),
    "a VAT id of no country": ("BR-CO-09", but(seller__vat_id="136695976")),
    "a VAT id of a country there is not": ("BR-CO-09", but(seller__vat_id="XX136695976")),
    "a representative without a name": ("BR-18", but(**{**ACTING, NAME: None})),
    "a representative without an address": ("BR-19", but(**{**ACTING, COUNTRY: None})),
    "a representative of no country": (
        "BR-20",
        but(**{**ACTING, COUNTRY: None}, tax_representative__address__city="Wien"),
    ),
    "a representative without a VAT id": ("BR-56", but(**{**ACTING, VAT_ID: None})),
    "a place of delivery in no country": ("BR-57", but(ship_to__address__region="Tirol")),
    "a register in words": (
        "BR-CL-11",
        but(seller__legal_id="HRB 1", seller__legal_id_scheme="HRB"),
    ),
    "a credit note with the code of an invoice": (
        "BR-CL-01",
        but(document__type="credit_note", document__type_code="380"),
    ),
    "a split payment outside Italy": ("BR-B-01", but(lines__0__tax_category="B")),
    "a split payment beside standard tax": ("BR-B-02", but(lines__0__tax_category="B")),
    "three decimals": ("BR-DEC-23", but(lines__0__net_amount="105.001")),
    "a rate of zero": ("BR-S-05", but(lines__0__tax_rate="0")),
    "a base that is not that of the lines": ("BR-S-08", but(taxes__0__base="90.00")),
    "a tax of a category without": ("BR-Z-09", free("Z", taxes__0__amount="1.00")),
    "a rate of a category without": ("BR-E-05", free("E", lines__0__tax_rate="19")),
    "no reason": ("BR-E-10", free("E", taxes__0__exemption_reason=None)),
    "reverse charge to nobody": ("BR-AE-02", free("AE", buyer__vat_id=None)),
    "a delivery into no country": ("BR-IC-12", free("K", ship_to__address__country=None)),
    "a delivery at no time": ("BR-IC-11", free("K", delivery_date=None)),
    "an export by nobody": ("BR-G-02", free("G", seller__vat_id=None)),
    "not subject to tax, with a VAT id": (
        "BR-O-02",
        free("Z", taxes__0__category="O", lines__0__tax_category="O"),
    ),
    "no such category": ("BR-CL-17", but(lines__0__tax_category="Q")),
    "a category that no tax has": ("BR-Z-01", but(lines__0__tax_category="Z")),
}


@pytest.mark.parametrize(("rule", "values"), BROKEN.values(), ids=BROKEN.keys())
def test_a_rule_that_is_broken_is_named(rule: str, values: Values) -> None:
    assert rule in rules(values)


@pytest.mark.parametrize("path", ["total", "taxes.0.base", "lines.0.net_amount"])
@pytest.mark.parametrize("amount", ["1e99", "9" * 30])
def test_what_is_no_amount_is_missing_whatever_it_is(path: str, amount: str) -> None:
    told = broken_rules(invoice_of({**STATED, path: amount}))

    assert {"total": "BR-14", "taxes.0.base": "BR-45", "lines.0.net_amount": "BR-24"}[path] in {
        one.rule for one in told
    }


def test_an_invoice_of_which_nothing_was_read_names_everything_it_lacks() -> None:
    assert {"BR-02", "BR-03", "BR-04", "BR-06", "BR-07", "BR-14", "BR-16"} <= rules({})

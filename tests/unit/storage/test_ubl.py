"""UBL of a verified invoice: what went in comes out of our own reader of e-invoices, and what
breaks a rule of EN 16931 is named and does not leave."""

from collections.abc import Mapping
from decimal import Decimal
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.extractor.domain.einvoice.documents import read_xml
from services.storage.adapters.ubl import UblInvoices
from services.storage.domain.concluding import invoice_of
from services.storage.domain.en16931 import broken_rules
from tests.house.repository import ROOT
from tests.unit.extractor.einvoices import STATED

Values = dict[str, str | None]
SAMPLE = ROOT / "deploy" / "samples" / "de-lotwerk-vermessung.xml"
# A category without tax, and what it needs beyond the ordinary.
FREE: Mapping[str, Values] = {
    "Z": {},
    "E": {"taxes.0.exemption_reason": "Small business"},
    "AE": {"buyer.vat_id": "ATU12345678"},
    "G": {},
    "K": {
        "buyer.vat_id": "ATU12345678",
        "delivery_date": "2024-02-28",
        "ship_to.address.country": "AT",
    },
}


async def there_and_back(values: Mapping[str, str | None]) -> dict[str, str | None]:
    invoice = invoice_of(values)
    assert [one.rule for one in broken_rules(invoice)] == []
    read = read_xml(await UblInvoices().ubl_of(invoice))
    assert (read.syntax, read.remarks) == ("ubl", ())
    return {path: one.value for path, one in read.stated.items()}


def rules(values: Mapping[str, str | None]) -> set[str]:
    return {one.rule for one in broken_rules(invoice_of(values))}


def but(**changes: str | None) -> Values:
    return {**STATED, **{path.replace("__", "."): one for path, one in changes.items()}}


def free(category: str, **more: str | None) -> Values:
    values: Values = {
        **STATED,
        "taxes.0.category": category,
        "taxes.0.rate": "0",
        "taxes.0.amount": "0.00",
        "allowances.0.tax_rate": "0",
        "lines.0.tax_category": category,
        "lines.0.tax_rate": "0",
        "tax_total": "0.00",
        "total": "100.00",
        "amount_due": "81.00",
        **FREE[category],
    }
    return values | {path.replace("__", "."): one for path, one in more.items()}


async def test_all_that_an_invoice_states_comes_back() -> None:
    read = await there_and_back(STATED)

    assert {path: read.get(path) for path in STATED} == STATED


async def test_a_sample_that_came_as_data_leaves_as_it_came() -> None:
    stated = {path: one.value for path, one in read_xml(SAMPLE.read_bytes()).stated.items()}

    assert await there_and_back(stated) == stated


async def test_a_credit_note_is_one_and_names_what_it_is_about() -> None:
    values = but(
        document__type="credit_note",
        document__type_code="381",
        preceding_invoices__0__number="2024-0700",
        preceding_invoices__0__date="2024-01-31",
        project_ref="P-1",
    )

    read = await there_and_back(values)

    assert {path: read.get(path) for path in values} == values
    xml = await UblInvoices().ubl_of(invoice_of(values))
    assert ElementTree.fromstring(xml).tag.endswith("}CreditNote")  # noqa: S314


async def test_a_credit_note_need_not_say_when_it_is_paid() -> None:
    values = but(
        document__type="credit_note",
        document__type_code="381",
        due_date=None,
        payment__terms_text=None,
    )

    assert "due_date" not in await there_and_back(values)


async def test_a_representative_with_all_that_is_asked_of_one_leaves() -> None:
    read = await there_and_back(but(**ACTING))

    assert read["tax_representative.name"] == "Fiskal OG"


async def test_a_split_payment_within_italy_leaves() -> None:
    read = await there_and_back(
        but(
            seller__address__country="IT",
            buyer__address__country="IT",
            lines__0__tax_category="B",
            taxes__0__category="B",
        )
    )

    assert read["taxes.0.category"] == "B"


@pytest.mark.parametrize("category", FREE)
async def test_an_invoice_without_tax_says_why(category: str) -> None:
    values = free(category)

    read = await there_and_back(values)

    assert read["taxes.0.category"] == category
    assert read["total"] == "100.00"
    if category not in ("Z",):
        assert read["taxes.0.exemption_reason"]


async def test_two_rates_and_a_charge_come_back() -> None:
    values = but(
        lines__1__position="2",
        lines__1__description="Book",
        lines__1__quantity="1",
        lines__1__unit_code="C62",
        lines__1__unit_price="50.00",
        lines__1__net_amount="50.00",
        lines__1__tax_rate="7.00",
        lines__1__tax_category="S",
        allowances__1__charge="true",
        allowances__1__amount="10.00",
        allowances__1__reason="Freight",
        allowances__1__tax_rate="7.00",
        charges_total="10.00",
        lines_total="155.00",
        taxes__1__category="S",
        taxes__1__rate="7.00",
        taxes__1__base="60.00",
        taxes__1__amount="4.20",
        subtotal="160.00",
        tax_total="23.20",
        total="183.20",
        amount_due="164.20",
    )

    read = await there_and_back(values)

    assert {path: read.get(path) for path in values} == values


async def test_what_follows_from_the_rest_is_filled_in() -> None:
    concluded = (
        *("document.type_code", "lines_total", "allowances_total", "amount_due"),
        *("taxes.0.category", "lines.0.tax_category", "lines.0.tax_rate", "lines.0.unit_code"),
        *("lines.0.position", "payment.means_code", "subtotal"),
    )
    values = {path: one for path, one in STATED.items() if path not in concluded}

    read = await there_and_back(values)

    told = {path: read.get(path) for path in concluded if path != "payment.means_code"}
    assert told == {path: STATED[path] for path in told}
    assert read["payment.means_code"] == "30"


async def test_what_xml_cannot_hold_is_left_out_and_the_rest_is_escaped() -> None:
    values = but(seller__name="<b>&\x00\x0bSöhne]]></b>")

    assert (await there_and_back(values))["seller.name"] == "<b>&Söhne]]></b>"


NAME, COUNTRY = "tax_representative__name", "tax_representative__address__country"
VAT_ID = "tax_representative__vat_id"
ACTING: Mapping[str, str | None] = {NAME: "Fiskal OG", COUNTRY: "AT", VAT_ID: "ATU12345678"}
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


def test_an_invoice_of_which_nothing_was_read_names_everything_it_lacks() -> None:
    assert {"BR-02", "BR-03", "BR-04", "BR-06", "BR-07", "BR-14", "BR-16"} <= rules({})


money = st.decimals("0.01", "99999.99", places=2)


@settings(max_examples=60, deadline=None)
@given(
    lines=st.lists(
        st.tuples(money, st.sampled_from(["19", "7"]), st.integers(1, 9)),
        min_size=1,
        max_size=6,
    ),
    allowance=st.decimals("0", "0.99", places=2),
    prepaid=st.decimals("0", "10", places=2),
)
async def test_whatever_adds_up_comes_back_with_its_totals_lines_and_taxes(
    lines: list[tuple[Decimal, str, int]], allowance: Decimal, prepaid: Decimal
) -> None:
    values = _invoice(lines, allowance, prepaid)

    read = await there_and_back(values)

    assert {path: read.get(path) for path in values} == values


def _invoice(
    lines: list[tuple[Decimal, str, int]], allowance: Decimal, prepaid: Decimal
) -> dict[str, str]:
    head = {
        path: value
        for path, value in STATED.items()
        if path.split(".")[0] not in ("lines", "taxes", "allowances") and "total" not in path
    }
    bases: dict[str, Decimal] = {}
    for place, (price, rate, quantity) in enumerate(lines):
        at, net = f"lines.{place}", price * quantity
        bases[rate] = bases.get(rate, Decimal(0)) + net
        head |= {f"{at}.position": str(place + 1), f"{at}.description": f"Item {place}"}
        head |= {f"{at}.quantity": str(quantity), f"{at}.unit_code": "C62"}
        head |= {f"{at}.unit_price": f"{price:f}", f"{at}.net_amount": f"{net:f}"}
        head |= {f"{at}.tax_rate": rate, f"{at}.tax_category": "S"}
    total_of_lines = sum(bases.values())
    if allowance:
        first = next(iter(bases))
        bases[first] -= allowance
        head |= {"allowances.0.charge": "false", "allowances.0.amount": f"{allowance:f}"}
        head |= {"allowances.0.reason": "Loyalty", "allowances.0.tax_rate": first}
        head["allowances_total"] = f"{allowance:f}"
    tax_total = Decimal(0)
    for place, (rate, base) in enumerate(bases.items()):
        amount = (base * Decimal(rate) / 100).quantize(Decimal("0.01"))
        tax_total += amount
        head |= {f"taxes.{place}.category": "S", f"taxes.{place}.rate": rate}
        head |= {f"taxes.{place}.base": f"{base:f}", f"taxes.{place}.amount": f"{amount:f}"}
    net = total_of_lines - allowance
    head |= {"lines_total": f"{total_of_lines:f}", "subtotal": f"{net:f}"}
    head |= {"tax_total": f"{tax_total:f}", "total": f"{net + tax_total:f}"}
    head |= {"prepaid": f"{prepaid:f}", "amount_due": f"{net + tax_total - prepaid:f}"}
    return head

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
from tests.unit.storage.stated import ACTING, FREE, but, free

SAMPLE = ROOT / "deploy" / "samples" / "de-lotwerk-vermessung.xml"


async def there_and_back(values: Mapping[str, str | None]) -> dict[str, str | None]:
    invoice = invoice_of(values)
    assert [one.rule for one in broken_rules(invoice)] == []
    read = read_xml(await UblInvoices().ubl_of(invoice))
    assert (read.syntax, read.remarks) == ("ubl", ())
    return {path: one.value for path, one in read.stated.items()}


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

"""What an e-invoice states, in whatever syntax, as the fields of an invoice."""

import pytest

from services.extractor.domain.einvoice.documents import EInvoice, read_xml
from services.extractor.domain.einvoice.findings import reading_of
from services.extractor.domain.einvoice.stated import canonical
from services.extractor.domain.reading import Reading
from tests.unit.extractor.einvoices import (
    CII_BODY,
    STATED,
    UBL_BODY,
    cii,
    credit_note,
    ubl,
    zugferd_1,
)

LINE = CII_BODY[
    CII_BODY.index(" <ram:IncludedSupplyChain") : CII_BODY.index(" <ram:ApplicableHeaderTradeA")
]


def read(text: str) -> EInvoice:
    return read_xml(text.encode())


def values(text: str) -> dict[str, str | None]:
    return {path: one.value for path, one in read(text).stated.items()}


def reading(*texts: str) -> Reading:
    return reading_of([read(text) for text in texts], page_count=1)


@pytest.mark.parametrize(
    ("text", "syntax"),
    [
        pytest.param(cii(), "cii", id="CII"),
        pytest.param(zugferd_1(), "zugferd_1", id="ZUGFeRD 1.0"),
        pytest.param(ubl(), "ubl", id="UBL"),
    ],
)
def test_each_syntax_states_the_same_invoice(text: str, syntax: str) -> None:
    assert read(text).syntax == syntax
    assert values(text) == STATED


def test_what_stood_there_is_kept_beside_the_value() -> None:
    seen = read(cii()).stated

    assert (seen["issue_date"].value, seen["issue_date"].raw) == ("2024-03-01", "20240301")
    assert seen["payment.accounts.0.iban"].raw == "DE02 1203 0000 0000 2020 51"


def test_a_credit_note_of_ubl_is_one_by_its_root() -> None:
    seen = values(credit_note())

    assert seen["document.type"] == "credit_note"
    assert seen["document.type_code"] == "381"
    assert seen["lines.0.quantity"] == "20"
    assert seen["total"] == "119.00"


@pytest.mark.parametrize(
    ("code", "kind"),
    [("381", "credit_note"), ("383", "debit_note"), ("325", "proforma"), ("389", "invoice")],
)
def test_the_type_code_tells_what_kind_of_document_it_is(code: str, kind: str) -> None:
    text = cii(CII_BODY.replace(">380<", f">{code}<"))

    assert values(text)["document.type"] == kind


def test_the_negative_amounts_of_a_credit_note_are_turned_and_that_is_said() -> None:
    body = CII_BODY.replace(">380<", ">381<")
    for amount in ("105.00", "119.00", "19.00</ram:T", "100.00", "20</ram:B", "5.00</ram:A"):
        body = body.replace(f">{amount}", f">-{amount}")

    seen = reading(cii(body))

    assert seen.fields["total"].value == "119.00"
    assert seen.fields["total"].raw == "-119.00"
    assert seen.fields["lines.0.quantity"].value == "20"
    assert seen.fields["lines.0.unit_price"].value == "55.00"
    assert [one.code for one in seen.findings] == ["einvoice_amounts_turned"]


def test_a_corrected_invoice_keeps_its_negative_amounts() -> None:
    body = CII_BODY.replace(">119.00", ">-119.00").replace(">380<", ">384<")

    assert values(cii(body))["total"] == "-119.00"


def test_the_smallest_profile_has_its_totals_and_no_lines() -> None:
    seen = values(cii(CII_BODY.replace(LINE, "")))

    assert seen["total"] == "119.00"
    assert not [path for path in seen if path.startswith("lines.")]


def test_the_tax_in_the_accounting_currency_is_not_the_tax_of_the_invoice() -> None:
    tax = '<cbc:TaxAmount currencyID="EUR">19.00</cbc:TaxAmount>'
    second = (
        '<cac:TaxTotal><cbc:TaxAmount currencyID="SEK">209.00</cbc:TaxAmount></cac:TaxTotal>'
    )
    body = second + "<cbc:TaxCurrencyCode>SEK</cbc:TaxCurrencyCode>" + UBL_BODY
    assert tax in body

    seen = values(ubl(body))

    assert seen["tax_total"] == "19.00"
    assert (seen["accounting_currency"], seen["tax_total_accounting"]) == ("SEK", "209.00")


@pytest.mark.parametrize("reason", ["GROUP", "INFORMATION"])
def test_a_line_that_only_sums_up_others_is_no_line(reason: str) -> None:
    marked = LINE.replace(
        "<ram:LineID>1</ram:LineID>",
        f"<ram:LineID>0</ram:LineID><ram:LineStatusReasonCode>{reason}</ram:LineStatusReasonCode>",
    )

    assert values(cii(CII_BODY.replace(LINE, marked + LINE))) == STATED


def test_a_line_of_text_between_the_lines_is_no_line() -> None:
    note = """<ram:IncludedSupplyChainTradeLineItem><ram:AssociatedDocumentLineDocument>
    <ram:IncludedNote><ram:Content>Delivered on Monday</ram:Content></ram:IncludedNote>
    </ram:AssociatedDocumentLineDocument></ram:IncludedSupplyChainTradeLineItem>"""

    assert values(zugferd_1(CII_BODY.replace(LINE, note + LINE))) == STATED


def test_charges_of_a_line_count_against_its_discount() -> None:
    discount = UBL_BODY[
        UBL_BODY.rindex(" <cac:AllowanceCharge>") : UBL_BODY.index(" <cac:Item>")
    ]
    charge = discount.replace("false", "true").replace("5.00", "2.50")

    seen = read(ubl(UBL_BODY.replace(discount, discount + charge))).stated

    assert seen["lines.0.discount.amount"].value == "2.50"
    # Put together from two texts, so none of them is what was read.
    assert seen["lines.0.discount.amount"].raw is None


def test_the_number_of_a_card_is_kept_nowhere() -> None:
    card = """<cac:CardAccount><cbc:PrimaryAccountNumberID>4111 1111 1111 1234
    </cbc:PrimaryAccountNumberID></cac:CardAccount>"""
    means = "<cac:PayeeFinancialAccount>"

    seen = read(ubl(UBL_BODY.replace(means, card + means, 1)))

    assert seen.stated["payment.card_last4"].value == "1234"
    assert "1111" not in str(seen.stated)


def test_a_cash_discount_in_the_code_of_xrechnung_is_understood() -> None:
    body = UBL_BODY.replace("30 days net", "#SKONTO#TAGE=14#PROZENT=2.00#")

    seen = values(ubl(body))

    assert (seen["payment.discount.days"], seen["payment.discount.percent"]) == ("14", "2.00")


def test_an_account_that_is_no_iban_is_a_number_of_its_own() -> None:
    seen = values(ubl(UBL_BODY.replace("AT611904300234573201", "12345-6")))

    assert seen["payment.accounts.1.account_no"] == "12345-6"
    assert "payment.accounts.1.iban" not in seen


def test_a_value_of_another_form_keeps_its_text_and_is_told() -> None:
    seen = reading(cii(CII_BODY.replace(">119.00<", ">119,00 EUR<")))

    total = seen.fields["total"]
    assert (total.value, total.raw, total.status) == (None, "119,00 EUR", "missing")
    assert total.confidence == 0
    [finding] = seen.findings
    assert (finding.code, finding.touches) == ("einvoice_value_unclear", ("total",))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("119", "119"),
        (" +119.50 ", "119.50"),
        ("-0.00", "0.00"),
        (".5", "0.5"),
        ("5.", "5"),
        ("1.2E3", "1200"),
        ("0012.50", "12.50"),
        ("1,234.00", None),
        ("1 234", None),
        ("NaN", None),
        ("١٢", None),
        ("", None),
        ("9" * 31, None),
    ],
)
def test_an_amount_is_a_plain_decimal_as_it_was_given(text: str, value: str | None) -> None:
    assert canonical("total", text) == value


@pytest.mark.parametrize(
    ("text", "form", "value"),
    [
        ("20240229", "102", "2024-02-29"),
        ("2024-02-29", "", "2024-02-29"),
        ("2024-02-29+01:00", "", "2024-02-29"),
        ("2024-02-29T23:00:00Z", "", "2024-02-29"),
        ("202402291200", "203", "2024-02-29"),
        ("20230229", "102", None),
        ("202402", "610", None),
        ("202409", "616", None),
        ("29.02.2024", "", None),
    ],
)
def test_a_date_is_one_when_its_day_is_known(text: str, form: str, value: str | None) -> None:
    assert canonical("issue_date", text, form) == value


def test_the_same_invoice_in_two_syntaxes_is_one_invoice() -> None:
    small = cii(CII_BODY.replace(LINE, ""))

    seen = reading(small, ubl())

    assert {path: one.value for path, one in seen.fields.items()} == STATED
    assert seen.findings == ()


def test_two_different_invoices_are_shown_side_by_side_and_block() -> None:
    other = UBL_BODY.replace("DE02 1203 0000 0000 2020 51", "NL91ABNA0417164300")

    seen = reading(cii(), ubl(other))

    [finding] = seen.findings
    assert (finding.code, finding.severity) == ("several_einvoices", "block")
    assert finding.touches == ("payment.accounts.0.iban",)
    account = seen.fields["payment.accounts.0.iban"]
    assert account.value == "DE02120300000000202051"
    assert [one.value for one in account.alternatives] == ["NL91ABNA0417164300"]
    assert account.confidence < 0.5 < seen.fields["total"].confidence


def test_an_invoice_that_states_more_than_an_answer_holds_is_cut_and_blocks() -> None:
    line = UBL_BODY[UBL_BODY.index("<cac:InvoiceLine>") :]

    seen = reading(ubl(UBL_BODY + line * 5_000))

    assert ("einvoice_cut", "block") in [(one.code, one.severity) for one in seen.findings]

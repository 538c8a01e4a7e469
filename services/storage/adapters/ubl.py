"""An invoice as UBL 2.1: every element in the one order that the schema allows.

Written with a library that escapes what it is given, for a document may say anything. What XML
has no letter for is left out.
"""

import asyncio

from lxml import etree

from services.storage.adapters.ubl_parts import (
    CAC,
    CBC,
    inside,
    put,
    put_change,
    put_line,
    put_parties,
    put_payment,
)
from services.storage.domain.invoice import Invoice, Tax
from services.storage.domain.tax_rules import REASON_CODES

SPECIFICATION = "urn:cen.eu:en16931:2017"
SCHEMA = "urn:oasis:names:specification:ubl:schema:xsd:"
# A credit note has no place for a project, so it is an additional document of this kind.
PROJECT = "50"


class UblInvoices:
    async def ubl_of(self, invoice: Invoice) -> bytes:
        return await asyncio.to_thread(_document, invoice)


def _document(invoice: Invoice) -> bytes:
    name = "CreditNote" if invoice.is_credit_note else "Invoice"
    spaces = {None: f"{SCHEMA}{name}-2", "cac": CAC, "cbc": CBC}
    root = etree.Element(f"{{{SCHEMA}{name}-2}}{name}", nsmap=spaces)
    currency = invoice.currency or ""
    _head(root, invoice)
    _references(root, invoice)
    put_parties(root, invoice)
    put_payment(root, invoice)
    for change in invoice.changes:
        put_change(root, change, currency)
    _taxes(root, invoice, currency)
    inside(root, "LegalMonetaryTotal", lambda at: _totals(at, invoice, currency))
    for line in invoice.lines:
        put_line(root, line, currency, is_credit=invoice.is_credit_note)
    return bytes(
        etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)
    )


def _head(root: etree._Element, invoice: Invoice) -> None:
    put(root, "CustomizationID", SPECIFICATION)
    put(root, "ID", invoice.text("invoice_number"))
    put(root, "IssueDate", invoice.issued)
    tax_point = invoice.date("tax_point_date")
    if invoice.is_credit_note:
        put(root, "TaxPointDate", tax_point)
        put(root, "CreditNoteTypeCode", invoice.type_code)
        _notes(root, invoice)
    else:
        put(root, "DueDate", invoice.due)
        put(root, "InvoiceTypeCode", invoice.type_code)
        _notes(root, invoice)
        put(root, "TaxPointDate", tax_point)
    put(root, "DocumentCurrencyCode", invoice.currency)
    put(root, "TaxCurrencyCode", invoice.text("accounting_currency"))
    put(root, "BuyerReference", invoice.text("buyer_reference"))


def _notes(root: etree._Element, invoice: Invoice) -> None:
    for place in invoice.members("notes"):
        put(root, "Note", invoice.text(f"notes.{place}.text"))


def _references(root: etree._Element, invoice: Invoice) -> None:
    def period(at: etree._Element) -> None:
        put(at, "StartDate", invoice.date("service_period.start"))
        put(at, "EndDate", invoice.date("service_period.end"))

    def order(at: etree._Element) -> None:
        sales, purchase = invoice.text("sales_order"), invoice.text("purchase_order")
        # An order reference has a number; the standard has a word for one that has none.
        put(at, "ID", purchase or ("NA" if sales else None))
        put(at, "SalesOrderID", sales)

    inside(root, "InvoicePeriod", period)
    inside(root, "OrderReference", order)
    for place in invoice.members("preceding_invoices"):
        _preceding(root, invoice, f"preceding_invoices.{place}")
    _reference(root, "DespatchDocumentReference", invoice.text("delivery_note"))
    _reference(root, "ContractDocumentReference", invoice.text("contract_ref"))
    project = invoice.text("project_ref")
    if invoice.is_credit_note:
        _reference(root, "AdditionalDocumentReference", project, kind=PROJECT)
    else:
        _reference(root, "ProjectReference", project)


def _preceding(root: etree._Element, invoice: Invoice, at: str) -> None:
    def earlier(one: etree._Element) -> None:
        put(one, "ID", invoice.text(f"{at}.number"))
        put(one, "IssueDate", invoice.date(f"{at}.date"))

    inside(root, "BillingReference/InvoiceDocumentReference", earlier)


def _reference(
    root: etree._Element, name: str, number: str | None, *, kind: str | None = None
) -> None:
    if number:

        def reference(at: etree._Element) -> None:
            put(at, "ID", number)
            put(at, "DocumentTypeCode", kind)

        inside(root, name, reference)


def _taxes(root: etree._Element, invoice: Invoice, currency: str) -> None:
    def total(at: etree._Element) -> None:
        put(at, "TaxAmount", invoice.totals.tax, currencyID=currency)
        for tax in invoice.taxes:
            _subtotal(at, tax, currency)

    inside(root, "TaxTotal", total)
    accounting, foreign = invoice.totals.tax_accounting, invoice.text("accounting_currency")
    if foreign and foreign != currency:
        inside(
            root, "TaxTotal", lambda at: put(at, "TaxAmount", accounting, currencyID=foreign)
        )


def _subtotal(total: etree._Element, tax: Tax, currency: str) -> None:
    def kind(at: etree._Element) -> None:
        put(at, "ID", tax.category)
        put(at, "Percent", None if tax.category == "O" else tax.rate)
        put(at, "TaxExemptionReasonCode", REASON_CODES.get(tax.category or ""))
        put(at, "TaxExemptionReason", tax.exemption_reason)
        inside(at, "TaxScheme", lambda scheme: put(scheme, "ID", "VAT"))

    def subtotal(at: etree._Element) -> None:
        put(at, "TaxableAmount", tax.base, currencyID=currency)
        put(at, "TaxAmount", tax.amount, currencyID=currency)
        inside(at, "TaxCategory", kind)

    inside(total, "TaxSubtotal", subtotal)


def _totals(at: etree._Element, invoice: Invoice, currency: str) -> None:
    totals = invoice.totals
    for name, amount in (
        ("LineExtensionAmount", totals.lines),
        ("TaxExclusiveAmount", totals.net),
        ("TaxInclusiveAmount", totals.gross),
        ("AllowanceTotalAmount", totals.allowances),
        ("ChargeTotalAmount", totals.charges),
        ("PrepaidAmount", totals.prepaid),
        ("PayableRoundingAmount", totals.rounding),
        ("PayableAmount", totals.due),
    ):
        put(at, name, amount, currencyID=currency)

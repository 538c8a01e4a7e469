"""The header of a UBL invoice or credit note: XRechnung, Peppol and all that builds on them."""

import re

from services.extractor.domain.einvoice.kinds import CREDIT_NOTE, type_of
from services.extractor.domain.einvoice.parts import (
    discount_in,
    in_currency,
    put_card,
    put_tax_totals,
)
from services.extractor.domain.einvoice.stated import Sheet, joined
from services.extractor.domain.einvoice.trees import Node
from services.extractor.domain.einvoice.ubl_lines import read_lines

_NOWHERE = Node("", "", {})
_IBAN = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{8,30}")
_TOTALS = {
    "lines_total": "LineExtensionAmount",
    "subtotal": "TaxExclusiveAmount",
    "total": "TaxInclusiveAmount",
    "allowances_total": "AllowanceTotalAmount",
    "charges_total": "ChargeTotalAmount",
    "prepaid": "PrepaidAmount",
    "rounding": "PayableRoundingAmount",
    "amount_due": "PayableAmount",
}
_HEADER = {
    "invoice_number": "ID",
    "issue_date": "IssueDate",
    "due_date": "DueDate",
    "tax_point_date": "TaxPointDate",
    "currency": "DocumentCurrencyCode",
    "accounting_currency": "TaxCurrencyCode",
    "buyer_reference": "BuyerReference",
    "purchase_order": "OrderReference/ID",
    "sales_order": "OrderReference/SalesOrderID",
    "contract_ref": "ContractDocumentReference/ID",
    "project_ref": "ProjectReference/ID",
    "delivery_note": "DespatchDocumentReference/ID",
    "service_period.start": "InvoicePeriod/StartDate",
    "service_period.end": "InvoicePeriod/EndDate",
    "delivery_date": "Delivery/ActualDeliveryDate",
    "exchange_rate": "TaxExchangeRate/CalculationRate",
}
_PARTIES = {
    "seller": "AccountingSupplierParty/Party",
    "buyer": "AccountingCustomerParty/Party",
    "payee": "PayeeParty",
    "tax_representative": "TaxRepresentativeParty",
}
# A credit note has no place for a project, so it is an additional document of this kind.
_PROJECT = "50"


def read_ubl(root: Node) -> tuple[str, Sheet]:
    """The specification that it says to follow, and all it states."""
    sheet = Sheet()
    is_credit_note = root.name == "CreditNote"
    for path, name in _HEADER.items():
        sheet.put(path, root.first(name))
    _kind(sheet, root, is_credit_note=is_credit_note)
    for place, note in enumerate(one for one in root.all("Note") if one.text):
        sheet.put(f"notes.{place}.text", note)
    _references(sheet, root)
    for role, name in _PARTIES.items():
        if party := root.first(name):
            _party(sheet, role, party)
    _ship_to(sheet, root.first("Delivery") or _NOWHERE)
    _payment(sheet, root)
    _terms(sheet, root)
    _taxes(sheet, root)
    _allowances(sheet, root)
    totals = root.first("LegalMonetaryTotal") or _NOWHERE
    for path, name in _TOTALS.items():
        sheet.put(path, in_currency(sheet, totals.all(name)))
    put_tax_totals(sheet, list(root.all("TaxTotal/TaxAmount")))
    read_lines(sheet, root.all("CreditNoteLine" if is_credit_note else "InvoiceLine"))
    profile = root.first("CustomizationID")
    return profile.text if profile else "", sheet


def _kind(sheet: Sheet, root: Node, *, is_credit_note: bool) -> None:
    code = root.first("CreditNoteTypeCode" if is_credit_note else "InvoiceTypeCode")
    sheet.put("document.type_code", code)
    raw = code.text if code and code.text else None
    kind = CREDIT_NOTE if is_credit_note else type_of(raw or "")
    sheet.put_value("document.type", kind, raw)


def _references(sheet: Sheet, root: Node) -> None:
    earlier = [
        one
        for name in ("InvoiceDocumentReference", "CreditNoteDocumentReference")
        for one in root.all(f"BillingReference/{name}")
    ]
    for place, one in enumerate(earlier):
        sheet.put(f"preceding_invoices.{place}.number", one.first("ID"))
        sheet.put(f"preceding_invoices.{place}.date", one.first("IssueDate"))
    for one in root.all("AdditionalDocumentReference"):
        code = one.first("DocumentTypeCode")
        if code and code.text == _PROJECT:
            sheet.put("project_ref", one.first("ID"))
    for name in (
        "AccountingCustomerParty/SupplierAssignedAccountID",
        "AccountingCustomerParty/Party/PartyIdentification/ID",
    ):
        sheet.put("customer_number", root.first(name))


def _party(sheet: Sheet, role: str, party: Node) -> None:
    legal = party.first("PartyLegalEntity") or _NOWHERE
    sheet.put(f"{role}.name", legal.first("RegistrationName"))
    sheet.put(f"{role}.name", party.first("PartyName/Name"))
    _address(sheet, role, party.first("PostalAddress") or _NOWHERE)
    for scheme in party.all("PartyTaxScheme"):
        kind = scheme.first("TaxScheme/ID")
        is_vat = kind is None or kind.text.upper() in ("VAT", "VA", "")
        number = scheme.first("CompanyID")
        sheet.put(f"{role}.{'vat_id' if is_vat else 'tax_number'}", number)
    if number := legal.first("CompanyID"):
        sheet.put(f"{role}.legal_id", number)
        sheet.put(f"{role}.legal_id_scheme", number.attribute("schemeID"))
    contact = party.first("Contact") or _NOWHERE
    sheet.put(f"{role}.contact", contact.first("Name"))
    sheet.put(f"{role}.phone", contact.first("Telephone"))
    sheet.put(f"{role}.email", contact.first("ElectronicMail"))
    sheet.put(f"{role}.website", party.first("WebsiteURI"))
    endpoint = party.first("EndpointID")
    if endpoint and endpoint.attribute("schemeID").upper() == "EM":
        sheet.put(f"{role}.email", endpoint)
    for number in party.all("PartyIdentification/ID"):
        if number.attribute("schemeID").upper() == "SEPA":
            sheet.put("payment.creditor_id", number)


def _address(sheet: Sheet, role: str, address: Node) -> None:
    lines = [*address.all("StreetName"), *address.all("AdditionalStreetName")]
    sheet.put(f"{role}.address.lines", joined([*lines, *address.all("AddressLine/Line")]))
    sheet.put(f"{role}.address.post_code", address.first("PostalZone"))
    sheet.put(f"{role}.address.city", address.first("CityName"))
    sheet.put(f"{role}.address.region", address.first("CountrySubentity"))
    sheet.put(f"{role}.address.country", address.first("Country/IdentificationCode"))


def _ship_to(sheet: Sheet, delivery: Node) -> None:
    sheet.put("ship_to.name", delivery.first("DeliveryParty/PartyName/Name"))
    address = delivery.first("DeliveryLocation/Address")
    _address(sheet, "ship_to", address or _NOWHERE)


def _payment(sheet: Sheet, root: Node) -> None:
    accounts: dict[str, None] = {}
    for means in root.all("PaymentMeans"):
        sheet.put("payment.means_code", means.first("PaymentMeansCode"))
        # A credit note has no other place for it.
        sheet.put("due_date", means.first("PaymentDueDate"))
        sheet.put("payment.reference", means.first("PaymentID"))
        sheet.put("payment.mandate_id", means.first("PaymentMandate/ID"))
        if card := means.first("CardAccount/PrimaryAccountNumberID"):
            put_card(sheet, card)
        account = means.first("PayeeFinancialAccount") or _NOWHERE
        number = account.first("ID")
        if number is None or not number.text or number.text in accounts:
            continue
        at = f"payment.accounts.{len(accounts)}"
        accounts[number.text] = None
        is_iban = _IBAN.fullmatch("".join(number.text.upper().split()))
        sheet.put(f"{at}.{'iban' if is_iban else 'account_no'}", number)
        sheet.put(f"{at}.holder", account.first("Name"))
        branch = account.first("FinancialInstitutionBranch") or _NOWHERE
        sheet.put(f"{at}.bic", branch.first("ID"))
        sheet.put(f"{at}.bic", branch.first("FinancialInstitution/ID"))
        sheet.put(f"{at}.bank_name", branch.first("FinancialInstitution/Name"))


def _terms(sheet: Sheet, root: Node) -> None:
    text = joined(root.all("PaymentTerms/Note"))
    sheet.put("payment.terms_text", text)
    for terms in root.all("PaymentTerms"):
        sheet.put("due_date", terms.first("PaymentDueDate"))
        sheet.put("payment.discount.percent", terms.first("SettlementDiscountPercent"))
    if coded := discount_in(text):
        sheet.put("payment.discount.days", coded[0])
        sheet.put("payment.discount.percent", coded[1])


def _taxes(sheet: Sheet, root: Node) -> None:
    for place, tax in enumerate(root.all("TaxTotal/TaxSubtotal")):
        at, category = f"taxes.{place}", tax.first("TaxCategory") or _NOWHERE
        sheet.put(f"{at}.category", category.first("ID"))
        sheet.put(f"{at}.rate", category.first("Percent"))
        sheet.put(f"{at}.rate", tax.first("Percent"))
        sheet.put(f"{at}.base", tax.first("TaxableAmount"))
        sheet.put(f"{at}.amount", tax.first("TaxAmount"))
        for name in ("TaxExemptionReason", "TaxExemptionReasonCode"):
            sheet.put(f"{at}.exemption_reason", category.first(name))


def _allowances(sheet: Sheet, root: Node) -> None:
    for place, one in enumerate(root.all("AllowanceCharge")):
        at = f"allowances.{place}"
        sheet.put(f"{at}.charge", one.first("ChargeIndicator"))
        sheet.put(f"{at}.amount", one.first("Amount"))
        for name in ("AllowanceChargeReason", "AllowanceChargeReasonCode"):
            sheet.put(f"{at}.reason", one.first(name))
        sheet.put(f"{at}.tax_rate", one.first("TaxCategory/Percent"))

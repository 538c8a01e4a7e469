"""The parts of a UBL document: parties, payment, lines. What has no content is left out."""

import re
from collections.abc import Callable
from datetime import date
from decimal import Decimal

from lxml import etree

from services.storage.domain.invoice import Account, Change, Invoice, Line, Party

CAC = "urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
CBC = "urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"
VAT, OTHER_TAX = "VAT", "FC"
GTIN = "0160"
# UNCL 5189 and the word for it, as a line's discount has to give a reason.
DISCOUNT, CHARGE = ("95", "Discount"), ("ABK", "Miscellaneous")
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

Value = str | date | Decimal | bool | None


def put(parent: etree._Element, name: str, value: Value, **attributes: str | None) -> None:
    if value is None or value == "":
        return
    known = {key: _text(one) for key, one in attributes.items() if one}
    etree.SubElement(parent, f"{{{CBC}}}{name}", known).text = _text(value)


def inside(
    parent: etree._Element, names: str, fill: Callable[[etree._Element], object]
) -> None:
    """A part below `names`, with whatever is filled in; without anything there is no part."""
    *outer, name = names.split("/")
    part = etree.Element(f"{{{CAC}}}{name}")
    fill(part)
    if not len(part):
        return
    for one in outer:
        parent = etree.SubElement(parent, f"{{{CAC}}}{one}")
    parent.append(part)


def _text(value: Value) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case Decimal():
            return f"{value:f}"
        case date():
            return value.isoformat()
        case _:
            return _NO_XML.sub("", str(value))


def put_parties(root: etree._Element, invoice: Invoice) -> None:
    def seller(party: etree._Element) -> None:
        creditor = invoice.text("payment.creditor_id")
        _party(party, invoice.seller, number=creditor, scheme="SEPA")

    def buyer(party: etree._Element) -> None:
        _party(party, invoice.buyer, number=invoice.text("customer_number"))

    def payee(party: etree._Element) -> None:
        one = invoice.parties["payee"]
        _name(party, one)
        inside(party, "PartyLegalEntity", lambda at: put(at, "CompanyID", one.legal_id))

    def representative(party: etree._Element) -> None:
        one = invoice.parties["tax_representative"]
        _name(party, one)
        if one.name:
            inside(party, "PostalAddress", lambda at: _address(at, one))
            _tax_number(party, one.vat_id, VAT)

    inside(root, "AccountingSupplierParty/Party", seller)
    inside(root, "AccountingCustomerParty/Party", buyer)
    inside(root, "PayeeParty", payee)
    inside(root, "TaxRepresentativeParty", representative)
    inside(root, "Delivery", lambda at: _delivery(at, invoice))


def _party(
    party: etree._Element, one: Party, *, number: str | None, scheme: str | None = None
) -> None:
    put(party, "EndpointID", one.email, schemeID="EM")
    inside(party, "PartyIdentification", lambda at: put(at, "ID", number, schemeID=scheme))
    _name(party, one)
    inside(party, "PostalAddress", lambda at: _address(at, one))
    _tax_number(party, one.vat_id, VAT)
    _tax_number(party, one.tax_number, OTHER_TAX)

    def legal(entity: etree._Element) -> None:
        put(entity, "RegistrationName", one.name)
        put(entity, "CompanyID", one.legal_id, schemeID=one.legal_id_scheme)

    def contact(person: etree._Element) -> None:
        put(person, "Name", one.contact)
        put(person, "Telephone", one.phone)
        put(person, "ElectronicMail", one.email)

    inside(party, "PartyLegalEntity", legal)
    inside(party, "Contact", contact)


def _name(party: etree._Element, one: Party) -> None:
    inside(party, "PartyName", lambda at: put(at, "Name", one.name))


def _address(address: etree._Element, one: Party) -> None:
    street, more, *rest = (*one.lines, "", "")
    put(address, "StreetName", street)
    put(address, "AdditionalStreetName", more)
    put(address, "CityName", one.city)
    put(address, "PostalZone", one.post_code)
    put(address, "CountrySubentity", one.region)
    # The standard knows three lines.
    further = ", ".join(line for line in rest if line)
    inside(address, "AddressLine", lambda at: put(at, "Line", further))
    inside(address, "Country", lambda at: put(at, "IdentificationCode", one.country))


def _tax_number(party: etree._Element, number: str | None, scheme: str) -> None:
    if number:

        def registered(at: etree._Element) -> None:
            put(at, "CompanyID", number)
            inside(at, "TaxScheme", lambda kind: put(kind, "ID", scheme))

        inside(party, "PartyTaxScheme", registered)


def _delivery(delivery: etree._Element, invoice: Invoice) -> None:
    to = invoice.parties["ship_to"]
    put(delivery, "ActualDeliveryDate", invoice.date("delivery_date"))
    inside(delivery, "DeliveryLocation/Address", lambda at: _address(at, to))
    inside(delivery, "DeliveryParty/PartyName", lambda at: put(at, "Name", to.name))


def put_payment(root: etree._Element, invoice: Invoice) -> None:
    if code := invoice.means_code:
        # One for each account; a means without any is stated once.
        for account in invoice.accounts or (None,):
            _means(root, invoice, code, account)
    terms = invoice.text("payment.terms_text")
    inside(root, "PaymentTerms", lambda at: put(at, "Note", terms))


def _means(root: etree._Element, invoice: Invoice, code: str, account: Account | None) -> None:
    def means(at: etree._Element) -> None:
        put(at, "PaymentMeansCode", code)
        if invoice.is_credit_note:
            put(at, "PaymentDueDate", invoice.due)
        put(at, "PaymentID", invoice.text("payment.reference"))
        if account is not None:
            inside(at, "PayeeFinancialAccount", lambda inner: _account(inner, account))
        mandate = invoice.text("payment.mandate_id")
        inside(at, "PaymentMandate", lambda inner: put(inner, "ID", mandate))

    inside(root, "PaymentMeans", means)


def _account(at: etree._Element, account: Account) -> None:
    put(at, "ID", account.number)
    put(at, "Name", account.holder)
    inside(at, "FinancialInstitutionBranch", lambda bank: put(bank, "ID", account.bic))


def put_change(root: etree._Element, one: Change, currency: str) -> None:
    def change(at: etree._Element) -> None:
        put(at, "ChargeIndicator", one.is_charge)
        put(at, "AllowanceChargeReason", one.reason)
        put(at, "Amount", one.amount, currencyID=currency)
        inside(at, "TaxCategory", lambda kind: category(kind, one.category, one.rate))

    inside(root, "AllowanceCharge", change)


def category(at: etree._Element, code: str | None, rate: Decimal | None) -> None:
    put(at, "ID", code)
    # What is not subject to tax has no rate.
    put(at, "Percent", None if code == "O" else rate)
    inside(at, "TaxScheme", lambda kind: put(kind, "ID", VAT))


def put_line(root: etree._Element, line: Line, currency: str, *, is_credit: bool) -> None:
    def item(at: etree._Element) -> None:
        put(at, "Name", " ".join((line.description or "").split()))
        inside(at, "BuyersItemIdentification", lambda one: put(one, "ID", line.buyer_code))
        inside(at, "SellersItemIdentification", lambda one: put(one, "ID", line.code))
        inside(
            at,
            "StandardItemIdentification",
            lambda one: put(one, "ID", line.gtin, schemeID=GTIN),
        )
        inside(at, "ClassifiedTaxCategory", lambda one: category(one, line.category, line.rate))

    def price(at: etree._Element) -> None:
        put(at, "PriceAmount", line.price, currencyID=currency)
        put(at, "BaseQuantity", line.base_quantity, unitCode=line.unit_code)

    def period(at: etree._Element) -> None:
        put(at, "StartDate", line.starts)
        put(at, "EndDate", line.ends)

    def whole(at: etree._Element) -> None:
        put(at, "ID", line.position)
        quantity = "CreditedQuantity" if is_credit else "InvoicedQuantity"
        put(at, quantity, line.quantity, unitCode=line.unit_code)
        put(at, "LineExtensionAmount", line.net, currencyID=currency)
        inside(at, "InvoicePeriod", period)
        inside(at, "OrderLineReference", lambda one: put(one, "LineID", line.order_line))
        inside(at, "AllowanceCharge", lambda one: _discount(one, line, currency))
        inside(at, "Item", item)
        inside(at, "Price", price)

    inside(root, "CreditNoteLine" if is_credit else "InvoiceLine", whole)


def _discount(at: etree._Element, line: Line, currency: str) -> None:
    if not line.discount:
        return
    code, reason = DISCOUNT if line.discount > 0 else CHARGE
    put(at, "ChargeIndicator", line.discount < 0)
    put(at, "AllowanceChargeReasonCode", code)
    put(at, "AllowanceChargeReason", reason)
    put(at, "Amount", abs(line.discount), currencyID=currency)

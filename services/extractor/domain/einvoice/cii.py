"""The header of a Cross Industry Invoice: Factur-X, ZUGFeRD and XRechnung, every profile.

ZUGFeRD 1.0 has the same tree under older names, so it is renamed first and then read alike.
"""

from services.extractor.domain.einvoice.cii_lines import read_lines
from services.extractor.domain.einvoice.cii_parts import (
    put_date,
    put_period,
    reference_in,
)
from services.extractor.domain.einvoice.kinds import type_of
from services.extractor.domain.einvoice.parts import (
    discount_in,
    in_currency,
    put_card,
    put_tax_totals,
)
from services.extractor.domain.einvoice.stated import Sheet, joined
from services.extractor.domain.einvoice.trees import Node

_HEADER = "ApplicableHeaderTrade"
_OLD_NAMES = {
    "SpecifiedExchangedDocumentContext": "ExchangedDocumentContext",
    "HeaderExchangedDocument": "ExchangedDocument",
    "SpecifiedSupplyChainTradeTransaction": "SupplyChainTradeTransaction",
    "ApplicableSupplyChainTradeAgreement": f"{_HEADER}Agreement",
    "ApplicableSupplyChainTradeDelivery": f"{_HEADER}Delivery",
    "ApplicableSupplyChainTradeSettlement": f"{_HEADER}Settlement",
    "SpecifiedSupplyChainTradeAgreement": "SpecifiedLineTradeAgreement",
    "SpecifiedSupplyChainTradeDelivery": "SpecifiedLineTradeDelivery",
    "SpecifiedSupplyChainTradeSettlement": "SpecifiedLineTradeSettlement",
    "ApplicablePercent": "RateApplicablePercent",
}
_OLD_SUMMATION = "SpecifiedTradeSettlementMonetarySummation"
_NOWHERE = Node("", "", {})
_TOTALS = {
    "lines_total": "LineTotalAmount",
    "charges_total": "ChargeTotalAmount",
    "allowances_total": "AllowanceTotalAmount",
    "subtotal": "TaxBasisTotalAmount",
    "rounding": "RoundingAmount",
    "total": "GrandTotalAmount",
    "prepaid": "TotalPrepaidAmount",
    "amount_due": "DuePayableAmount",
}
_PARTIES = {
    "seller": "SellerTradeParty",
    "buyer": "BuyerTradeParty",
    "tax_representative": "SellerTaxRepresentativeTradeParty",
}
_REFERENCES = {
    "purchase_order": "BuyerOrderReferencedDocument",
    "sales_order": "SellerOrderReferencedDocument",
    "contract_ref": "ContractReferencedDocument",
}


def read_cii(root: Node) -> tuple[str, Sheet]:
    """The profile that it says to follow, and all it states."""
    _renamed(root)
    sheet = Sheet()
    context = "ExchangedDocumentContext/GuidelineSpecifiedDocumentContextParameter/ID"
    trade = root.first("SupplyChainTradeTransaction") or _NOWHERE
    _document(sheet, root.first("ExchangedDocument") or _NOWHERE)
    _agreement(sheet, trade.first(f"{_HEADER}Agreement") or _NOWHERE)
    _delivery(sheet, trade.first(f"{_HEADER}Delivery") or _NOWHERE)
    _settlement(sheet, trade.first(f"{_HEADER}Settlement") or _NOWHERE)
    read_lines(sheet, trade.all("IncludedSupplyChainTradeLineItem"))
    profile = root.first(context)
    return profile.text if profile else "", sheet


def _renamed(root: Node) -> None:
    waiting = [(root, False)]
    while waiting:
        node, in_line = waiting.pop()
        node.name = _OLD_NAMES.get(node.name, node.name)
        if node.name == _OLD_SUMMATION:
            where = "Line" if in_line else "Header"
            node.name = f"SpecifiedTradeSettlement{where}MonetarySummation"
        inside = in_line or node.name == "IncludedSupplyChainTradeLineItem"
        waiting.extend((child, inside) for child in node.children)


def _document(sheet: Sheet, document: Node) -> None:
    sheet.put("invoice_number", document.first("ID"))
    if (code := document.first("TypeCode")) and code.text:
        sheet.put("document.type_code", code)
        sheet.put_value("document.type", type_of(code.text), code.text)
    else:
        sheet.put_value("document.type", "invoice")
    put_date(sheet, "issue_date", document, "IssueDateTime")
    if (language := document.first("LanguageID")) and language.text:
        sheet.put_value("document.language", language.text.lower(), language.text)
    notes = (note.text for note in document.all("IncludedNote/Content") if note.text)
    for place, note in enumerate(notes):
        sheet.put(f"notes.{place}.text", note)


def _agreement(sheet: Sheet, agreement: Node) -> None:
    sheet.put("buyer_reference", agreement.first("BuyerReference"))
    for path, name in _REFERENCES.items():
        sheet.put(path, reference_in(agreement.first(name)))
    sheet.put("project_ref", agreement.first("SpecifiedProcuringProject/ID"))
    for role, name in _PARTIES.items():
        _party(sheet, role, agreement.first(name))
    sheet.put("customer_number", agreement.first("BuyerTradeParty/ID"))


def _delivery(sheet: Sheet, delivery: Node) -> None:
    _party(sheet, "ship_to", delivery.first("ShipToTradeParty"))
    event = "ActualDeliverySupplyChainEvent/OccurrenceDateTime"
    put_date(sheet, "delivery_date", delivery, event)
    for name in ("DespatchAdviceReferencedDocument", "DeliveryNoteReferencedDocument"):
        sheet.put("delivery_note", reference_in(delivery.first(name)))


def _settlement(sheet: Sheet, settlement: Node) -> None:
    sheet.put("currency", settlement.first("InvoiceCurrencyCode"))
    sheet.put("accounting_currency", settlement.first("TaxCurrencyCode"))
    rate = settlement.first("TaxApplicableTradeCurrencyExchange/ConversionRate")
    sheet.put("exchange_rate", rate)
    _party(sheet, "payee", settlement.first("PayeeTradeParty"))
    put_period(sheet, "service_period", settlement)
    put_date(sheet, "tax_point_date", settlement, "ApplicableTradeTax/TaxPointDate")
    for place, earlier in enumerate(settlement.all("InvoiceReferencedDocument")):
        sheet.put(f"preceding_invoices.{place}.number", reference_in(earlier))
        for name in ("FormattedIssueDateTime", "IssueDateTime"):
            put_date(sheet, f"preceding_invoices.{place}.date", earlier, name)
    _payment(sheet, settlement)
    _terms(sheet, list(settlement.all("SpecifiedTradePaymentTerms")))
    _taxes(sheet, settlement)
    _allowances(sheet, settlement)
    name = "SpecifiedTradeSettlementHeaderMonetarySummation"
    _totals(sheet, settlement.first(name) or _NOWHERE)


def _party(sheet: Sheet, role: str, party: Node | None) -> None:
    if party is None:
        return
    for name in ("Name", "SpecifiedLegalOrganization/TradingBusinessName"):
        sheet.put(f"{role}.name", party.first(name))
    address = party.first("PostalTradeAddress") or _NOWHERE
    lines = (address.first(name) for name in ("LineOne", "LineTwo", "LineThree", "StreetName"))
    sheet.put(f"{role}.address.lines", joined(line for line in lines if line))
    sheet.put(f"{role}.address.post_code", address.first("PostcodeCode"))
    sheet.put(f"{role}.address.city", address.first("CityName"))
    sheet.put(f"{role}.address.region", address.first("CountrySubDivisionName"))
    sheet.put(f"{role}.address.country", address.first("CountryID"))
    for number in party.all("SpecifiedTaxRegistration/ID"):
        scheme = number.attribute("schemeID").upper()
        is_vat = scheme in ("VA", "VAT") or (not scheme and number.text[:2].isalpha())
        sheet.put(f"{role}.{'vat_id' if is_vat else 'tax_number'}", number)
    if legal := party.first("SpecifiedLegalOrganization/ID"):
        sheet.put(f"{role}.legal_id", legal)
        sheet.put(f"{role}.legal_id_scheme", legal.attribute("schemeID"))
    _contact(sheet, role, party)


def _contact(sheet: Sheet, role: str, party: Node) -> None:
    contact = party.first("DefinedTradeContact") or _NOWHERE
    for name in ("PersonName", "DepartmentName"):
        sheet.put(f"{role}.contact", contact.first(name))
    phone = contact.first("TelephoneUniversalCommunication/CompleteNumber")
    sheet.put(f"{role}.phone", phone)
    for name in ("URIID", "CompleteNumber"):
        sheet.put(f"{role}.email", contact.first(f"EmailURIUniversalCommunication/{name}"))
    for address in party.all("URIUniversalCommunication/URIID"):
        if address.attribute("schemeID").upper() == "EM":
            sheet.put(f"{role}.email", address)


def _payment(sheet: Sheet, settlement: Node) -> None:
    sheet.put("payment.reference", settlement.first("PaymentReference"))
    sheet.put("payment.creditor_id", settlement.first("CreditorReferenceID"))
    accounts: dict[str, None] = {}
    for means in settlement.all("SpecifiedTradeSettlementPaymentMeans"):
        sheet.put("payment.means_code", means.first("TypeCode"))
        if card := means.first("ApplicableTradeSettlementFinancialCard/ID"):
            put_card(sheet, card)
        account = means.first("PayeePartyCreditorFinancialAccount") or _NOWHERE
        bank = means.first("PayeeSpecifiedCreditorFinancialInstitution") or _NOWHERE
        number = account.first("IBANID") or account.first("ProprietaryID")
        if number is None or not number.text or number.text in accounts:
            continue
        at = f"payment.accounts.{len(accounts)}"
        accounts[number.text] = None
        sheet.put(f"{at}.iban", account.first("IBANID"))
        sheet.put(f"{at}.account_no", account.first("ProprietaryID"))
        sheet.put(f"{at}.holder", account.first("AccountName"))
        sheet.put(f"{at}.bic", bank.first("BICID"))
        sheet.put(f"{at}.routing", bank.first("GermanBankleitzahlID"))
        sheet.put(f"{at}.bank_name", bank.first("Name"))


def _terms(sheet: Sheet, terms: list[Node]) -> None:
    text = joined(one for term in terms for one in term.all("Description"))
    sheet.put("payment.terms_text", text)
    discounts = "ApplicableTradePaymentDiscountTerms"
    # The date of a cash discount is earlier than the one on which all is due.
    for term in sorted(terms, key=lambda one: one.first(discounts) is not None):
        put_date(sheet, "due_date", term, "DueDateDateTime")
        sheet.put("payment.mandate_id", term.first("DirectDebitMandateID"))
    for discount in (one for term in terms for one in term.all(discounts)):
        sheet.put("payment.discount.percent", discount.first("CalculationPercent"))
        days = discount.first("BasisPeriodMeasure")
        if days and days.attribute("unitCode").upper() in ("", "DAY"):
            sheet.put("payment.discount.days", days)
    if coded := discount_in(text):
        sheet.put("payment.discount.days", coded[0])
        sheet.put("payment.discount.percent", coded[1])


def _taxes(sheet: Sheet, settlement: Node) -> None:
    for place, tax in enumerate(settlement.all("ApplicableTradeTax")):
        at = f"taxes.{place}"
        sheet.put(f"{at}.category", tax.first("CategoryCode"))
        sheet.put(f"{at}.rate", tax.first("RateApplicablePercent"))
        sheet.put(f"{at}.base", tax.first("BasisAmount"))
        sheet.put(f"{at}.amount", tax.first("CalculatedAmount"))
        for name in ("ExemptionReason", "ExemptionReasonCode"):
            sheet.put(f"{at}.exemption_reason", tax.first(name))


def _allowances(sheet: Sheet, settlement: Node) -> None:
    place = 0
    for one in settlement.all("SpecifiedTradeAllowanceCharge"):
        at = f"allowances.{place}"
        sheet.put(f"{at}.charge", one.first("ChargeIndicator/Indicator"))
        sheet.put(f"{at}.amount", one.first("ActualAmount"))
        for name in ("Reason", "ReasonCode"):
            sheet.put(f"{at}.reason", one.first(name))
        sheet.put(f"{at}.tax_rate", one.first("CategoryTradeTax/RateApplicablePercent"))
        place += 1
    for one in settlement.all("SpecifiedLogisticsServiceCharge"):
        at = f"allowances.{place}"
        sheet.put_value(f"{at}.charge", "true")
        sheet.put(f"{at}.amount", one.first("AppliedAmount"))
        sheet.put(f"{at}.reason", one.first("Description"))
        sheet.put(f"{at}.tax_rate", one.first("AppliedTradeTax/RateApplicablePercent"))
        place += 1


def _totals(sheet: Sheet, summation: Node) -> None:
    for path, name in _TOTALS.items():
        sheet.put(path, in_currency(sheet, summation.all(name)))
    put_tax_totals(sheet, list(summation.all("TaxTotalAmount")))

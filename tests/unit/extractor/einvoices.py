"""E-invoices written for the tests, each in the words of its syntax. All of it is invented.

The same invoice in three syntaxes, so that a test can ask all of them for the same values.
"""

CII = "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"
CII_PARTS = "urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100"
ZUGFERD_1 = "urn:ferd:CrossIndustryDocument:invoice:1p0"
ZUGFERD_1_PARTS = (
    "urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:12"
)
UBL = "urn:oasis:names:specification:ubl:schema:xsd:"
TYPES = "urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100"

# What all three say.
STATED = {
    "document.type": "invoice",
    "document.type_code": "380",
    "invoice_number": "2024-0815",
    "issue_date": "2024-03-01",
    "due_date": "2024-03-31",
    "currency": "EUR",
    "purchase_order": "PO-77",
    "customer_number": "K-9",
    "notes.0.text": "Thank you",
    "seller.name": "Quellwasser & Söhne GmbH",
    "seller.address.lines": "Am Brunnen 1\nHinterhaus",
    "seller.address.post_code": "10115",
    "seller.address.city": "Berlin",
    "seller.address.country": "DE",
    "seller.vat_id": "DE136695976",
    "seller.tax_number": "37/123/45678",
    "buyer.name": "Mühlenhof AG",
    "buyer.address.country": "AT",
    "payment.means_code": "58",
    "payment.reference": "RF-1",
    "payment.terms_text": "30 days net",
    "payment.accounts.0.iban": "DE02120300000000202051",
    "payment.accounts.0.bic": "BYLADEM1001",
    "payment.accounts.0.holder": "Quellwasser",
    "payment.accounts.1.iban": "AT611904300234573201",
    "taxes.0.category": "S",
    "taxes.0.rate": "19.00",
    "taxes.0.base": "100.00",
    "taxes.0.amount": "19.00",
    "allowances.0.charge": "false",
    "allowances.0.amount": "5.00",
    "allowances.0.reason": "Loyalty",
    "allowances.0.tax_rate": "19.00",
    "lines_total": "105.00",
    "allowances_total": "5.00",
    "subtotal": "100.00",
    "tax_total": "19.00",
    "total": "119.00",
    "prepaid": "19.00",
    "amount_due": "100.00",
    "lines.0.position": "1",
    "lines.0.description": "Water, still",
    "lines.0.code": "W-1",
    "lines.0.gtin": "4012345001235",
    "lines.0.quantity": "20",
    "lines.0.unit_code": "C62",
    "lines.0.unit_price": "55.00",
    "lines.0.price_base_qty": "10",
    "lines.0.discount.amount": "5.00",
    "lines.0.net_amount": "105.00",
    "lines.0.tax_rate": "19.00",
    "lines.0.tax_category": "S",
}


def _cii_day(day: str) -> str:
    return f'<udt:DateTimeString format="102">{day}</udt:DateTimeString>'


def _cii_account(iban: str, rest: str = "", bank: str = "") -> str:
    return f"""<ram:SpecifiedTradeSettlementPaymentMeans><ram:TypeCode>58</ram:TypeCode>
    <ram:PayeePartyCreditorFinancialAccount><ram:IBANID>{iban}</ram:IBANID>{rest}
    </ram:PayeePartyCreditorFinancialAccount>{bank}
    </ram:SpecifiedTradeSettlementPaymentMeans>"""


CII_BODY = f"""
<rsm:ExchangedDocument><ram:ID>2024-0815</ram:ID><ram:TypeCode>380</ram:TypeCode>
 <ram:IssueDateTime>{_cii_day("20240301")}</ram:IssueDateTime>
 <ram:IncludedNote><ram:Content>Thank you</ram:Content></ram:IncludedNote>
</rsm:ExchangedDocument>
<rsm:SupplyChainTradeTransaction>
 <ram:IncludedSupplyChainTradeLineItem>
  <ram:AssociatedDocumentLineDocument><ram:LineID>1</ram:LineID>
  </ram:AssociatedDocumentLineDocument>
  <ram:SpecifiedTradeProduct><ram:GlobalID schemeID="0160">4012345001235</ram:GlobalID>
   <ram:SellerAssignedID>W-1</ram:SellerAssignedID><ram:Name>Water, still</ram:Name>
  </ram:SpecifiedTradeProduct>
  <ram:SpecifiedLineTradeAgreement><ram:NetPriceProductTradePrice>
   <ram:ChargeAmount>55.00</ram:ChargeAmount>
   <ram:BasisQuantity unitCode="C62">10</ram:BasisQuantity>
  </ram:NetPriceProductTradePrice></ram:SpecifiedLineTradeAgreement>
  <ram:SpecifiedLineTradeDelivery>
   <ram:BilledQuantity unitCode="C62">20</ram:BilledQuantity>
  </ram:SpecifiedLineTradeDelivery>
  <ram:SpecifiedLineTradeSettlement>
   <ram:ApplicableTradeTax><ram:TypeCode>VAT</ram:TypeCode>
    <ram:CategoryCode>S</ram:CategoryCode>
    <ram:RateApplicablePercent>19.00</ram:RateApplicablePercent></ram:ApplicableTradeTax>
   <ram:SpecifiedTradeAllowanceCharge>
    <ram:ChargeIndicator><udt:Indicator>false</udt:Indicator></ram:ChargeIndicator>
    <ram:ActualAmount>5.00</ram:ActualAmount></ram:SpecifiedTradeAllowanceCharge>
   <ram:SpecifiedTradeSettlementLineMonetarySummation>
    <ram:LineTotalAmount>105.00</ram:LineTotalAmount>
   </ram:SpecifiedTradeSettlementLineMonetarySummation>
  </ram:SpecifiedLineTradeSettlement>
 </ram:IncludedSupplyChainTradeLineItem>
 <ram:ApplicableHeaderTradeAgreement>
  <ram:SellerTradeParty><ram:Name>Quellwasser &amp; Söhne GmbH</ram:Name>
   <ram:PostalTradeAddress><ram:PostcodeCode>10115</ram:PostcodeCode>
    <ram:LineOne>Am Brunnen 1</ram:LineOne><ram:LineTwo>Hinterhaus</ram:LineTwo>
    <ram:CityName>Berlin</ram:CityName><ram:CountryID>DE</ram:CountryID>
   </ram:PostalTradeAddress>
   <ram:SpecifiedTaxRegistration><ram:ID schemeID="FC">37/123/45678</ram:ID>
   </ram:SpecifiedTaxRegistration>
   <ram:SpecifiedTaxRegistration><ram:ID schemeID="VA">DE136695976</ram:ID>
   </ram:SpecifiedTaxRegistration></ram:SellerTradeParty>
  <ram:BuyerTradeParty><ram:ID>K-9</ram:ID><ram:Name>Mühlenhof AG</ram:Name>
   <ram:PostalTradeAddress><ram:CountryID>at</ram:CountryID></ram:PostalTradeAddress>
  </ram:BuyerTradeParty>
  <ram:BuyerOrderReferencedDocument><ram:IssuerAssignedID>PO-77</ram:IssuerAssignedID>
  </ram:BuyerOrderReferencedDocument>
 </ram:ApplicableHeaderTradeAgreement>
 <ram:ApplicableHeaderTradeDelivery/>
 <ram:ApplicableHeaderTradeSettlement>
  <ram:PaymentReference>RF-1</ram:PaymentReference>
  <ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>
  {
    _cii_account(
        "DE02 1203 0000 0000 2020 51",
        "<ram:AccountName>Quellwasser</ram:AccountName>",
        "<ram:PayeeSpecifiedCreditorFinancialInstitution><ram:BICID>BYLADEM1001</ram:BICID>"
        "</ram:PayeeSpecifiedCreditorFinancialInstitution>",
    )
}{_cii_account("AT611904300234573201")}
  <ram:ApplicableTradeTax><ram:CalculatedAmount>19.00</ram:CalculatedAmount>
   <ram:TypeCode>VAT</ram:TypeCode><ram:BasisAmount>100.00</ram:BasisAmount>
   <ram:CategoryCode>S</ram:CategoryCode>
   <ram:RateApplicablePercent>19.00</ram:RateApplicablePercent></ram:ApplicableTradeTax>
  <ram:SpecifiedTradeAllowanceCharge>
   <ram:ChargeIndicator><udt:Indicator>false</udt:Indicator></ram:ChargeIndicator>
   <ram:ActualAmount>5.00</ram:ActualAmount><ram:Reason>Loyalty</ram:Reason>
   <ram:CategoryTradeTax><ram:RateApplicablePercent>19.00</ram:RateApplicablePercent>
   </ram:CategoryTradeTax></ram:SpecifiedTradeAllowanceCharge>
  <ram:SpecifiedTradePaymentTerms><ram:Description>30 days net</ram:Description>
   <ram:DueDateDateTime>{_cii_day("20240331")}</ram:DueDateDateTime>
  </ram:SpecifiedTradePaymentTerms>
  <ram:SpecifiedTradeSettlementHeaderMonetarySummation>
   <ram:LineTotalAmount>105.00</ram:LineTotalAmount>
   <ram:AllowanceTotalAmount>5.00</ram:AllowanceTotalAmount>
   <ram:TaxBasisTotalAmount>100.00</ram:TaxBasisTotalAmount>
   <ram:TaxTotalAmount currencyID="EUR">19.00</ram:TaxTotalAmount>
   <ram:GrandTotalAmount>119.00</ram:GrandTotalAmount>
   <ram:TotalPrepaidAmount>19.00</ram:TotalPrepaidAmount>
   <ram:DuePayableAmount>100.00</ram:DuePayableAmount>
  </ram:SpecifiedTradeSettlementHeaderMonetarySummation>
 </ram:ApplicableHeaderTradeSettlement>
</rsm:SupplyChainTradeTransaction>"""

_OLDER = (
    ("SpecifiedTradeSettlementLineMonetary", "SpecifiedTradeSettlementMonetary"),
    ("SpecifiedTradeSettlementHeaderMonetary", "SpecifiedTradeSettlementMonetary"),
    ("SpecifiedLineTrade", "SpecifiedSupplyChainTrade"),
    ("ApplicableHeaderTrade", "ApplicableSupplyChainTrade"),
    ("rsm:ExchangedDocument>", "rsm:HeaderExchangedDocument>"),
    ("rsm:SupplyChainTradeTransaction", "rsm:SpecifiedSupplyChainTradeTransaction"),
    ("RateApplicablePercent", "ApplicablePercent"),
    ("IssuerAssignedID", "ID"),
)

UBL_BODY = """
<cbc:ID>2024-0815</cbc:ID><cbc:IssueDate>2024-03-01</cbc:IssueDate>
<cbc:DueDate>2024-03-31</cbc:DueDate><cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode>
<cbc:Note>Thank you</cbc:Note><cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>
<cac:OrderReference><cbc:ID>PO-77</cbc:ID></cac:OrderReference>
<cac:AccountingSupplierParty><cac:Party>
 <cac:PostalAddress><cbc:StreetName>Am Brunnen 1</cbc:StreetName>
  <cbc:AdditionalStreetName>Hinterhaus</cbc:AdditionalStreetName>
  <cbc:CityName>Berlin</cbc:CityName><cbc:PostalZone>10115</cbc:PostalZone>
  <cac:Country><cbc:IdentificationCode>DE</cbc:IdentificationCode></cac:Country>
 </cac:PostalAddress>
 <cac:PartyTaxScheme><cbc:CompanyID>DE136695976</cbc:CompanyID>
  <cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>
 <cac:PartyTaxScheme><cbc:CompanyID>37/123/45678</cbc:CompanyID>
  <cac:TaxScheme><cbc:ID>FC</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>
 <cac:PartyLegalEntity><cbc:RegistrationName>Quellwasser &amp; Söhne GmbH</cbc:RegistrationName>
 </cac:PartyLegalEntity></cac:Party></cac:AccountingSupplierParty>
<cac:AccountingCustomerParty><cac:Party>
 <cac:PartyIdentification><cbc:ID>K-9</cbc:ID></cac:PartyIdentification>
 <cac:PostalAddress><cac:Country><cbc:IdentificationCode>at</cbc:IdentificationCode>
 </cac:Country></cac:PostalAddress>
 <cac:PartyLegalEntity><cbc:RegistrationName>Mühlenhof AG</cbc:RegistrationName>
 </cac:PartyLegalEntity></cac:Party></cac:AccountingCustomerParty>
<cac:PaymentMeans><cbc:PaymentMeansCode>58</cbc:PaymentMeansCode>
 <cbc:PaymentID>RF-1</cbc:PaymentID><cac:PayeeFinancialAccount>
 <cbc:ID>DE02 1203 0000 0000 2020 51</cbc:ID><cbc:Name>Quellwasser</cbc:Name>
 <cac:FinancialInstitutionBranch><cbc:ID>BYLADEM1001</cbc:ID>
 </cac:FinancialInstitutionBranch></cac:PayeeFinancialAccount></cac:PaymentMeans>
<cac:PaymentMeans><cbc:PaymentMeansCode>58</cbc:PaymentMeansCode>
 <cac:PayeeFinancialAccount><cbc:ID>AT611904300234573201</cbc:ID>
 </cac:PayeeFinancialAccount></cac:PaymentMeans>
<cac:PaymentTerms><cbc:Note>30 days net</cbc:Note></cac:PaymentTerms>
<cac:AllowanceCharge><cbc:ChargeIndicator>false</cbc:ChargeIndicator>
 <cbc:AllowanceChargeReason>Loyalty</cbc:AllowanceChargeReason><cbc:Amount>5.00</cbc:Amount>
 <cac:TaxCategory><cbc:Percent>19.00</cbc:Percent></cac:TaxCategory></cac:AllowanceCharge>
<cac:TaxTotal><cbc:TaxAmount currencyID="EUR">19.00</cbc:TaxAmount><cac:TaxSubtotal>
 <cbc:TaxableAmount>100.00</cbc:TaxableAmount><cbc:TaxAmount>19.00</cbc:TaxAmount>
 <cac:TaxCategory><cbc:ID>S</cbc:ID><cbc:Percent>19.00</cbc:Percent></cac:TaxCategory>
</cac:TaxSubtotal></cac:TaxTotal>
<cac:LegalMonetaryTotal><cbc:LineExtensionAmount>105.00</cbc:LineExtensionAmount>
 <cbc:TaxExclusiveAmount>100.00</cbc:TaxExclusiveAmount>
 <cbc:TaxInclusiveAmount>119.00</cbc:TaxInclusiveAmount>
 <cbc:AllowanceTotalAmount>5.00</cbc:AllowanceTotalAmount>
 <cbc:PrepaidAmount>19.00</cbc:PrepaidAmount><cbc:PayableAmount>100.00</cbc:PayableAmount>
</cac:LegalMonetaryTotal>
<cac:InvoiceLine><cbc:ID>1</cbc:ID>
 <cbc:InvoicedQuantity unitCode="C62">20</cbc:InvoicedQuantity>
 <cbc:LineExtensionAmount>105.00</cbc:LineExtensionAmount>
 <cac:AllowanceCharge><cbc:ChargeIndicator>false</cbc:ChargeIndicator>
  <cbc:Amount>5.00</cbc:Amount></cac:AllowanceCharge>
 <cac:Item><cbc:Name>Water, still</cbc:Name>
  <cac:SellersItemIdentification><cbc:ID>W-1</cbc:ID></cac:SellersItemIdentification>
  <cac:StandardItemIdentification><cbc:ID schemeID="0160">4012345001235</cbc:ID>
  </cac:StandardItemIdentification>
  <cac:ClassifiedTaxCategory><cbc:ID>S</cbc:ID><cbc:Percent>19.00</cbc:Percent>
  </cac:ClassifiedTaxCategory></cac:Item>
 <cac:Price><cbc:PriceAmount>55.00</cbc:PriceAmount>
  <cbc:BaseQuantity>10</cbc:BaseQuantity></cac:Price></cac:InvoiceLine>"""


def cii(body: str = CII_BODY) -> str:
    spaces = f'xmlns:rsm="{CII}" xmlns:ram="{CII_PARTS}" xmlns:udt="{TYPES}"'
    return f"<rsm:CrossIndustryInvoice {spaces}>{body}</rsm:CrossIndustryInvoice>"


def zugferd_1(body: str = CII_BODY) -> str:
    for newer, older in _OLDER:
        body = body.replace(newer, older)
    spaces = f'xmlns:rsm="{ZUGFERD_1}" xmlns:ram="{ZUGFERD_1_PARTS}" xmlns:udt="{TYPES}"'
    return f"<rsm:CrossIndustryDocument {spaces}>{body}</rsm:CrossIndustryDocument>"


def ubl(body: str = UBL_BODY, root: str = "Invoice") -> str:
    spaces = (
        f'xmlns="{UBL}{root}-2" xmlns:cac="{UBL}CommonAggregateComponents-2" '
        f'xmlns:cbc="{UBL}CommonBasicComponents-2"'
    )
    return f"<{root} {spaces}>{body}</{root}>"


def credit_note(body: str = UBL_BODY) -> str:
    for invoice, note in (("InvoiceLine", "CreditNoteLine"), ("InvoicedQ", "CreditedQ")):
        body = body.replace(invoice, note)
    body = body.replace("InvoiceTypeCode", "CreditNoteTypeCode").replace(">380<", ">381<")
    return ubl(body, "CreditNote")

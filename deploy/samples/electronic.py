"""Invoices that say in XML what they are: inside a PDF that shows the same, and alone.

The first is CII as Factur-X and ZUGFeRD carry it (its page is no PDF/A, which nobody who reads
it asks for), the second an XRechnung in UBL, which has no page at all. Both are German.
"""

from datetime import date
from decimal import Decimal
from html import escape

from reportlab.pdfbase.pdfdoc import (
    PDFArray,
    PDFDictionary,
    PDFName,
    PDFStream,
    PDFString,
)
from reportlab.pdfgen.canvas import Canvas

from deploy.samples.parts import CENT, Invoice, Item, Party, item

FACTUR_X = Invoice(
    *("de-quellgrund-getraenke", "letter", "de", "EUR", "QG-2024-2209"),
    *(date(2024, 9, 3), date(2024, 9, 17)),
    Party(
        *("Quellgrund Getränke GmbH", "Brunnenweg 4", "36037 Fulda"),
        *("DE274183657", "DE75512108001245126199", "www.quellgrund.example"),
    ),
    Party("Kantine am Speicher eG", "Speicherstraße 11", "34117 Kassel"),
    Decimal(19),
    (
        item("Mineralwasser, Kasten 12 × 0,7 l", 40, "5.20"),
        item("Apfelschorle, Kasten 24 × 0,33 l", 15, "13.80"),
        item("Leihgebühr Kühlschrank", 1, "25.00"),
    ),
)
XRECHNUNG = Invoice(
    *("de-lotwerk-vermessung", "letter", "de", "EUR", "LV-2024-0088"),
    *(date(2024, 10, 21), date(2024, 11, 20)),
    Party(
        *("Lotwerk Vermessung GmbH", "Marktgasse 16", "99084 Erfurt"),
        *("DE305172948", "DE02120300000000202051", "www.lotwerk.example"),
    ),
    Party("Gemeinde Hollerbach", "Rathausplatz 1", "99510 Hollerbach"),
    Decimal(19),
    (
        item("Aufmaß Turnhalle", 1, "1950.00"),
        item("Lageplan, Ausfertigung", 3, "85.00"),
    ),
)
COUNTRY = "DE"
# Who of a public body an XRechnung is for; its last two digits check the others.
BUYER_REFERENCE = "040110001234512345-06"

_EN16931 = "urn:cen.eu:en16931:2017"
_UN = "urn:un:unece:uncefact:data:standard:"
_UBL = "urn:oasis:names:specification:ubl:schema:xsd:"


def attach(page: Canvas, xml: str) -> None:
    """Where readers look for it: in the document's list of files, and as its other half."""
    # The library has no way of its own to add a file.
    document = page._doc
    head = PDFDictionary({"Type": PDFName("EmbeddedFile"), "Subtype": PDFName("text/xml")})
    file = document.Reference(PDFStream(head, xml.encode()))
    name = PDFString("factur-x.xml")
    specification = document.Reference(
        PDFDictionary(
            {
                **{"Type": PDFName("Filespec"), "F": name, "UF": name},
                **{"EF": PDFDictionary({"F": file}), "AFRelationship": PDFName("Alternative")},
            }
        )
    )
    files = PDFDictionary({"Names": PDFArray([name, specification])})
    document.Catalog.Names = PDFDictionary({"EmbeddedFiles": files})


def cii(invoice: Invoice) -> str:
    lines = "".join(
        _cii_line(number, one, invoice) for number, one in enumerate(invoice.items, 1)
    )
    seller = invoice.seller
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<rsm:CrossIndustryInvoice xmlns:rsm="{_UN}CrossIndustryInvoice:100"
 xmlns:ram="{_UN}ReusableAggregateBusinessInformationEntity:100"
 xmlns:udt="{_UN}UnqualifiedDataType:100">
<rsm:ExchangedDocumentContext><ram:GuidelineSpecifiedDocumentContextParameter>
 <ram:ID>{_EN16931}</ram:ID>
</ram:GuidelineSpecifiedDocumentContextParameter></rsm:ExchangedDocumentContext>
<rsm:ExchangedDocument><ram:ID>{invoice.number}</ram:ID><ram:TypeCode>380</ram:TypeCode>
 <ram:IssueDateTime>{_cii_day(invoice.issued)}</ram:IssueDateTime>
</rsm:ExchangedDocument>
<rsm:SupplyChainTradeTransaction>{lines}
 <ram:ApplicableHeaderTradeAgreement>
  <ram:SellerTradeParty>{_cii_party(seller)}
   <ram:SpecifiedTaxRegistration><ram:ID schemeID="VA">{seller.tax_id}</ram:ID>
   </ram:SpecifiedTaxRegistration></ram:SellerTradeParty>
  <ram:BuyerTradeParty>{_cii_party(invoice.buyer)}</ram:BuyerTradeParty>
 </ram:ApplicableHeaderTradeAgreement>
 <ram:ApplicableHeaderTradeDelivery/>
 <ram:ApplicableHeaderTradeSettlement>
  <ram:InvoiceCurrencyCode>{invoice.currency}</ram:InvoiceCurrencyCode>
  <ram:SpecifiedTradeSettlementPaymentMeans><ram:TypeCode>58</ram:TypeCode>
   <ram:PayeePartyCreditorFinancialAccount><ram:IBANID>{seller.iban}</ram:IBANID>
   </ram:PayeePartyCreditorFinancialAccount></ram:SpecifiedTradeSettlementPaymentMeans>
  <ram:ApplicableTradeTax><ram:CalculatedAmount>{invoice.tax}</ram:CalculatedAmount>
   <ram:TypeCode>VAT</ram:TypeCode><ram:BasisAmount>{invoice.subtotal}</ram:BasisAmount>
   <ram:CategoryCode>S</ram:CategoryCode>
   <ram:RateApplicablePercent>{invoice.tax_percent}</ram:RateApplicablePercent>
  </ram:ApplicableTradeTax>
  <ram:SpecifiedTradePaymentTerms>
   <ram:DueDateDateTime>{_cii_day(invoice.due)}</ram:DueDateDateTime>
  </ram:SpecifiedTradePaymentTerms>
  <ram:SpecifiedTradeSettlementHeaderMonetarySummation>
   <ram:LineTotalAmount>{invoice.subtotal}</ram:LineTotalAmount>
   <ram:TaxBasisTotalAmount>{invoice.subtotal}</ram:TaxBasisTotalAmount>
   <ram:TaxTotalAmount currencyID="{invoice.currency}">{invoice.tax}</ram:TaxTotalAmount>
   <ram:GrandTotalAmount>{invoice.total}</ram:GrandTotalAmount>
   <ram:DuePayableAmount>{invoice.total}</ram:DuePayableAmount>
  </ram:SpecifiedTradeSettlementHeaderMonetarySummation>
 </ram:ApplicableHeaderTradeSettlement>
</rsm:SupplyChainTradeTransaction>
</rsm:CrossIndustryInvoice>
"""


def _cii_day(day: date) -> str:
    return f'<udt:DateTimeString format="102">{day:%Y%m%d}</udt:DateTimeString>'


def _cii_party(party: Party) -> str:
    post_code, _, city = party.town.partition(" ")
    return f"""<ram:Name>{escape(party.name)}</ram:Name>
   <ram:PostalTradeAddress><ram:PostcodeCode>{post_code}</ram:PostcodeCode>
    <ram:LineOne>{escape(party.street)}</ram:LineOne><ram:CityName>{escape(city)}</ram:CityName>
    <ram:CountryID>{COUNTRY}</ram:CountryID></ram:PostalTradeAddress>"""


def _cii_line(number: int, one: Item, invoice: Invoice) -> str:
    return f"""
 <ram:IncludedSupplyChainTradeLineItem>
  <ram:AssociatedDocumentLineDocument><ram:LineID>{number}</ram:LineID>
  </ram:AssociatedDocumentLineDocument>
  <ram:SpecifiedTradeProduct><ram:Name>{escape(one.text)}</ram:Name></ram:SpecifiedTradeProduct>
  <ram:SpecifiedLineTradeAgreement><ram:NetPriceProductTradePrice>
   <ram:ChargeAmount>{one.price}</ram:ChargeAmount>
  </ram:NetPriceProductTradePrice></ram:SpecifiedLineTradeAgreement>
  <ram:SpecifiedLineTradeDelivery>
   <ram:BilledQuantity unitCode="C62">{one.quantity}</ram:BilledQuantity>
  </ram:SpecifiedLineTradeDelivery>
  <ram:SpecifiedLineTradeSettlement>
   <ram:ApplicableTradeTax><ram:TypeCode>VAT</ram:TypeCode>
    <ram:CategoryCode>S</ram:CategoryCode>
    <ram:RateApplicablePercent>{invoice.tax_percent}</ram:RateApplicablePercent>
   </ram:ApplicableTradeTax>
   <ram:SpecifiedTradeSettlementLineMonetarySummation>
    <ram:LineTotalAmount>{one.amount.quantize(CENT)}</ram:LineTotalAmount>
   </ram:SpecifiedTradeSettlementLineMonetarySummation>
  </ram:SpecifiedLineTradeSettlement>
 </ram:IncludedSupplyChainTradeLineItem>"""


def ubl(invoice: Invoice) -> str:
    lines = "".join(
        _ubl_line(number, one, invoice) for number, one in enumerate(invoice.items, 1)
    )
    seller, net = invoice.seller, _ubl_money("TaxableAmount", invoice.subtotal, invoice)
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<ubl:Invoice xmlns:ubl="{_UBL}Invoice-2"
 xmlns:cac="{_UBL}CommonAggregateComponents-2" xmlns:cbc="{_UBL}CommonBasicComponents-2">
<cbc:CustomizationID>{_EN16931}#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0</cbc:CustomizationID>
<cbc:ProfileID>urn:fdc:peppol.eu:2017:poacc:billing:01:1.0</cbc:ProfileID>
<cbc:ID>{invoice.number}</cbc:ID>
<cbc:IssueDate>{invoice.issued}</cbc:IssueDate><cbc:DueDate>{invoice.due}</cbc:DueDate>
<cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode>
<cbc:DocumentCurrencyCode>{invoice.currency}</cbc:DocumentCurrencyCode>
<cbc:BuyerReference>{BUYER_REFERENCE}</cbc:BuyerReference>
<cac:AccountingSupplierParty><cac:Party>{_ubl_address(seller)}
 <cac:PartyTaxScheme><cbc:CompanyID>{seller.tax_id}</cbc:CompanyID>{_VAT}</cac:PartyTaxScheme>
 {_ubl_name(seller)}</cac:Party></cac:AccountingSupplierParty>
<cac:AccountingCustomerParty><cac:Party>{_ubl_address(invoice.buyer)}
 {_ubl_name(invoice.buyer)}</cac:Party></cac:AccountingCustomerParty>
<cac:PaymentMeans><cbc:PaymentMeansCode>58</cbc:PaymentMeansCode>
 <cac:PayeeFinancialAccount><cbc:ID>{seller.iban}</cbc:ID></cac:PayeeFinancialAccount>
</cac:PaymentMeans>
<cac:TaxTotal>{_ubl_money("TaxAmount", invoice.tax, invoice)}
 <cac:TaxSubtotal>{net}{_ubl_money("TaxAmount", invoice.tax, invoice)}
  <cac:TaxCategory>{_ubl_rate(invoice)}</cac:TaxCategory></cac:TaxSubtotal></cac:TaxTotal>
<cac:LegalMonetaryTotal>{_ubl_money("LineExtensionAmount", invoice.subtotal, invoice)}
 {_ubl_money("TaxExclusiveAmount", invoice.subtotal, invoice)}
 {_ubl_money("TaxInclusiveAmount", invoice.total, invoice)}
 {_ubl_money("PayableAmount", invoice.total, invoice)}</cac:LegalMonetaryTotal>{lines}
</ubl:Invoice>
"""


_VAT = "<cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme>"


def _ubl_address(party: Party) -> str:
    post_code, _, city = party.town.partition(" ")
    return f"""
 <cac:PostalAddress><cbc:StreetName>{escape(party.street)}</cbc:StreetName>
  <cbc:CityName>{escape(city)}</cbc:CityName><cbc:PostalZone>{post_code}</cbc:PostalZone>
  <cac:Country><cbc:IdentificationCode>{COUNTRY}</cbc:IdentificationCode></cac:Country>
 </cac:PostalAddress>"""


def _ubl_name(party: Party) -> str:
    name = f"<cbc:RegistrationName>{escape(party.name)}</cbc:RegistrationName>"
    return f"<cac:PartyLegalEntity>{name}</cac:PartyLegalEntity>"


def _ubl_rate(invoice: Invoice) -> str:
    return f"<cbc:ID>S</cbc:ID><cbc:Percent>{invoice.tax_percent}</cbc:Percent>{_VAT}"


def _ubl_money(name: str, amount: Decimal, invoice: Invoice) -> str:
    return f'<cbc:{name} currencyID="{invoice.currency}">{amount}</cbc:{name}>'


def _ubl_line(number: int, one: Item, invoice: Invoice) -> str:
    return f"""
<cac:InvoiceLine><cbc:ID>{number}</cbc:ID>
 <cbc:InvoicedQuantity unitCode="C62">{one.quantity}</cbc:InvoicedQuantity>
 {_ubl_money("LineExtensionAmount", one.amount.quantize(CENT), invoice)}
 <cac:Item><cbc:Name>{escape(one.text)}</cbc:Name>
  <cac:ClassifiedTaxCategory>{_ubl_rate(invoice)}</cac:ClassifiedTaxCategory></cac:Item>
 <cac:Price>{_ubl_money("PriceAmount", one.price, invoice)}</cac:Price></cac:InvoiceLine>"""

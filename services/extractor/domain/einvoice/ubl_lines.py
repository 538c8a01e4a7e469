"""The lines of a UBL invoice or credit note. Lines inside a line only explain it."""

from collections.abc import Iterable

from services.extractor.domain.einvoice.parts import put_discount, put_gtin
from services.extractor.domain.einvoice.stated import Sheet, joined
from services.extractor.domain.einvoice.trees import Node

_NAMES = {
    "position": "ID",
    "net_amount": "LineExtensionAmount",
    "code": "Item/SellersItemIdentification/ID",
    "buyer_code": "Item/BuyersItemIdentification/ID",
    "unit_price": "Price/PriceAmount",
    "price_base_qty": "Price/BaseQuantity",
    "gross_price": "Price/AllowanceCharge/BaseAmount",
    "tax_category": "Item/ClassifiedTaxCategory/ID",
    "tax_rate": "Item/ClassifiedTaxCategory/Percent",
    "tax_amount": "TaxTotal/TaxAmount",
    "date": "Delivery/ActualDeliveryDate",
    "period.start": "InvoicePeriod/StartDate",
    "period.end": "InvoicePeriod/EndDate",
    "po_line": "OrderLineReference/LineID",
    "order_ref": "OrderLineReference/OrderReference/ID",
}


def read_lines(sheet: Sheet, lines: Iterable[Node]) -> None:
    for place, line in enumerate(lines):
        if sheet.is_full:
            return
        at = f"lines.{place}"
        for path, name in _NAMES.items():
            sheet.put(f"{at}.{path}", line.first(name))
        for name in ("Item/Name", "Item/Description"):
            sheet.put(f"{at}.description", line.first(name))
        sheet.put(f"{at}.description", joined(line.all("Note")))
        for name in ("InvoicedQuantity", "CreditedQuantity"):
            if quantity := line.first(name):
                sheet.put(f"{at}.quantity", quantity)
                sheet.put(f"{at}.unit_code", quantity.attribute("unitCode"))
        put_gtin(sheet, at, line.first("Item/StandardItemIdentification/ID"))
        _discount(sheet, at, list(line.all("AllowanceCharge")))


def _discount(sheet: Sheet, at: str, changes: list[Node]) -> None:
    amounts = [(one.first("ChargeIndicator"), one.first("Amount")) for one in changes]
    factors = [one for change in changes for one in change.all("MultiplierFactorNumeric")]
    put_discount(sheet, at, amounts, factors)

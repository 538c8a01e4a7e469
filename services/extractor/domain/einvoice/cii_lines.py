"""The lines of a Cross Industry Invoice."""

from collections.abc import Iterable

from services.extractor.domain.einvoice.cii_parts import (
    put_date,
    put_period,
    reference_in,
)
from services.extractor.domain.einvoice.parts import put_discount, put_gtin
from services.extractor.domain.einvoice.stated import Sheet, joined
from services.extractor.domain.einvoice.trees import Node

_NOWHERE = Node("", "", {})
# Such a line only sums up or explains others: its amount would count twice.
_NOT_BILLED = frozenset({"GROUP", "INFORMATION"})


def read_lines(sheet: Sheet, lines: Iterable[Node]) -> None:
    place = 0
    for line in lines:
        if sheet.is_full:
            return
        document = line.first("AssociatedDocumentLineDocument") or _NOWHERE
        status = document.first("LineStatusReasonCode")
        if (status and status.text.upper() in _NOT_BILLED) or _is_only_a_note(line):
            continue
        at = f"lines.{place}"
        place += 1
        sheet.put(f"{at}.position", document.first("LineID"))
        _product(sheet, at, line.first("SpecifiedTradeProduct") or _NOWHERE)
        notes = joined(document.all("IncludedNote/Content"))
        sheet.put(f"{at}.description", notes)
        _price(sheet, at, line.first("SpecifiedLineTradeAgreement") or _NOWHERE)
        delivery = line.first("SpecifiedLineTradeDelivery") or _NOWHERE
        _quantity(sheet, at, delivery)
        _settlement(sheet, at, line.first("SpecifiedLineTradeSettlement") or _NOWHERE)


def _is_only_a_note(line: Node) -> bool:
    """ZUGFeRD 1.0 has lines of text between the lines that are billed."""
    amount = "SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount"
    return not any(
        line.first(path)
        for path in (
            f"SpecifiedLineTradeSettlement/{amount}",
            "SpecifiedLineTradeDelivery/BilledQuantity",
            "SpecifiedTradeProduct/Name",
        )
    )


def _product(sheet: Sheet, at: str, product: Node) -> None:
    for name in ("Name", "Description"):
        sheet.put(f"{at}.description", product.first(name))
    sheet.put(f"{at}.code", product.first("SellerAssignedID"))
    sheet.put(f"{at}.buyer_code", product.first("BuyerAssignedID"))
    put_gtin(sheet, at, product.first("GlobalID"))


def _price(sheet: Sheet, at: str, agreement: Node) -> None:
    net, gross = "NetPriceProductTradePrice", "GrossPriceProductTradePrice"
    sheet.put(f"{at}.unit_price", agreement.first(f"{net}/ChargeAmount"))
    sheet.put(f"{at}.gross_price", agreement.first(f"{gross}/ChargeAmount"))
    for price in (net, gross):
        sheet.put(f"{at}.price_base_qty", agreement.first(f"{price}/BasisQuantity"))
    order = agreement.first("BuyerOrderReferencedDocument")
    sheet.put(f"{at}.order_ref", reference_in(order))
    sheet.put(f"{at}.po_line", order.first("LineID") if order else None)


def _quantity(sheet: Sheet, at: str, delivery: Node) -> None:
    if billed := delivery.first("BilledQuantity"):
        sheet.put(f"{at}.quantity", billed)
        sheet.put(f"{at}.unit_code", billed.attribute("unitCode"))
    put_date(sheet, f"{at}.date", delivery, "ActualDeliverySupplyChainEvent/OccurrenceDateTime")


def _settlement(sheet: Sheet, at: str, settlement: Node) -> None:
    summation = "SpecifiedTradeSettlementLineMonetarySummation"
    sheet.put(f"{at}.net_amount", settlement.first(f"{summation}/LineTotalAmount"))
    tax = settlement.first("ApplicableTradeTax") or _NOWHERE
    sheet.put(f"{at}.tax_rate", tax.first("RateApplicablePercent"))
    sheet.put(f"{at}.tax_category", tax.first("CategoryCode"))
    sheet.put(f"{at}.tax_amount", tax.first("CalculatedAmount"))
    put_period(sheet, f"{at}.period", settlement)
    put_discount(
        sheet,
        at,
        [
            (one.first("ChargeIndicator/Indicator"), one.first("ActualAmount"))
            for one in settlement.all("SpecifiedTradeAllowanceCharge")
        ],
        [one for one in settlement.all("SpecifiedTradeAllowanceCharge/CalculationPercent")],
    )

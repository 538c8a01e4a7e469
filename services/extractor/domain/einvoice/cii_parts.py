"""How CII writes dates, periods and references, in its header and in its lines alike."""

from services.extractor.domain.einvoice.stated import Sheet
from services.extractor.domain.einvoice.trees import Node


def put_date(sheet: Sheet, path: str, node: Node, name: str) -> None:
    for kind in ("DateTimeString", "DateString", "DateTime", "Date"):
        if found := node.first(f"{name}/{kind}"):
            sheet.put(path, found, found.attribute("format"))
    # ZUGFeRD 1.0 writes some of its dates without anything around them.
    sheet.put(path, node.first(name))


def put_period(sheet: Sheet, path: str, node: Node) -> None:
    put_date(sheet, f"{path}.start", node, "BillingSpecifiedPeriod/StartDateTime")
    put_date(sheet, f"{path}.end", node, "BillingSpecifiedPeriod/EndDateTime")


def reference_in(document: Node | None) -> Node | None:
    if document is None:
        return None
    return document.first("IssuerAssignedID") or document.first("ID")

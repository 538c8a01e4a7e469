"""The rules of EN 16931 for the categories of tax: the same ten for each, by one table.

Which numbers have to be stated, whether there is a rate, and whether somebody has to say why
there is no tax, differs by category; how the bases add up does not.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from services.storage.domain.invoice import Invoice, Tax

# As the official tests allow.
OFF_MAX = Decimal(1)
# By the code list of the standard: for these the category itself is the reason.
REASON_CODES: Mapping[str, str] = {
    "AE": "VATEX-EU-AE",
    "K": "VATEX-EU-IC",
    "G": "VATEX-EU-G",
    "O": "VATEX-EU-O",
}
# Italian authorities pay the tax of what they buy themselves.
SPLIT = "B"
Told = Iterator[tuple[str, str, str]]


@dataclass(frozen=True, slots=True)
class Category:
    """`rated`: above zero, at least zero, zero, or none at all."""

    rules: str
    rated: str = "zero"
    gives_reason: bool = False
    # Any number with the authorities, or a VAT id.
    seller: str = "number"
    buyer: str = ""

    @property
    def is_free(self) -> bool:
        return self.rated in ("zero", "none")


CATEGORIES: Mapping[str, Category] = {
    "S": Category("BR-S", rated="above"),
    "Z": Category("BR-Z"),
    "E": Category("BR-E", gives_reason=True),
    "AE": Category("BR-AE", gives_reason=True, buyer="number"),
    "K": Category("BR-IC", gives_reason=True, seller="vat", buyer="vat"),
    "G": Category("BR-G", gives_reason=True, seller="vat"),
    "O": Category("BR-O", rated="none", gives_reason=True, seller="none", buyer="none"),
    "L": Category("BR-AF", rated="least"),
    "M": Category("BR-AG", rated="least"),
}


def tax_rules(invoice: Invoice) -> Told:
    of_lines = {one.category for one in invoice.lines if one.category}
    used = of_lines | {one.category for one in invoice.changes if one.category}
    stated = Counter(one.category for one in invoice.taxes if one.category)
    for code in sorted(used | stated.keys()):
        if (category := CATEGORIES.get(code)) is None:
            yield from _split(invoice, stated) if code == SPLIT else _unknown(code)
            continue
        yield from _stated(category, code, stated[code])
        yield from _numbers(invoice, category, code)
        yield from _rates(invoice, category, code)
        for place, tax in enumerate(invoice.taxes):
            if tax.category == code:
                yield from _breakdown(invoice, category, tax, f"taxes.{place}")
    if "K" in stated:
        yield from _inside_the_union(invoice)
    if "O" in stated and len(stated) > 1:
        yield "BR-O-11", "What is not subject to tax stands alone.", "taxes"


def _unknown(code: str) -> Told:
    yield "BR-CL-17", f"{code} is no category of tax.", "taxes"


def _split(invoice: Invoice, stated: Mapping[str, int]) -> Told:
    """Whose buyer pays the tax to the state himself: it has none of the ten rules."""
    if {invoice.seller.country, invoice.buyer.country} != {"IT"}:
        yield "BR-B-01", "A split payment stays within Italy.", "taxes"
    if "S" in stated:
        yield "BR-B-02", "A split payment and standard tax are not on one invoice.", "taxes"


def _stated(category: Category, code: str, times: int) -> Told:
    if not times:
        says = f"Lines have the category {code}, and the taxes have not."
        yield f"{category.rules}-01", says, "taxes"
    elif category.is_free and times > 1:
        yield f"{category.rules}-01", f"The category {code} is there twice.", "taxes"


def _numbers(invoice: Invoice, category: Category, code: str) -> Told:
    seller, buyer = invoice.seller, invoice.buyer
    vat = seller.vat_id or invoice.parties["tax_representative"].vat_id
    known = {"number": vat or seller.tax_number, "vat": vat, "none": not (vat or buyer.vat_id)}
    if not known[category.seller]:
        says = f"The category {code} needs a VAT id or tax number of the seller."
        if category.seller == "none":
            says = "What is not subject to tax names no VAT id."
        yield f"{category.rules}-02", says, "seller.vat_id"
    of_buyer = {"vat": buyer.vat_id, "number": buyer.vat_id or buyer.legal_id}
    if category.buyer in of_buyer and not of_buyer[category.buyer]:
        says = f"The category {code} needs a VAT id of the buyer."
        yield f"{category.rules}-02", says, "buyer.vat_id"


def _rates(invoice: Invoice, category: Category, code: str) -> Told:
    for place, line in enumerate(invoice.lines):
        if line.category == code and not _fits(line.rate, category):
            says = f"The category {code} has no rate of {line.rate}."
            yield f"{category.rules}-05", says, f"lines.{place}.tax_rate"
    for place, one in enumerate(invoice.changes):
        if one.category == code and not _fits(one.rate, category):
            rule = f"{category.rules}-{'07' if one.is_charge else '06'}"
            says = f"The category {code} has no rate of {one.rate}."
            yield rule, says, f"allowances.{place}.tax_rate"


def _fits(rate: Decimal | None, category: Category) -> bool:
    match category.rated:
        case "above":
            return rate is not None and rate > 0
        case "least":
            return rate is not None and rate >= 0
        case "none":
            return not rate
        case _:
            return rate == 0


def _breakdown(invoice: Invoice, category: Category, tax: Tax, at: str) -> Told:
    base, stated = _base(invoice, category, tax), tax.base
    if base is not None and stated is not None and abs(base - stated) >= OFF_MAX:
        says = f"What is taxed adds up to {base:f} and is stated as {stated:f}."
        yield f"{category.rules}-08", says, f"{at}.base"
    owed = _owed(category, tax)
    if owed is not None and tax.amount is not None and abs(owed - tax.amount) >= _off(category):
        says = (
            f"The category {tax.category} makes {owed:f} of tax, and {tax.amount:f} is stated."
        )
        yield f"{category.rules}-09", says, f"{at}.amount"
    reason = tax.exemption_reason or REASON_CODES.get(tax.category or "")
    if category.gives_reason != bool(reason):
        says = "Somebody has to say why there is no tax."
        if not category.gives_reason:
            says = f"The category {tax.category} has no reason not to be taxed."
        yield f"{category.rules}-10", says, f"{at}.exemption_reason"


def _owed(category: Category, tax: Tax) -> Decimal | None:
    if category.is_free:
        return Decimal(0)
    return None if tax.base is None else tax.base * (tax.rate or 0) / 100


def _off(category: Category) -> Decimal:
    """Where there is no tax, there is not a little of it."""
    return Decimal("0.01") if category.is_free else OFF_MAX


def _base(invoice: Invoice, category: Category, tax: Tax) -> Decimal | None:
    """None when something of it is not known, which another rule says."""
    by_rate = category.rated in ("above", "least")
    total = Decimal(0)
    for line in invoice.lines:
        if line.category == tax.category and (not by_rate or line.rate == tax.rate):
            if line.net is None:
                return None
            total += line.net
    for one in invoice.changes:
        if one.category == tax.category and (not by_rate or one.rate == tax.rate):
            if one.amount is None:
                return None
            total += one.amount if one.is_charge else -one.amount
    return total


def _inside_the_union(invoice: Invoice) -> Told:
    period = invoice.text("service_period.start") or invoice.text("service_period.end")
    if not (invoice.text("delivery_date") or period):
        says = "A supply inside the union says when it was delivered."
        yield "BR-IC-11", says, "delivery_date"
    if not invoice.parties["ship_to"].country:
        says = "A supply inside the union says to which country."
        yield "BR-IC-12", says, "ship_to.address.country"

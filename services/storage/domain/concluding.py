"""From a result to an invoice: what was read, and what follows from it.

What follows is filled in, and only that: a sum of what is there, the category that a rate above
zero has, the one tax that all lines share. What cannot be concluded stays absent, and the rules
say so.
"""

from collections.abc import Iterable
from decimal import Decimal, InvalidOperation

from services.storage.domain.invoice import (
    Account,
    Change,
    Invoice,
    Line,
    Party,
    Tax,
    Totals,
    Values,
    places,
)
from services.storage.domain.listed import day

CREDIT_NOTE = "credit_note"
CREDIT_CODES = frozenset(
    {"81", "83", "261", "262", "296", "308", "381", "396", "420", "458", "502", "503", "532"}
)
TYPE_CODES = {"invoice": "380", CREDIT_NOTE: "381", "debit_note": "383", "proforma": "325"}
# UN/ECE Recommendation 20: one of something, and what both sides know by its name.
ONE, MUTUALLY_DEFINED = "C62", "ZZ"
UNITS = {
    **dict.fromkeys(("pc", "pcs", "piece", "pieces", "stk", "stück", "st", "ea", "each"), ONE),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours", "std", "stunde", "stunden"), "HUR"),
    **dict.fromkeys(("d", "day", "days", "tag", "tage"), "DAY"),
    **dict.fromkeys(("month", "months", "monat", "monate"), "MON"),
    **{"kg": "KGM", "g": "GRM", "t": "TNE", "l": "LTR", "m": "MTR", "km": "KMT"},
    **{"m²": "MTK", "m2": "MTK", "m³": "MTQ", "m3": "MTQ", "kwh": "KWH"},
}
SHIPPING = "Shipping"
# From here on it is no amount of an invoice, and more digits than anybody reckons with.
NO_AMOUNT = Decimal(10) ** 16
PARTIES = ("seller", "buyer", "payee", "ship_to", "tax_representative")


def invoice_of(values: Values) -> Invoice:
    taxes = _taxes(values)
    changes = _changes(values, taxes)
    lines = tuple(_line(values, place, taxes) for place in places(values, "lines"))
    kind, code = values.get("document.type") or "", values.get("document.type_code")
    type_code = code or TYPE_CODES.get(kind.lower())
    return Invoice(
        values=values,
        type_code=type_code,
        is_credit_note=type_code in CREDIT_CODES or kind.lower() == CREDIT_NOTE,
        issued=day(values.get("issue_date")),
        due=day(values.get("due_date")),
        currency=values.get("currency"),
        parties={role: _party(values, role) for role in PARTIES},
        taxes=taxes,
        changes=changes,
        lines=lines,
        accounts=tuple(_accounts(values)),
        totals=_totals(values, lines, changes, taxes),
    )


def number(values: Values, path: str) -> Decimal | None:
    text = values.get(path)
    if not text:
        return None
    try:
        found = Decimal(text)
    except InvalidOperation:
        return None
    return found if found.is_finite() and abs(found) < NO_AMOUNT else None


def _party(values: Values, role: str) -> Party:
    def said(path: str) -> str | None:
        return values.get(f"{role}.{path}") or None

    return Party(
        name=said("name"),
        lines=tuple((said("address.lines") or "").splitlines()),
        city=said("address.city"),
        post_code=said("address.post_code"),
        region=said("address.region"),
        country=said("address.country"),
        vat_id=said("vat_id"),
        tax_number=said("tax_number"),
        legal_id=said("legal_id"),
        legal_id_scheme=said("legal_id_scheme"),
        email=said("email"),
        phone=said("phone"),
        contact=said("contact"),
    )


def _accounts(values: Values) -> list[Account]:
    found = []
    for place in places(values, "payment.accounts"):
        at = f"payment.accounts.{place}"
        if account := values.get(f"{at}.iban") or values.get(f"{at}.account_no"):
            found.append(Account(account, values.get(f"{at}.holder"), values.get(f"{at}.bic")))
    return found


def _taxes(values: Values) -> tuple[Tax, ...]:
    found = []
    for place in places(values, "taxes"):
        at = f"taxes.{place}"
        rate = number(values, f"{at}.rate")
        found.append(
            Tax(
                category=values.get(f"{at}.category") or _standard(rate),
                rate=rate,
                base=number(values, f"{at}.base"),
                amount=number(values, f"{at}.amount"),
                exemption_reason=values.get(f"{at}.exemption_reason"),
            )
        )
    return tuple(found)


def _standard(rate: Decimal | None) -> str | None:
    return "S" if rate is not None and rate > 0 else None


def _taxed(
    category: str | None, rate: Decimal | None, taxes: tuple[Tax, ...]
) -> tuple[str | None, Decimal | None]:
    """What there is only one of needs not be said at every place."""
    of_rate = {one.category for one in taxes if rate is None or one.rate == rate}
    if category is None:
        category = next(iter(of_rate)) if len(of_rate) == 1 else _standard(rate)
    rates = {one.rate for one in taxes if one.category == category}
    if rate is None and len(rates) == 1:
        rate = next(iter(rates))
    return category, rate


def _changes(values: Values, taxes: tuple[Tax, ...]) -> tuple[Change, ...]:
    found = []
    for place in places(values, "allowances"):
        at = f"allowances.{place}"
        category, rate = _taxed(None, number(values, f"{at}.tax_rate"), taxes)
        amount, is_charge = number(values, f"{at}.amount"), values.get(f"{at}.charge") == "true"
        found.append(Change(is_charge, amount, values.get(f"{at}.reason"), category, rate))
    shipping = number(values, "shipping")
    if shipping and not any(one.is_charge and one.amount == shipping for one in found):
        found.append(Change(True, shipping, SHIPPING, *_taxed(None, None, taxes)))
    return tuple(found)


def _line(values: Values, place: int, taxes: tuple[Tax, ...]) -> Line:
    at = f"lines.{place}"
    net, discount = number(values, f"{at}.net_amount"), number(values, f"{at}.discount.amount")
    quantity, price = number(values, f"{at}.quantity"), number(values, f"{at}.unit_price")
    if quantity is None and price is None and net is not None:
        # A lump sum: one of it, at what it costs.
        quantity, price = Decimal(1), net + (discount or 0)
    category, rate = _taxed(
        values.get(f"{at}.tax_category"), number(values, f"{at}.tax_rate"), taxes
    )
    return Line(
        position=values.get(f"{at}.position") or str(place + 1),
        description=values.get(f"{at}.description"),
        quantity=quantity,
        unit_code=values.get(f"{at}.unit_code") or _unit(values.get(f"{at}.unit")),
        price=price,
        base_quantity=number(values, f"{at}.price_base_qty"),
        discount=discount,
        net=net,
        category=category,
        rate=rate,
        code=values.get(f"{at}.code"),
        buyer_code=values.get(f"{at}.buyer_code"),
        gtin=values.get(f"{at}.gtin"),
        order_line=values.get(f"{at}.po_line"),
        starts=day(values.get(f"{at}.period.start")),
        ends=day(values.get(f"{at}.period.end")),
    )


def _unit(said: str | None) -> str:
    known = (said or "").strip().lower().rstrip(".")
    return UNITS.get(known, MUTUALLY_DEFINED) if known else ONE


def _totals(
    values: Values,
    lines: tuple[Line, ...],
    changes: tuple[Change, ...],
    taxes: tuple[Tax, ...],
) -> Totals:
    gross, prepaid = number(values, "total"), number(values, "prepaid")
    rounding, due = number(values, "rounding"), number(values, "amount_due")
    if due is None and gross is not None:
        due = gross - (prepaid or 0) + (rounding or 0)
    charges, allowances = number(values, "charges_total"), number(values, "allowances_total")
    if any(one.is_charge for one in changes) and (
        charges is None or number(values, "shipping")
    ):
        charges = _sum(one.amount for one in changes if one.is_charge)
    if allowances is None and any(not one.is_charge for one in changes):
        allowances = _sum(one.amount for one in changes if not one.is_charge)
    tax = _first(number(values, "tax_total"), _sum(one.amount for one in taxes))
    return Totals(
        lines=_first(number(values, "lines_total"), _sum(one.net for one in lines)),
        allowances=allowances,
        charges=charges,
        net=_first(number(values, "subtotal"), _less(gross, tax)),
        tax=tax,
        gross=gross,
        prepaid=prepaid,
        rounding=rounding,
        due=due,
        tax_accounting=number(values, "tax_total_accounting"),
    )


def _sum(amounts: Iterable[Decimal | None]) -> Decimal | None:
    """None when one of them is not known, or there is none."""
    given = list(amounts)
    known = [one for one in given if one is not None]
    return sum(known, Decimal(0)) if known and len(known) == len(given) else None


def _first(read: Decimal | None, concluded: Decimal | None) -> Decimal | None:
    return concluded if read is None else read


def _less(one: Decimal | None, other: Decimal | None) -> Decimal | None:
    return None if one is None or other is None else one - other

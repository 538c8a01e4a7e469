"""Totals in two currencies, cards, discounts, article numbers: alike in both syntaxes."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from services.extractor.domain.einvoice.stated import Sheet, plain
from services.extractor.domain.einvoice.trees import Node

_GTIN_DIGITS = frozenset({8, 12, 13, 14})
# How XRechnung writes a cash discount into the terms: #SKONTO#TAGE=14#PROZENT=2.00#
_DISCOUNT = re.compile(r"#SKONTO#TAGE=(?P<days>\d{1,3})#PROZENT=(?P<percent>\d{1,2}\.\d{2})#")


def in_currency(sheet: Sheet, amounts: Iterator[Node]) -> Node | None:
    """Some totals are stated again in a second currency: the invoice's own is meant."""
    known = list(amounts)
    stated = sheet.stated.get("currency")
    own = [one for one in known if _currency(one) in ("", stated.value if stated else "")]
    return next(iter(own or known), None)


def put_tax_totals(sheet: Sheet, amounts: list[Node]) -> None:
    own = in_currency(sheet, iter(amounts))
    sheet.put("tax_total", own)
    accounting = sheet.stated.get("accounting_currency")
    for amount in amounts:
        if accounting and amount is not own and _currency(amount) == accounting.value:
            sheet.put("tax_total_accounting", amount)


def _currency(amount: Node) -> str:
    return amount.attribute("currencyID").upper()


def put_card(sheet: Sheet, card: Node) -> None:
    """Only the end of it: a whole card number is kept nowhere, not even as what was read."""
    digits = "".join(one for one in card.text if one.isalnum())[-4:]
    sheet.put("payment.card_last4", digits)


def discount_in(terms: str) -> tuple[str, str] | None:
    """Days and percent of the first cash discount."""
    match = _DISCOUNT.search(terms.upper())
    return (match["days"], match["percent"]) if match else None


def put_discount(
    sheet: Sheet,
    at: str,
    changes: Sequence[tuple[Node | None, Node | None]],
    percents: Sequence[Node],
) -> None:
    """What a line is cheaper by. A charge counts against it, so that a line adds up."""
    amounts = [
        (charge is not None and charge.text.lower() in ("true", "1"), amount)
        for charge, amount in changes
        if amount is not None
    ]
    match amounts:
        case []:
            return
        case [(False, amount)]:
            sheet.put(f"{at}.discount.amount", amount)
            if len(percents) == 1:
                sheet.put(f"{at}.discount.percent", percents[0])
        case _:
            known = [(charged, plain(amount.text)) for charged, amount in amounts]
            values = [
                -Decimal(one) if charged else Decimal(one) for charged, one in known if one
            ]
            if len(values) == len(known):
                sheet.put_value(f"{at}.discount.amount", f"{sum(values, Decimal(0)):f}")


def put_gtin(sheet: Sheet, at: str, number: Node | None) -> None:
    """Under its scheme, or without any when it has the length of one."""
    if number is None:
        return
    scheme = number.attribute("schemeID").upper()
    is_gtin = number.text.isdigit() and len(number.text) in _GTIN_DIGITS
    if scheme in ("0160", "GTIN", "EAN") or (not scheme and is_gtin):
        sheet.put(f"{at}.gtin", number)

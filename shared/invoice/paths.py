"""The canonical invoice: every path that a field may have, and what kind of value stands there.

Values are text in one form per kind: money and numbers are plain decimals with a point
("1234.50"), dates are ISO, codes are upper case. An engine that reads something else puts what
it saw into `raw` and nothing into `value`.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Literal

Kind = Literal["text", "code", "date", "money", "number", "flag"]

_PARTY: Mapping[str, Kind] = {
    "name": "text",
    **dict.fromkeys(("address.lines", "address.city", "address.post_code"), "text"),
    **{"address.region": "text", "address.country": "code"},
    **dict.fromkeys(("vat_id", "tax_number", "legal_id", "legal_id_scheme"), "code"),
    **dict.fromkeys(("email", "phone", "website", "contact"), "text"),
}
PARTIES = ("seller", "buyer", "payee", "ship_to", "tax_representative")

_HEADER: Mapping[str, Kind] = {
    **dict.fromkeys(("document.type", "document.type_code", "document.language"), "code"),
    **dict.fromkeys(("issue_date", "due_date", "tax_point_date", "delivery_date"), "date"),
    **dict.fromkeys(("service_period.start", "service_period.end"), "date"),
    **dict.fromkeys(("currency", "accounting_currency"), "code"),
    "exchange_rate": "number",
    **dict.fromkeys(
        (
            *("invoice_number", "purchase_order", "buyer_reference", "contract_ref"),
            *("project_ref", "sales_order", "delivery_note", "customer_number"),
        ),
        "text",
    ),
    **dict.fromkeys(
        (
            *("lines_total", "allowances_total", "charges_total", "shipping", "subtotal"),
            *("tax_total", "total", "prepaid", "rounding", "previous_balance", "amount_due"),
            "tax_total_accounting",
        ),
        "money",
    ),
    "prices_include_tax": "flag",
    "payment.terms_text": "text",
    **dict.fromkeys(
        ("payment.net_days", "payment.discount.percent", "payment.discount.days"), "number"
    ),
    "payment.means_code": "code",
    **dict.fromkeys(
        (
            *("payment.reference", "payment.mandate_id", "payment.creditor_id"),
            "payment.card_last4",
        ),
        "text",
    ),
    **{f"{party}.{path}": kind for party in PARTIES for path, kind in _PARTY.items()},
}

_MEMBERS: Mapping[str, Mapping[str, Kind]] = {
    "notes": {"text": "text"},
    "preceding_invoices": {"number": "text", "date": "date"},
    "payment.accounts": {
        **dict.fromkeys(("iban", "bic", "routing", "scheme"), "code"),
        **dict.fromkeys(("account_no", "bank_name", "holder"), "text"),
    },
    "taxes": {
        "category": "code",
        "rate": "number",
        "base": "money",
        "amount": "money",
        "exemption_reason": "text",
    },
    # Of the whole document; `charge` tells a charge from an allowance.
    "allowances": {"charge": "flag", "amount": "money", "reason": "text", "tax_rate": "number"},
    "lines": {
        **dict.fromkeys(("position", "code", "buyer_code", "gtin", "description"), "text"),
        **{"quantity": "number", "unit": "text", "unit_code": "code"},
        # A unit price may have more decimals than money has.
        **dict.fromkeys(("unit_price", "price_base_qty", "gross_price"), "number"),
        **{"discount.amount": "money", "discount.percent": "number", "net_amount": "money"},
        **{"tax_rate": "number", "tax_amount": "money", "tax_category": "code"},
        **dict.fromkeys(("date", "period.start", "period.end"), "date"),
        **dict.fromkeys(("po_line", "order_ref"), "text"),
    },
}
LISTS = tuple(_MEMBERS)
_FIELDS = {*_HEADER, *LISTS} | {f"{name}.{path}" for name in LISTS for path in _MEMBERS[name]}
_MEMBER = re.compile(r"(?P<list>[a-z_.]+)\.(?P<place>0|[1-9]\d{0,5})\.(?P<path>[a-z_.0-9]+)")


# The same few hundred paths, many times for each document.
@lru_cache(maxsize=4096)
def kind_of(path: str) -> Kind | None:
    """None for a path that no invoice has."""
    member = _MEMBER.fullmatch(path)
    if member is None:
        return _HEADER.get(path)
    return _MEMBERS.get(member["list"], {}).get(member["path"])


def field_of(path: str) -> str:
    """The same for every member of a list: a closed set of names, as a label needs them."""
    name = ".".join(part for part in path.split(".") if not part.isdigit())
    return name if name in _FIELDS else "other"


def places(paths: Iterable[str], name: str) -> list[int]:
    """Which members of a list there are, in order."""
    beginning = f"{name}."
    members = (_MEMBER.fullmatch(path) for path in paths if path.startswith(beginning))
    return sorted({int(one["place"]) for one in members if one and one["list"] == name})

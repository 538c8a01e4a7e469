"""The form that a person fills in: its kinds of values, its words, and the order of its fields.

The eye goes down the page, so the form does: a field stands where its value stood on paper,
and one that was not found beside those it belongs to. Rows come last, as tables do.
"""

from collections.abc import Iterable, Mapping, Sequence

from services.review.domain.items import ItemField
from shared.checks.values import member
from shared.invoice.paths import LISTS, PARTIES, kind_of
from shared.values.typed import FormKind

# As most invoices have them, from the letterhead to the bank account.
HEADER = (
    *("document.type", "seller.name", "seller.vat_id", "seller.tax_number", "seller.legal_id"),
    *("buyer.name", "buyer.vat_id", "customer_number", "buyer_reference"),
    *("invoice_number", "issue_date", "delivery_date", "service_period.start"),
    *("service_period.end", "purchase_order", "currency", "lines_total", "allowances_total"),
    *("charges_total", "shipping", "subtotal", "tax_total", "total", "prepaid", "rounding"),
    *("previous_balance", "amount_due", "due_date", "payment.net_days", "payment.terms_text"),
    *("payment.reference", "payment.means_code"),
)
_RANK = {path: rank for rank, path in enumerate(HEADER)}
# The lists that are read like single fields: an invoice has one account, or two.
_LIKE_SINGLE = ("payment.accounts", "preceding_invoices", "notes", "allowances")
_CELLS = (
    *("position", "code", "description", "quantity", "unit", "unit_price", "discount.percent"),
    *("discount.amount", "tax_rate", "net_amount", "tax_amount"),
    *("category", "rate", "base", "amount"),
)
_CELL_RANK = {cell: rank for rank, cell in enumerate(_CELLS)}
# What stands this close is on one line.
_ROWS_PER_PAGE = 100

_CODES: Mapping[str, FormKind] = {
    **dict.fromkeys(("currency", "accounting_currency"), "currency"),
    **{"iban": "iban", "vat_id": "vat_id", "country": "country"},
}
_WORDS = {
    **{
        "vat_id": "VAT ID",
        "iban": "IBAN",
        "bic": "BIC",
        "gtin": "GTIN",
        "legal_id": "legal ID",
    },
    **{
        "issue_date": "invoice date",
        "subtotal": "net total",
        "total": "total",
        "code": "item no.",
    },
    **{
        "tax_total": "tax total",
        "net_amount": "net",
        "post_code": "postcode",
        # Of an address: those of an invoice are named by their number.
        "lines": "street",
        "rate": "rate %",
    },
    **{"tax_rate": "tax %", "amount_due": "amount due", "account_no": "account number"},
}


def form_kind(path: str) -> FormKind | None:
    """None for a path that no invoice has."""
    kind = kind_of(path)
    if kind == "code":
        return _CODES.get(path.rpartition(".")[2], "code")
    return kind


def label_of(path: str) -> str:
    """`payment.accounts.0.iban` is an IBAN, `lines.2.unit_price` the unit price of line 3."""
    split = member(path)
    if split is not None:
        name, place, rest = split
        whose = {"lines": f"Line {place + 1}", "taxes": f"Tax {place + 1}"}.get(name, "")
        if not whose and place:
            whose = f"{_words(name.rpartition('.')[2]).rstrip('s').capitalize()} {place + 1}"
        return _sentence(f"{whose}: {_words(rest)}" if whose else _words(rest))
    party, _, rest = path.partition(".")
    if party in PARTIES:
        return _sentence(f"{party.replace('_', ' ')} {_words(rest.removeprefix('address.'))}")
    return _sentence(_words(path.removeprefix("payment.").removeprefix("document.")))


def _words(path: str) -> str:
    return _WORDS.get(path) or path.replace(".", " ").replace("_", " ")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def ordered(fields: Iterable[ItemField]) -> list[ItemField]:
    single: list[ItemField] = []
    rows: list[ItemField] = []
    for one in fields:
        (rows if _list_of(one.path) else single).append(one)
    return [*_down_the_page(sorted(single, key=_usual)), *sorted(rows, key=_row)]


def _list_of(path: str) -> str | None:
    split = member(path)
    return split[0] if split and split[0] not in _LIKE_SINGLE else None


def _usual(field: ItemField) -> tuple[object, ...]:
    return _RANK.get(field.path, len(_RANK)), field.position, field.path


def _down_the_page(fields: Sequence[ItemField]) -> list[ItemField]:
    """What was not found comes after the one that is usually before it."""
    placed: list[tuple[tuple[float, ...], int, ItemField]] = []
    here: tuple[float, ...] = (0.0, 0.0, 0.0)
    for rank, one in enumerate(fields):
        here = _place(one) or here
        placed.append((here, rank, one))
    return [one for _, _, one in sorted(placed, key=lambda each: each[:2])]


def _place(field: ItemField) -> tuple[float, ...] | None:
    for one in field.evidence[:1]:
        left, top, _, _ = one["bbox"]
        return float(one["page"]), float(round(top * _ROWS_PER_PAGE)), float(left)
    return None


def _row(field: ItemField) -> tuple[object, ...]:
    name, place, cell = member(field.path) or ("", 0, "")
    return LISTS.index(name), place, _CELL_RANK.get(cell, len(_CELL_RANK)), cell

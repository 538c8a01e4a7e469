"""The sums below a table, and how far they are from what the invoice says they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from services.review.domain.items import ItemField
from shared.checks.values import member
from shared.checks.values import typed as as_value


@dataclass(frozen=True, slots=True)
class Sums:
    """None for what cannot be said: no row has an amount, or nothing to compare it with."""

    lines_net: str | None
    # What the invoice says less what its rows come to.
    lines_difference: str | None
    taxes: str | None
    taxes_difference: str | None
    total_difference: str | None


def sums_of(fields: Sequence[ItemField]) -> Sums:
    money = {one.path: _amount(one) for one in fields}
    lines = _column(money, "lines", "net_amount")
    taxes = _column(money, "taxes", "amount")
    subtotal, tax, total = (money.get(one) for one in ("subtotal", "tax_total", "total"))
    stated = money.get("lines_total")
    wanted = subtotal if stated is None else stated
    made = None if subtotal is None or tax is None else subtotal + tax
    return Sums(
        lines_net=_shown(lines),
        lines_difference=_shown(_less(wanted, lines)),
        taxes=_shown(taxes),
        taxes_difference=_shown(_less(tax, taxes)),
        total_difference=_shown(_less(total, made)),
    )


def _amount(field: ItemField) -> Decimal | None:
    value = None if field.value is None else as_value(field.value, "money")
    return value if isinstance(value, Decimal) else None


def _column(money: dict[str, Decimal | None], name: str, cell: str) -> Decimal | None:
    amounts = [
        value
        for path, value in money.items()
        if value is not None and (split := member(path)) and split[::2] == (name, cell)
    ]
    return sum(amounts, Decimal(0)) if amounts else None


def _less(one: Decimal | None, other: Decimal | None) -> Decimal | None:
    return None if one is None or other is None else one - other


def _shown(value: Decimal | None) -> str | None:
    return None if value is None else f"{value:.2f}"

"""An invoice as it is written down in another syntax: typed, and with its parts together.

What is absent was neither read nor could be concluded.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from services.storage.domain.listed import day

CREDIT_TRANSFER = "30"

Values = Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Party:
    name: str | None = None
    lines: tuple[str, ...] = ()
    city: str | None = None
    post_code: str | None = None
    region: str | None = None
    country: str | None = None
    vat_id: str | None = None
    tax_number: str | None = None
    legal_id: str | None = None
    legal_id_scheme: str | None = None
    email: str | None = None
    phone: str | None = None
    contact: str | None = None

    @property
    def has_address(self) -> bool:
        return bool(self.lines or self.city or self.post_code or self.region or self.country)

    @property
    def is_there(self) -> bool:
        return self != Party()


@dataclass(frozen=True, slots=True)
class Tax:
    category: str | None
    rate: Decimal | None
    base: Decimal | None
    amount: Decimal | None
    exemption_reason: str | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """An allowance of the whole document, or a charge."""

    is_charge: bool
    amount: Decimal | None
    reason: str | None
    category: str | None
    rate: Decimal | None


@dataclass(frozen=True, slots=True)
class Line:
    position: str
    description: str | None
    quantity: Decimal | None
    unit_code: str
    price: Decimal | None
    base_quantity: Decimal | None
    discount: Decimal | None
    net: Decimal | None
    category: str | None
    rate: Decimal | None
    code: str | None = None
    buyer_code: str | None = None
    gtin: str | None = None
    order_line: str | None = None
    starts: date | None = None
    ends: date | None = None


@dataclass(frozen=True, slots=True)
class Account:
    number: str
    holder: str | None
    bic: str | None


@dataclass(frozen=True, slots=True)
class Totals:
    lines: Decimal | None
    allowances: Decimal | None
    charges: Decimal | None
    net: Decimal | None
    tax: Decimal | None
    gross: Decimal | None
    prepaid: Decimal | None
    rounding: Decimal | None
    due: Decimal | None
    tax_accounting: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Invoice:
    values: Values
    type_code: str | None
    is_credit_note: bool
    issued: date | None
    due: date | None
    currency: str | None
    parties: Mapping[str, Party]
    taxes: tuple[Tax, ...]
    changes: tuple[Change, ...]
    lines: tuple[Line, ...]
    accounts: tuple[Account, ...]
    totals: Totals

    @property
    def seller(self) -> Party:
        return self.parties["seller"]

    @property
    def buyer(self) -> Party:
        return self.parties["buyer"]

    @property
    def means_code(self) -> str | None:
        """Whoever names an account wants a transfer to it."""
        return self.text("payment.means_code") or (CREDIT_TRANSFER if self.accounts else None)

    def text(self, path: str) -> str | None:
        return self.values.get(path) or None

    def date(self, path: str) -> date | None:
        return day(self.values.get(path))

    def members(self, name: str) -> list[int]:
        return places(self.values, name)


def places(values: Values, name: str) -> list[int]:
    """Which members of a list there are, in order."""
    prefix = f"{name}."
    found = {
        path.removeprefix(prefix).partition(".")[0]
        for path, value in values.items()
        if path.startswith(prefix) and value
    }
    return sorted(int(one) for one in found if one.isdecimal())

"""What an invoice is made of, whatever it is drawn or written as: sums are computed.

So an invoice adds up however it leaves, and nobody has to keep two figures in step.
"""

from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class Party:
    name: str
    street: str
    town: str
    tax_id: str = ""
    iban: str = ""
    website: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    text: str
    quantity: int
    price: Decimal

    @property
    def amount(self) -> Decimal:
        return self.quantity * self.price


@dataclass(frozen=True, slots=True)
class Invoice:
    file: str
    layout: str
    language: str
    currency: str
    number: str
    issued: date
    due: date
    seller: Party
    buyer: Party
    tax_percent: Decimal
    items: tuple[Item, ...]

    @property
    def subtotal(self) -> Decimal:
        return sum((item.amount for item in self.items), Decimal(0))

    @property
    def tax(self) -> Decimal:
        return (self.subtotal * self.tax_percent / 100).quantize(CENT, ROUND_HALF_UP)

    @property
    def total(self) -> Decimal:
        return self.subtotal + self.tax


def item(text: str, quantity: int, price: str) -> Item:
    return Item(text, quantity, Decimal(price))

"""The extractor as it is, with an engine that costs nothing: what is left is ours.

`python -m tests.bench._shared.instant_extractor [--think S] [DOOR]`, with the surroundings of
the real one. Only the reader of the page is another. Its answer has 20 header fields and 5
lines, other ones for each content; the leases, the cache, the rules and the messages are those
of every extractor.
"""

import argparse
import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import pytest

from services.extractor import wiring
from services.extractor.domain.reading import Field, Page, Reading, Scan
from services.extractor.handlers.chain import Chain
from services.extractor.ports import Progress
from services.extractor.wiring.engines import chain_of
from shared.bus.waiting import happens
from shared.process.runtime import main as enter

MODULE = "tests.bench._shared.instant_extractor"
LINES = 5
SELLERS = 500
TEXTS = ("purchase_order", "customer_number", "buyer.name", "buyer.address.city",
         "buyer_reference", "contract_ref", "payment.reference", "delivery_note",
         "sales_order")  # fmt: skip
TAX = Decimal("0.19")


@dataclass(frozen=True, slots=True)
class InstantEngine:
    """Behind the port of the engine that reads pages."""

    think_s: float
    name: str = "offline"
    config: str = "instant/1"

    async def read(self, scan: Scan, progress: Progress) -> Reading:
        if self.think_s:
            await happens(asyncio.Event(), within_s=self.think_s)
        fields = fields_of(scan.sha256)
        pages = (Page(1, 595.0, 842.0, "pdf_text"),)
        return Reading(self.name, 1, fields, pages=pages, versions={self.name: self.config})


def fields_of(digest: str) -> Mapping[str, Field]:
    """No two contents have the same number, or one would be held for the other's twin; and all
    of it adds up, or somebody would look for the digit that was misread."""
    number = int(digest[:12], 16)
    net = Decimal(1 + number % 9_000)
    subtotal = net * LINES
    tax = subtotal * TAX
    values = {
        "seller.name": f"Seller {number % SELLERS}",
        "invoice_number": f"R-{number}",
        "currency": "EUR",
        **dict.fromkeys(("issue_date", "delivery_date"), "2026-03-01"),
        "due_date": "2026-03-31",
        **{path: f"{path} {number % 10_000}" for path in TEXTS},
        **dict.fromkeys(("lines_total", "subtotal"), f"{subtotal:.2f}"),
        "tax_total": f"{tax:.2f}",
        **dict.fromkeys(("total", "amount_due"), f"{subtotal + tax:.2f}"),
    }
    for line in range(LINES):
        values |= {
            f"lines.{line}.description": f"Part {line} of {number}",
            f"lines.{line}.quantity": "2",
            f"lines.{line}.net_amount": f"{net:.2f}",
        }
    return {path: _read(value) for path, value in values.items()}


def _read(value: str) -> Field:
    return Field(value, value, 0.97, "extracted", source="pdf_text", signals={"label": 1.0})


def main() -> None:
    parser = argparse.ArgumentParser(prog=f"python -m {MODULE}")
    parser.add_argument("--think", type=float, default=0.0, metavar="S")
    given, rest = parser.parse_known_args()
    engine = InstantEngine(given.think)

    def with_it(*parts: Any) -> Chain:  # noqa: ANN401 -- whatever the real one is given
        return replace(chain_of(*parts), einvoice=None, offline=engine, provider=None)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wiring, "chain_of", with_it)
        enter(wiring.SERVICE, rest)


if __name__ == "__main__":
    main()

"""What stands between the sum of an invoice and what is to be paid: deposits, discounts."""

from dataclasses import replace
from decimal import Decimal

from services.extractor.domain.offline.blocks import is_a_head
from services.extractor.domain.offline.candidates import Candidate, labelled
from services.extractor.domain.offline.fields import made
from services.extractor.domain.offline.sheet import Sheet
from services.extractor.domain.offline.totals import money_of
from services.extractor.domain.reading import Field
from shared.values.amounts import CENT, plain

# How these are printed is not how they count: `-50.00` paid is 50.00 paid.
POSITIVE = ("prepaid", "allowances_total", "shipping", "charges_total")
SIGNED = ("rounding", "previous_balance")
BESIDE_MIN = 0.85
CONFIDENCE = 0.7
AGREED, LABELLED = 0.95, 0.75


def sums(sheet: Sheet, total: Field) -> dict[str, Field]:
    fields: dict[str, Field] = {}
    for kind in (*POSITIVE, *SIGNED):
        best = _beside(sheet, kind)
        if best and best.value:
            value = abs(best.value) if kind in POSITIVE else best.value
            fields[kind] = made(best, plain(value), CONFIDENCE)
    due = _beside(sheet, "amount_due")
    if due:
        agrees = total.value is not None and _is_due(Decimal(total.value), due.value, fields)
        fields["amount_due"] = made(due, plain(due.value), AGREED if agrees else LABELLED)
    return fields


def _beside(sheet: Sheet, kind: str) -> Candidate[Decimal] | None:
    search = replace(money_of(sheet), owned_factor=0.0, next_factor=0.0)
    found = [
        one
        for one in labelled(sheet, kind, search)
        if one.score >= BESIDE_MIN and _opens_its_cell(sheet, one.at, kind)
    ]
    # The last of equals: sums stand below what they sum up.
    return max(found, key=lambda one: (one.score, one.at)) if found else None


def _opens_its_cell(sheet: Sheet, at: int, kind: str) -> bool:
    """`Fuel surcharge` is something that was bought, `Surcharge` is a sum."""
    text = sheet.lines[at].text
    return any(one.kind == kind and is_a_head(text, one.start) for one in sheet.tags[at])


def _is_due(total: Decimal, due: Decimal, fields: dict[str, Field]) -> bool:
    amounts = {
        name: Decimal(fields[name].value or 0)
        for name in ("prepaid", "rounding", "previous_balance")
        if name in fields
    }
    rest = total - amounts.get("prepaid", Decimal(0))
    rest += amounts.get("rounding", Decimal(0))
    return min(abs(rest - due), abs(total - due)) <= CENT

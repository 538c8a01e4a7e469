"""A credit note says by its type that money flows back; its amounts are then positive.

Some print them negative, some do not: one form, or the same note counts twice in one direction.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

from services.extractor.domain.reading import Field
from shared.invoice.paths import kind_of

# Prices are positive in either form: what is negative is the quantity or the amount.
_QUANTITY = re.compile(r"lines\.\d+\.quantity")


def normalised(fields: Mapping[str, Field]) -> dict[str, Field]:
    kind, total = fields.get("document.type"), fields.get("total")
    if kind is None or kind.value != "credit_note" or total is None or total.value is None:
        return dict(fields)
    if Decimal(total.value) >= 0:
        return dict(fields)
    return {path: _turned(path, one) for path, one in fields.items()}


def _turned(path: str, field: Field) -> Field:
    if field.value is None or not (kind_of(path) == "money" or _QUANTITY.fullmatch(path)):
        return field
    value = Decimal(field.value)
    turned = -value if kind_of(path) == "money" else abs(value)
    alternatives = tuple(
        replace(one, value=f"{-Decimal(one.value):f}") for one in field.alternatives
    )
    return replace(field, value=f"{turned:f}", alternatives=alternatives)

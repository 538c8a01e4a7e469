"""Values that nobody read but that follow from what was read, marked as computed.

Never over a value that was read, and never from one that a blocking rule doubts: a total that
is made up out of a misread tax looks right and is wrong.
"""

from collections.abc import Mapping
from datetime import date
from decimal import ROUND_HALF_UP, Context, Decimal, DecimalException

from shared.checks.assessment import Outcome
from shared.checks.book import ComputedValue, RuleBook
from shared.checks.scope import Lacking, Scope
from shared.checks.values import Values
from shared.invoice.fields import MISSING, Field

_ROUNDING = Context(prec=50, rounding=ROUND_HALF_UP)


def computed_values(
    fields: Mapping[str, Field],
    values: Values,
    outcomes: tuple[Outcome, ...],
    book: RuleBook,
    today: date,
) -> dict[str, Field]:
    doubted = {
        path
        for one in outcomes
        if not one.passed and one.severity == "block"
        for path in one.touches
    }
    found: dict[str, Field] = {}
    for one in book.computed:
        if fields.get(one.path, MISSING).value is not None or one.path in found:
            continue
        if one.paths & doubted:
            continue
        value = _computed(one, Scope(values, book.knowledge, today))
        if value is None:
            continue
        sources = [fields[path].confidence for path in one.paths if path in values.single]
        found[one.path] = Field(
            value=f"{value:f}",
            confidence=min(sources, default=0.0),
            status="computed",
            source="rule",
        )
    return found


def _computed(one: ComputedValue, scope: Scope) -> Decimal | None:
    currency = scope.values.get("currency")
    unit = scope.knowledge.unit(str(currency) if currency is not None else None)
    try:
        if one.when is not None and not one.when(scope):
            return None
        value = one.run(scope)
        return value.quantize(unit, context=_ROUNDING) if isinstance(value, Decimal) else None
    except (Lacking, DecimalException):
        return None

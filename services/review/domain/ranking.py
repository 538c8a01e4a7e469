"""Why one item is looked at before another, and by when each is wanted.

What makes an item urgent apart from time is known when it is opened and kept with it: `base`.
Time adds to every item alike, up to when it is due, so the order of those that are not due
stays what it was and an index keeps it; those that are overdue are ordered by `base` alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Any, Protocol

from services.review.domain.basis import Basis
from shared.configuration.review import HOUR_S, PriorityName, Review, Weights
from shared.contracts.body import Priority

# From here on a span is said in days.
DAYS_FROM_H = 48
_ACRONYMS = {"iban": "IBAN", "bic": "BIC", "vat_id": "VAT id", "gtin": "GTIN"}
_NAMES: Mapping[Priority, PriorityName] = {
    Priority.BULK: "bulk",
    Priority.NORMAL: "normal",
    Priority.HIGH: "high",
    Priority.URGENT: "urgent",
}


class Sla(StrEnum):
    # Nobody waits for it any more.
    NONE = "none"
    OK = "ok"
    SOON = "soon"
    LATE = "late"


@dataclass(frozen=True, slots=True)
class Plan:
    """What the configuration says of the queue."""

    review: Review = field(default_factory=Review)
    # The fields that count, as the configuration names them, and whether also when absent.
    critical: Mapping[str, bool] = field(default_factory=dict)

    @property
    def weights(self) -> Weights:
        return self.review.ranking.weights

    @property
    def horizon_s(self) -> float:
        return self.review.ranking.horizon_hours * HOUR_S

    @property
    def sla_rate(self) -> float:
        """Points that one second brings nearer to its time."""
        return self.weights.sla / self.horizon_s

    @property
    def soon_s(self) -> float:
        return self.review.sla.soon_hours * HOUR_S

    def due_at(self, accepted_at: datetime, priority: Priority) -> datetime:
        """For a client who did not say."""
        return accepted_at + timedelta(hours=self.review.sla.hours(_NAMES[priority]))


@dataclass(frozen=True, slots=True)
class Rank:
    """What an item's place rests on apart from time; shares of one, and what they come from."""

    doubt: float
    complexity: float
    value: float
    base: float
    sla_rate: float
    facts: Mapping[str, Any]


class Ranked(Protocol):
    """What is kept of an item's rank."""

    @property
    def doubt(self) -> float: ...
    @property
    def complexity(self) -> float: ...
    @property
    def value(self) -> float: ...
    @property
    def ranked_on(self) -> Mapping[str, Any]: ...
    @property
    def due_at(self) -> datetime: ...


@dataclass(frozen=True, slots=True)
class Points:
    """What each part adds to a score of at most a hundred. What is wanted later than the
    horizon has less than none for its time, as it has in the order of the queue."""

    doubt: float
    sla: float
    complexity: float
    value: float
    why: tuple[str, ...]

    @property
    def score(self) -> float:
        return self.doubt + self.sla + self.complexity + self.value


def rank_of(basis: Basis, plan: Plan) -> Rank:
    total = _amount(basis.total)
    scales, weights = plan.review.ranking.scales, plan.weights
    doubt = 1 - basis.confidence
    complexity = _together(
        basis.lines / scales.lines,
        basis.pages / scales.pages,
        basis.failed / scales.failed_rules,
    )
    value = min(1.0, float(abs(total)) / scales.value)
    return Rank(
        doubt=doubt,
        complexity=complexity,
        value=value,
        base=weights.doubt * doubt + weights.complexity * complexity + weights.value * value,
        sla_rate=plan.sla_rate,
        facts={
            "field": basis.field,
            "confidence": basis.confidence,
            "lines": basis.lines,
            "pages": basis.pages,
            "failed_rules": basis.failed,
            "total": str(total),
            "currency": basis.currency,
        },
    )


def points_of(item: Ranked, plan: Plan, now: datetime) -> Points:
    weights = plan.weights
    left_s = (item.due_at - now).total_seconds()
    nearness = min(1.0, 1 - left_s / plan.horizon_s)
    doubt, complexity = weights.doubt * item.doubt, weights.complexity * item.complexity
    sla, value = weights.sla * nearness, weights.value * item.value
    said = [
        (doubt, _sureness(item.ranked_on)),
        (sla, _countdown(left_s)),
        (complexity, _bulk(item.ranked_on)),
        (value, _worth(item.ranked_on)),
    ]
    told = [(points, text) for points, text in said if text and abs(points) >= 1]
    why = tuple(text for _, text in sorted(told, key=lambda one: -one[0]))
    return Points(doubt, sla, complexity, value, why)


def sla_of(due_at: datetime, now: datetime, soon_s: float) -> Sla:
    left_s = (due_at - now).total_seconds()
    if left_s < 0:
        return Sla.LATE
    return Sla.SOON if left_s <= soon_s else Sla.OK


def _together(*shares: float) -> float:
    """Any of them alone can make it all, and several add up."""
    left = 1.0
    for share in shares:
        left *= 1 - min(1.0, share)
    return 1 - left


def _amount(text: str | None) -> Decimal:
    try:
        amount = Decimal(text or 0)
    except InvalidOperation:
        return Decimal(0)
    return amount if amount.is_finite() else Decimal(0)


def _sureness(facts: Mapping[str, Any]) -> str:
    if not facts:
        return ""
    name = spoken(facts["field"]) if facts["field"] else "the document"
    if facts["confidence"] == 0:
        return f"{name} missing"
    return f"{name} {facts['confidence']:.0%} sure".replace("%", " %")


def spoken(path: str) -> str:
    """A field as a person calls it: `seller.vat_id` is the seller VAT id."""
    words = [one.removesuffix("[]") for one in path.split(".") if not one.isdigit()]
    if len(words) > 1 and words[-1] in ("iban", "bic"):
        words = words[-1:]
    return " ".join(_ACRONYMS.get(one, one.replace("_", " ")) for one in words)


def _countdown(left_s: float) -> str:
    return f"due in {_span(left_s)}" if left_s >= 0 else f"late by {_span(-left_s)}"


def _span(seconds: float) -> str:
    """Whole ones, as a page counts down."""
    if seconds < HOUR_S:
        return f"{seconds // 60:.0f} min"
    hours = seconds // HOUR_S
    return f"{hours:.0f} h" if hours < DAYS_FROM_H else f"{hours // 24:.0f} days"


def _bulk(facts: Mapping[str, Any]) -> str:
    counted = (("failed_rules", "failed rule"), ("lines", "line"), ("pages", "page"))
    told = [
        f"{facts[name]} {word}{'' if facts[name] == 1 else 's'}"
        for name, word in counted
        if facts.get(name)
    ]
    return ", ".join(told)


def _worth(facts: Mapping[str, Any]) -> str:
    return f"{_amount(facts.get('total')):,.2f} {facts.get('currency', '')}".rstrip()

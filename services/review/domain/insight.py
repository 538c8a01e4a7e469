"""What the service has learned of its own work: how long, how often, how well."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pace:
    """Of one reviewer, or with no name of all."""

    reviewer: str | None
    decisions: int
    today: int
    # In hand, and from the first claim to the decision.
    median_s: float
    p90_s: float
    elapsed_median_s: float


@dataclass(frozen=True, slots=True)
class Corrected:
    """A field that people corrected, and how long documents took in which they did."""

    field: str
    corrections: int
    median_s: float
    p90_s: float


@dataclass(frozen=True, slots=True)
class Counted:
    """How many items a gate held back, and how many it alone did."""

    gate: str
    field: str | None
    items: int
    alone: int


@dataclass(frozen=True, slots=True)
class Passing:
    """Of items that were opened: how many needed nobody, and would have at a threshold."""

    items: int
    automatic: int
    would_pass: int
    # Of those that would pass and a person decided: how many they changed or rejected.
    decided: int
    changed: int


@dataclass(frozen=True, slots=True)
class Bin:
    """Values that the machine was about that sure of, and how many people left as they were."""

    floor: float
    values: int
    right: int
    confidence: float


@dataclass(frozen=True, slots=True)
class Coverage:
    """Above a threshold: which share of the values that is, and which of them were right."""

    threshold: float
    coverage: float
    accuracy: float


def curve_of(bins: Sequence[Bin]) -> list[Coverage]:
    """From the surest down: accuracy is bought with coverage."""
    total = sum(one.values for one in bins)
    values = right = 0
    curve = []
    for one in sorted(bins, key=lambda one: -one.floor):
        values, right = values + one.values, right + one.right
        curve.append(Coverage(one.floor, values / total, right / values))
    return curve


def error_of(bins: Sequence[Bin]) -> float | None:
    """How far sureness and truth lie apart, as a mean over the values; None without any."""
    total = sum(one.values for one in bins)
    if not total:
        return None
    apart = sum(abs(one.right - one.confidence * one.values) for one in bins)
    return apart / total

"""Is an engine as often right as it says? And how right is what it is surest of?

Every value that was read is one claim: its confidence, and whether it was right.
"""

from collections.abc import Sequence
from dataclasses import dataclass

COVERAGES = (0.5, 0.8, 0.9, 0.95)
BINS = 10


@dataclass(frozen=True, slots=True)
class Claim:
    confidence: float
    is_right: bool


def accuracy_at(claims: Sequence[Claim], coverage: float) -> tuple[int, int]:
    """How many of the surest share are right, and how many those are."""
    surest = sorted(claims, key=lambda one: -one.confidence)[: round(coverage * len(claims))]
    return sum(one.is_right for one in surest), len(surest)


def brier(claims: Sequence[Claim]) -> float:
    return _mean([(one.confidence - one.is_right) ** 2 for one in claims])


def calibration_error(claims: Sequence[Claim]) -> float:
    """The mean distance of what was said from what was so, over bins of equal width."""
    bins: dict[int, list[Claim]] = {}
    for one in claims:
        bins.setdefault(min(BINS - 1, int(one.confidence * BINS)), []).append(one)
    return sum(len(bin_) * _distance(bin_) for bin_ in bins.values()) / max(1, len(claims))


def separation(claims: Sequence[Claim]) -> float | None:
    """How often a right value is surer than a wrong one (the area under the ROC curve); None
    when all are right, or all wrong."""
    right = sum(one.is_right for one in claims)
    wrong = len(claims) - right
    if not right or not wrong:
        return None
    ranks = _ranks(sorted(claims, key=lambda one: one.confidence))
    return (ranks - right * (right + 1) / 2) / (right * wrong)


def _ranks(ascending: Sequence[Claim]) -> float:
    """The sum of the ranks of what is right; equals share the mean of theirs."""
    total, at = 0.0, 0
    while at < len(ascending):
        end = at
        while end < len(ascending) and ascending[end].confidence == ascending[at].confidence:
            end += 1
        total += sum(one.is_right for one in ascending[at:end]) * (at + 1 + end) / 2
        at = end
    return total


def _distance(claims: Sequence[Claim]) -> float:
    said = _mean([one.confidence for one in claims])
    return abs(said - _mean([float(one.is_right) for one in claims]))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0

"""From what speaks for and against a field to the probability that it is right.

A calibrator has a version, which every result carries. The one here needs no labelled data:
fixed weights on the scale of log odds. One fitted to what reviewers corrected takes its place
behind the same interface.
"""

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal, Protocol

Group = Literal["identifiers", "dates", "money", "parties", "payment", "lines"]
Signals = Mapping[str, float]

_ODDS_MIN, _ODDS_MAX = 0.01, 0.995
# Of a reading that says nothing about itself: what a good model gets right unaided.
UNTOLD = 0.85

_GROUPS: Mapping[str, Group] = {
    **dict.fromkeys(("issue_date", "due_date", "tax_point_date", "delivery_date"), "dates"),
    **dict.fromkeys(("service_period",), "dates"),
    **dict.fromkeys(("seller", "buyer", "payee", "ship_to", "tax_representative"), "parties"),
    **dict.fromkeys(
        (
            *("lines_total", "allowances_total", "charges_total", "shipping", "subtotal"),
            *("tax_total", "total", "prepaid", "rounding", "previous_balance", "amount_due"),
            *("taxes", "allowances", "currency", "tax_total_accounting"),
        ),
        "money",
    ),
    "payment": "payment",
    "lines": "lines",
}


class Calibrator(Protocol):
    @property
    def version(self) -> str: ...

    def probability(self, group: Group, signals: Signals) -> float: ...


class ColdStart:
    """What is known before anybody has corrected anything.

    What our own engine makes of its evidence (`read`) is where it begins. What a model says of
    itself moves it least of all.
    """

    version = "cold-2"

    def probability(self, group: Group, signals: Signals) -> float:
        return _probability(tuple(signals.items()))


# Most fields of a document say the same of themselves.
@lru_cache(maxsize=4096)
def _probability(told: tuple[tuple[str, float], ...]) -> float:
    signals = dict(told)
    odds = _odds(signals.get("source", signals.get("read", UNTOLD)))
    for name, weight, neutral in _WEIGHTS:
        if (signal := signals.get(name)) is not None:
            odds += weight * (signal - neutral)
    return 1 / (1 + math.exp(-odds))


# How many log odds lie between no and yes, and where a signal says neither.
_WEIGHTS: tuple[tuple[str, float, float], ...] = (
    ("agree", 4.0, 0.5),
    ("grounded", 1.5, 0.6),
    ("ocr", 5.0, 0.97),
    ("checks_passed", 2.0, 0.0),
    ("checks_failed", -2.0, 0.0),
    ("history", 2.0, 0.5),
    ("self", 0.2, 0.5),
)


# The same few hundred paths, many times for each document.
@lru_cache(maxsize=4096)
def group_of(path: str) -> Group:
    return _GROUPS.get(path.partition(".")[0], "identifiers")


def _odds(probability: float) -> float:
    inside = min(_ODDS_MAX, max(_ODDS_MIN, probability))
    return math.log(inside / (1 - inside))

"""How a field stands before the person: sure, a person's, not sure, at odds with a rule, or not
there; and why, in sentences.

A colour without a reason sends a person to look for one. A field is doubtful when somebody has
to look at it before the invoice is approved: those are what a keyboard steps through, so a rule
that is about many cells does not make each of them one more stop.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from services.review.domain.items import ItemField
from services.review.domain.rules import Rules
from shared.checks.values import member
from shared.contracts.extraction import Finding

State = Literal["auto_confirmed", "human_confirmed", "not_validated", "rule_failed", "missing"]

# More cells than that are the rule's trouble, not each one's.
SPREAD_MAX = 6
REASONS_MAX = 5


@dataclass(frozen=True, slots=True)
class Standing:
    state: State
    doubtful: bool
    reasons: tuple[str, ...]


def standings(
    fields: Sequence[ItemField], findings: Iterable[Finding], rules: Rules
) -> dict[str, Standing]:
    told = _by_path(findings)
    return {one.path: _standing(one, told.get(one.path, []), rules) for one in fields}


def _by_path(findings: Iterable[Finding]) -> Mapping[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for one in findings:
        for path in one.touches:
            if len(one.touches) <= SPREAD_MAX or member(path) is None:
                found.setdefault(path, []).append(one)
    return found


def _standing(field: ItemField, told: Sequence[Finding], rules: Rules) -> Standing:
    reasons = tuple(dict.fromkeys(one.detail or one.code for one in told))[:REASONS_MAX]
    if field.value is None:
        required = rules.required(field.path)
        why = reasons or (("It is needed and was not found.",) if required else ())
        return Standing("missing", required, why)
    if field.status == "confirmed":
        return Standing("human_confirmed", False, reasons)
    if any(one.severity != "info" for one in told):
        return Standing("rule_failed", True, reasons)
    if field.status == "corrected":
        return Standing("human_confirmed", False, reasons)
    least = rules.sure_at(field.path)
    if field.confidence < least:
        sure = f"The machine is {field.confidence:.0%} sure; {least:.0%} is asked for."
        return Standing("not_validated", True, (sure, *reasons)[:REASONS_MAX])
    return Standing("auto_confirmed", False, reasons)

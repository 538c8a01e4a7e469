"""What the rules found about one invoice: the result type of the checks.

`findings` are for people: one per rule that failed, its id as the code, the numbers in the
sentence. `fields` is for the confidence: by path, which rules passed and which failed, what
passing adds (`reward`) and how sure the field may be at most (`cap`). `computed` holds values
that nobody read but that follow from others; `alternatives` what a misread value may have been.
Neither replaces anything: `with_checks` adds computed values only where there is none.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from shared.invoice.fields import (
    MISSING,
    Alternative,
    Field,
    Finding,
    Severity,
)

ALTERNATIVES_MAX = 3


@dataclass(frozen=True, slots=True)
class Outcome:
    """One rule about one set of fields. A rule that lacks a field has none."""

    rule: str
    passed: bool
    severity: Severity
    touches: tuple[str, ...]
    detail: str = ""
    reward: float = 0.0
    cap: float | None = None


@dataclass(frozen=True, slots=True)
class FieldChecks:
    """What the rules say about one field."""

    passed: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    # The sum over the rules that passed, and the lowest over those that failed.
    reward: float = 0.0
    cap: float | None = None


UNCHECKED = FieldChecks()


@dataclass(frozen=True, slots=True)
class Assessment:
    findings: tuple[Finding, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    # Rules that lacked a field: neither passed nor failed.
    skipped: tuple[str, ...] = ()
    fields: Mapping[str, FieldChecks] = field(default_factory=dict)
    computed: Mapping[str, Field] = field(default_factory=dict)
    alternatives: Mapping[str, tuple[Alternative, ...]] = field(default_factory=dict)

    @property
    def blockers(self) -> tuple[str, ...]:
        return tuple(one.code for one in self.findings if one.severity == "block")

    def of(self, path: str) -> FieldChecks:
        return self.fields.get(path, UNCHECKED)


def checks_by_field(outcomes: tuple[Outcome, ...]) -> dict[str, FieldChecks]:
    found: dict[str, FieldChecks] = {}
    for one in outcomes:
        for path in one.touches:
            found[path] = _told(found.get(path, UNCHECKED), one)
    return found


def _told(checks: FieldChecks, one: Outcome) -> FieldChecks:
    if one.passed:
        reward = round(checks.reward + one.reward, 4)
        return FieldChecks((*checks.passed, one.rule), checks.failed, reward, checks.cap)
    caps = [cap for cap in (checks.cap, one.cap) if cap is not None]
    cap = min(caps) if caps else None
    return FieldChecks(checks.passed, (*checks.failed, one.rule), checks.reward, cap)


def with_checks(fields: Mapping[str, Field], found: Assessment) -> dict[str, Field]:
    """The fields with what was found about them. Their values stay what they were; how sure
    each is stays for the confidence to say, from the signals."""
    told = dict(fields)
    for path, value in found.computed.items():
        if told.get(path, MISSING).value is None:
            told[path] = value
    for path, checks in found.fields.items():
        if path in told:
            told[path] = _signalled(told[path], checks)
    for path, others in found.alternatives.items():
        if path in told:
            told[path] = _offered(told[path], others)
    return told


def _signalled(one: Field, checks: FieldChecks) -> Field:
    signals = dict(one.signals)
    signals["checks_passed"] = checks.reward
    if checks.failed:
        signals["checks_failed"] = float(len(checks.failed))
    if checks.cap is not None:
        signals["cap"] = checks.cap
    return one.weighed(one.confidence, signals)


def _offered(one: Field, others: tuple[Alternative, ...]) -> Field:
    known = {one.value} | {other.value for other in one.alternatives}
    added = [other for other in others if other.value not in known]
    best = sorted((*one.alternatives, *added), key=lambda other: -other.confidence)
    return replace(one, alternatives=tuple(best[:ALTERNATIVES_MAX]))

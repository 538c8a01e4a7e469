"""What one value must be like, whatever the others are: there, shaped, in range."""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from decimal import Decimal

from shared.checks.assessment import Outcome
from shared.checks.book import SingleRule, Target
from shared.checks.functions import folded
from shared.checks.sentences import shown
from shared.checks.values import Value, Values
from shared.invoice.fields import Severity

CHECKED_CHARS_MAX = 300


def single_outcomes(
    values: Values, rules: Sequence[SingleRule], today: date
) -> Iterator[Outcome]:
    for path in values.malformed:
        yield Outcome(
            "field_malformed",
            False,
            "warn",
            (path,),
            f"{path} holds a value that is not written as such a value is.",
            cap=0.0,
        )
    for rule in rules:
        yield from _of(rule, values, today)


def concrete(target: Target, values: Values) -> Iterator[tuple[str, Value]]:
    """The fields that are there, with their values."""
    if target.list is None:
        if (value := values.get(target.path)) is not None:
            yield target.path, value
        return
    for place, inside in values.members(target.list).items():
        if (value := inside.get(target.path)) is not None:
            yield f"{target.list}.{place}.{target.path}", value


def _of(rule: SingleRule, values: Values, today: date) -> Iterator[Outcome]:
    found = list(concrete(rule.target, values))
    if not found and rule.required != "never":
        severity: Severity = "block" if rule.required == "approval" else "warn"
        path = rule.target.path
        yield Outcome(
            "field_required", False, severity, (path,), f"{path} was not found on the document."
        )
    for path, value in found:
        for code, sentence in _failures(rule, value, values, today):
            detail = f"{path} is {shown(value)}, {sentence}."
            yield Outcome(code, False, rule.severity, (path,), detail, cap=rule.cap)


def _failures(
    rule: SingleRule, value: Value, values: Values, today: date
) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield from _of_text(rule, value)
    elif isinstance(value, Decimal):
        yield from _of_number(rule, value)
    elif isinstance(value, date):
        yield from _of_date(rule, value, today)
    for other in rule.differs_from:
        for path, taken in concrete(other, values):
            if folded(str(taken)) == folded(str(value)):
                yield "field_mistaken", f"which is also {path}"


def _of_text(rule: SingleRule, value: str) -> Iterator[tuple[str, str]]:
    if rule.chars_max is not None and len(value) > rule.chars_max:
        yield "field_length", f"which is longer than {rule.chars_max} characters"
    if rule.letters_min is not None and sum(map(str.isalpha, value)) < rule.letters_min:
        yield "field_letters", f"which has fewer than {rule.letters_min} letters"
    # Longer than that matches no pattern of an invoice, and would only take time.
    if rule.pattern is not None and not rule.pattern.fullmatch(value[:CHECKED_CHARS_MAX]):
        yield "field_pattern", "which does not look like one"
    if rule.allowed is not None and value not in rule.allowed:
        yield "field_enum", "which is not one of those that exist"


def _of_number(rule: SingleRule, value: Decimal) -> Iterator[tuple[str, str]]:
    if rule.lowest is not None and value < rule.lowest:
        yield "field_range", f"which is below {rule.lowest:f}"
    if rule.highest is not None and value > rule.highest:
        yield "field_range", f"which is above {rule.highest:f}"


def _of_date(rule: SingleRule, value: date, today: date) -> Iterator[tuple[str, str]]:
    if rule.not_before is not None and value < rule.not_before:
        yield "field_range", f"which is before {rule.not_before}"
    if rule.days_ahead_max is not None and value - today > timedelta(days=rule.days_ahead_max):
        yield "field_range", f"which is more than {rule.days_ahead_max} days ahead"

"""The rules of the configuration, compiled once and then only run.

What is wrong with a rule is told as `WrongRule`, with the key in the file where it stands:
the extractor refuses to start with it.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

from shared.checks.expressions import WrongExpression, compile_expression
from shared.checks.functions import FUNCTIONS
from shared.checks.scope import Company, Evaluate, Knowledge
from shared.configuration.document import ExtractionConfiguration
from shared.configuration.validation import FieldRules, Rule
from shared.invoice.fields import Severity
from shared.invoice.paths import LISTS, kind_of

Place = tuple[str | int, ...]
PLACEHOLDER = re.compile(r"\{([a-z0-9_.]+)\}")


@dataclass(frozen=True, slots=True)
class Hints:
    """What may tell which kind of number it is: the country and the scheme beside it."""

    country: str | None = None
    scheme: str | None = None


# None when it cannot tell: no rule is known for that country.
DigitCheck = Callable[[str, Hints], bool | None]


class WrongRule(Exception):
    def __init__(self, place: Place, sentence: str) -> None:
        super().__init__(sentence)
        self.place = place
        self.sentence = sentence


@dataclass(frozen=True, slots=True)
class Target:
    """`lines[].net_amount`: the list, and the way inside a member. No list: the path itself."""

    list: str | None
    path: str


@dataclass(frozen=True, slots=True)
class ExpressionRule:
    id: str
    severity: Severity
    touches: tuple[Target, ...]
    says: str
    reward: float
    cap: float | None
    on: Literal["all", "einvoice", "extracted"]
    each: str | None
    when: Evaluate | None
    test: Evaluate
    residual: Evaluate | None
    repair: bool


@dataclass(frozen=True, slots=True)
class DigitRule:
    id: str
    severity: Severity
    target: Target
    check: DigitCheck
    says: str
    reward: float
    cap: float | None
    repair: bool


@dataclass(frozen=True, slots=True)
class SingleRule:
    """What one value must be like, whatever the others are."""

    target: Target
    required: Literal["never", "wanted", "approval"]
    severity: Severity
    cap: float | None
    pattern: re.Pattern[str] | None
    allowed: frozenset[str] | None
    chars_max: int | None
    letters_min: int | None
    lowest: Decimal | None
    highest: Decimal | None
    not_before: date | None
    days_ahead_max: int | None
    differs_from: tuple[Target, ...]


@dataclass(frozen=True, slots=True)
class ComputedValue:
    path: str
    run: Evaluate
    when: Evaluate | None
    paths: frozenset[str]


@dataclass(frozen=True, slots=True)
class RuleBook:
    singles: tuple[SingleRule, ...]
    digits: tuple[DigitRule, ...]
    rules: tuple[ExpressionRule, ...]
    computed: tuple[ComputedValue, ...]
    knowledge: Knowledge


def compile_rules(
    configuration: ExtractionConfiguration, checks: Mapping[str, DigitCheck]
) -> RuleBook:
    validation = configuration.validation
    digits: list[DigitRule] = []
    rules: list[ExpressionRule] = []
    for number, rule in enumerate(validation.rules):
        place: Place = ("validation", "rules", number)
        if not rule.enabled:
            continue
        if rule.check is None:
            rules.append(_expression_rule(rule, place))
        else:
            digits.append(_digit_rule(rule, place, checks))
    return RuleBook(
        singles=tuple(
            _single(path, one, validation.enums) for path, one in configuration.fields.items()
        ),
        digits=tuple(digits),
        rules=tuple(rules),
        computed=tuple(
            _computed(one.field, one.expr, one.when, ("validation", "computed", number))
            for number, one in enumerate(validation.computed)
        ),
        knowledge=_knowledge(configuration),
    )


def _knowledge(configuration: ExtractionConfiguration) -> Knowledge:
    validation = configuration.validation
    return Knowledge(
        minor_units=validation.currencies.minor_units,
        exceptions=validation.currencies.exceptions,
        legal_rates=validation.legal_rates,
        companies=tuple(Company(one.names, one.vat_ids) for one in configuration.our_companies),
    )


def _target(pattern: str, place: Place) -> Target:
    name, marked, rest = pattern.partition("[].")
    path = f"{name}.0.{rest}" if marked else name
    if kind_of(path) is None or (marked and name not in LISTS):
        raise WrongRule(place, f"no invoice has a field {pattern}; write one that it has.")
    return Target(name, rest) if marked else Target(None, name)


def _expression_rule(rule: Rule, place: Place) -> ExpressionRule:
    if rule.expr is None:  # the model sees to it
        raise WrongRule(place, "has no expression; write one.")
    test, residual, _ = _compiled(rule.expr, rule, (*place, "expr"))
    when = None if rule.when is None else _compiled(rule.when, rule, (*place, "when"))[0]
    for name in PLACEHOLDER.findall(rule.says):
        if not _is_placeholder(name, rule.each):
            raise WrongRule(
                (*place, "says"), f"{rule.id} names {{{name}}}; no invoice has that."
            )
    return ExpressionRule(
        id=rule.id,
        severity=rule.severity,
        touches=tuple(_target(one, (*place, "touches")) for one in rule.touches),
        says=rule.says,
        reward=rule.reward,
        cap=rule.cap,
        on=rule.on,
        each=rule.each,
        when=when,
        test=test,
        residual=residual,
        repair=rule.repair,
    )


def _is_placeholder(name: str, each: str | None) -> bool:
    if name in ("difference", "place"):
        return True
    if name.startswith("it."):
        return each is not None and kind_of(f"{each}.0.{name.removeprefix('it.')}") is not None
    return kind_of(name) is not None


def _compiled(
    text: str, rule: Rule, place: Place
) -> tuple[Evaluate, Evaluate | None, frozenset[str]]:
    try:
        found = compile_expression(text, FUNCTIONS, rule.each)
    except WrongExpression as error:
        raise _wrong(rule.id, error, place) from None
    if found.type != "truth":
        raise WrongRule(place, f"{rule.id} answers a {found.type}; write a comparison.")
    return found.run, found.residual, found.paths


def _wrong(name: str, error: WrongExpression, place: Place) -> WrongRule:
    return WrongRule(place, f"{name}, column {error.column}: {error.sentence}; correct it.")


def _digit_rule(rule: Rule, place: Place, checks: Mapping[str, DigitCheck]) -> DigitRule:
    check = checks.get(rule.check or "")
    if check is None:
        known = ", ".join(sorted(checks))
        raise WrongRule(
            (*place, "check"),
            f"{rule.id}: there is no check {rule.check}; write one of {known}.",
        )
    return DigitRule(
        id=rule.id,
        severity=rule.severity,
        target=_target(rule.field or "", (*place, "field")),
        check=check,
        says=rule.says,
        reward=rule.reward,
        cap=rule.cap,
        repair=rule.repair,
    )


def _single(path: str, one: FieldRules, enums: Mapping[str, tuple[str, ...]]) -> SingleRule:
    place: Place = ("fields", path)
    if one.enum is not None and one.enum not in enums:
        known = ", ".join(sorted(enums))
        raise WrongRule((*place, "enum"), f"there is no list {one.enum}; write one of {known}.")
    return SingleRule(
        target=_target(path, place),
        required=one.required,
        severity=one.severity,
        cap=one.cap,
        pattern=None if one.pattern is None else re.compile(one.pattern, re.ASCII),
        allowed=None if one.enum is None else frozenset(enums[one.enum]),
        chars_max=one.chars_max,
        letters_min=one.letters_min,
        lowest=one.min,
        highest=one.max,
        not_before=_day(one.not_before, (*place, "not_before")),
        days_ahead_max=one.days_ahead_max,
        differs_from=tuple(
            _target(other, (*place, "differs_from")) for other in one.differs_from
        ),
    )


def _day(text: str | None, place: Place) -> date | None:
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError:
        raise WrongRule(place, f"{text} is no day; write one as 2000-01-31.") from None


def _computed(path: str, expr: str, when: str | None, place: Place) -> ComputedValue:
    target = _target(path, (*place, "field"))
    if target.list is not None or kind_of(path) != "money":
        raise WrongRule(
            (*place, "field"), f"{path} is no single amount; only those are computed."
        )
    try:
        value = compile_expression(expr, FUNCTIONS)
        test = None if when is None else compile_expression(when, FUNCTIONS)
    except WrongExpression as error:
        raise _wrong(path, error, place) from None
    if value.type != "number" or (test is not None and test.type != "truth"):
        raise WrongRule(place, f"{path} needs a number, and a truth for when; correct it.")
    return ComputedValue(path, value.run, None if test is None else test.run, value.paths)

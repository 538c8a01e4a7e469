"""Runs one rule over one invoice.

A rule is exact when everything it touches came as data: then nothing has been rounded on the
way, and its tolerance is nothing. A value that was computed proves nothing, since the equation
it came from always holds: such a rule passes without a reward.
"""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal

from shared.checks.assessment import Outcome
from shared.checks.book import ExpressionRule
from shared.checks.scope import Knowledge, Lacking, Scope
from shared.checks.sentences import filled
from shared.checks.values import Values


def outcomes_of(
    rule: ExpressionRule, values: Values, knowledge: Knowledge, today: date
) -> Iterator[Outcome]:
    """None of a rule that lacks a field, or is not meant for such a document."""
    if rule.on == "einvoice" and not values.exact:
        # Most rules are about those, and most documents are none.
        return
    places = [None] if rule.each is None else list(values.members(rule.each))
    for place in places:
        if (one := _outcome(rule, values, knowledge, today, place)) is not None:
            yield one


def scope_of(
    rule: ExpressionRule, values: Values, knowledge: Knowledge, today: date, place: int | None
) -> Scope:
    # What is nowhere exact need not be asked for by its fields.
    touches = _touched(rule, values, place) if values.exact else ()
    exact = bool(touches) and values.exact.issuperset(touches)
    scope = Scope(values, knowledge, today, exact)
    if rule.each is not None and place is not None:
        scope.it = values.members(rule.each)[place]
    return scope


def _outcome(
    rule: ExpressionRule, values: Values, knowledge: Knowledge, today: date, place: int | None
) -> Outcome | None:
    scope = scope_of(rule, values, knowledge, today, place)
    if rule.on != "all" and scope.exact != (rule.on == "einvoice"):
        return None
    try:
        if rule.when is not None and not rule.when(scope):
            return None
        passed = bool(rule.test(scope))
    except Lacking:
        return None
    touches = _touched(rule, values, place)
    if passed:
        earned = 0.0 if values.computed.intersection(touches) else rule.reward
        return Outcome(rule.id, True, rule.severity, touches, reward=earned)
    detail = filled(rule.says, scope, difference(rule, scope), place)
    return Outcome(rule.id, False, rule.severity, touches, detail, cap=rule.cap)


def difference(rule: ExpressionRule, scope: Scope) -> Decimal | None:
    if rule.residual is None:
        return None
    try:
        found = rule.residual(scope)
    except Lacking:
        return None
    return found.copy_abs() if isinstance(found, Decimal) else None


def _touched(rule: ExpressionRule, values: Values, place: int | None) -> tuple[str, ...]:
    """The fields that are there, of those that a rule is about."""
    found: list[str] = []
    for one in rule.touches:
        if one.list is None:
            if one.path in values.single:
                found.append(one.path)
            continue
        members = values.members(one.list)
        if place is not None and one.list == rule.each:
            members = {place: members[place]}
        found += [
            f"{one.list}.{member}.{one.path}"
            for member, inside in members.items()
            if one.path in inside
        ]
    return tuple(found)

"""The smallest misreading that would explain a failure, offered and never applied.

An equation is solved for each of its members; what comes out is offered when one misread
character, a lost point or a swap with another member leads there. A check digit is tried with
the characters that readers take for each other.
"""

from collections.abc import Iterable, Iterator
from datetime import date
from decimal import Context, Decimal, DecimalException
from itertools import combinations

from shared.checks.assessment import ALTERNATIVES_MAX, Outcome
from shared.checks.book import DigitRule, ExpressionRule, RuleBook, Target
from shared.checks.digits import hints
from shared.checks.misreadings import misread_as, readings_of
from shared.checks.running import outcomes_of, scope_of
from shared.checks.scope import Lacking
from shared.checks.values import Values, kind, member
from shared.invoice.fields import Alternative

# A document on which everything is wrong is not repaired, it is read by a person.
OUTCOMES_MAX = 6
MEMBERS_MAX = 12
SWAPPED = 0.4
_EXACT = Context(prec=50)

Found = dict[str, dict[str, float]]


def alternatives(
    values: Values, outcomes: tuple[Outcome, ...], book: RuleBook, today: date
) -> dict[str, tuple[Alternative, ...]]:
    failed = [one for one in outcomes if not one.passed][: OUTCOMES_MAX * 4]
    rules = {one.id: one for one in book.rules if one.repair}
    digits = {one.id: one for one in book.digits if one.repair}
    found: Found = {}
    for one in [each for each in failed if each.rule in rules][:OUTCOMES_MAX]:
        trial = _Trial(rules[one.rule], values, book, today, one)
        for path, value, sure in (*trial.solved(), *trial.swapped()):
            kept = found.setdefault(path, {})
            kept[value] = max(kept.get(value, 0.0), sure)
    for one in [each for each in failed if each.rule in digits][:OUTCOMES_MAX]:
        for path, value, sure in _redigited(digits[one.rule], one, values):
            found.setdefault(path, {})[value] = sure
    return {path: _best(several) for path, several in found.items()}


def _best(several: dict[str, float]) -> tuple[Alternative, ...]:
    ranked = sorted(several.items(), key=lambda one: (-one[1], one[0]))
    return tuple(
        Alternative(value, None, "rule", sure) for value, sure in ranked[:ALTERNATIVES_MAX]
    )


class _Trial:
    """One failed equation, and what it would take to make it hold."""

    def __init__(
        self,
        rule: ExpressionRule,
        values: Values,
        book: RuleBook,
        today: date,
        outcome: Outcome,
    ) -> None:
        self._rule, self._values, self._book, self._today = rule, values, book, today
        places = [split[1] for path in outcome.touches if (split := member(path))]
        self._place = places[0] if rule.each is not None and places else None
        self._paths = [
            path
            for path in outcome.touches[:MEMBERS_MAX]
            if isinstance(values.get(path), Decimal)
        ]

    def solved(self) -> Iterator[tuple[str, str, float]]:
        for path in self._paths:
            printed = self._amount(path)
            value = self._solution(path, printed)
            if value is None:
                continue
            sure = misread_as(f"{printed:f}", f"{value:f}")
            if sure and self._holds({path: value}):
                yield path, f"{value:f}", self._weighed(sure, {path: value})

    def swapped(self) -> Iterator[tuple[str, str, float]]:
        for one, other in combinations(self._paths, 2):
            first, second = self._amount(one), self._amount(other)
            changes = {one: second, other: first}
            if first != second and self._holds(changes):
                sure = self._weighed(SWAPPED, changes)
                yield one, f"{second:f}", sure
                yield other, f"{first:f}", sure

    def _amount(self, path: str) -> Decimal:
        value = self._values.get(path)
        return value if isinstance(value, Decimal) else Decimal(0)

    def _solution(self, path: str, printed: Decimal) -> Decimal | None:
        """Where the difference would be nothing. Equations are linear in each member."""
        here = self._difference({})
        there = self._difference({path: printed + 1})
        if here is None or there is None or here == there:
            return None
        try:
            step = _EXACT.divide(here, _EXACT.subtract(there, here))
            value = _EXACT.subtract(printed, step)
            currency = self._values.get("currency")
            unit = self._book.knowledge.unit(None if currency is None else str(currency))
            return value.quantize(min(unit, self._last_digit(path, printed)), context=_EXACT)
        except DecimalException:
            return None

    def _last_digit(self, path: str, printed: Decimal) -> Decimal:
        """A price may have more decimals than money has."""
        if kind(path) == "money":
            return Decimal(1)
        exponent = printed.as_tuple().exponent
        return Decimal(1).scaleb(exponent) if isinstance(exponent, int) else Decimal(1)

    def _difference(self, changes: dict[str, Decimal]) -> Decimal | None:
        scope = scope_of(
            self._rule,
            self._values.replaced(changes),
            self._book.knowledge,
            self._today,
            self._place,
        )
        if self._rule.residual is None:
            return None
        try:
            found = self._rule.residual(scope)
        except Lacking:
            return None
        return found if isinstance(found, Decimal) else None

    def _holds(self, changes: dict[str, Decimal]) -> bool:
        values = self._values.replaced(changes)
        scope = scope_of(self._rule, values, self._book.knowledge, self._today, self._place)
        try:
            return bool(self._rule.test(scope))
        except Lacking:
            return False

    def _weighed(self, sure: float, changes: dict[str, Decimal]) -> float:
        """What mends one equation and breaks another is no better than what was read."""
        values = self._values.replaced(changes)
        about = [
            one
            for rule in self._rules_about(changes)
            for one in outcomes_of(rule, values, self._book.knowledge, self._today)
            if changes.keys() & set(one.touches)
        ]
        held = sum(one.passed for one in about)
        return round(sure * held / len(about), 4) if about else sure

    def _rules_about(self, changes: Iterable[str]) -> list[ExpressionRule]:
        """Across the fields of the invoice; of its lines there are too many to ask each."""
        targets = {_target_of(path) for path in changes}
        return [
            one
            for one in self._book.rules
            if one.reward and one.each is None and targets.intersection(one.touches)
        ]


def _target_of(path: str) -> Target:
    split = member(path)
    return Target(None, path) if split is None else Target(split[0], split[2])


def _redigited(
    rule: DigitRule, failed: Outcome, values: Values
) -> Iterator[tuple[str, str, float]]:
    for path in failed.touches:
        text = str(values.get(path))
        for other, sure in readings_of(text):
            if rule.check(other, hints(path, values)):
                yield path, other, sure

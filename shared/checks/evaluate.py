"""Runs all rules over one invoice, and gathers what they found."""

from collections.abc import Iterator, Mapping
from datetime import date

from shared.checks.assessment import Assessment, Outcome, checks_by_field
from shared.checks.book import RuleBook
from shared.checks.computing import computed_values
from shared.checks.digits import digit_outcomes
from shared.checks.repair import alternatives
from shared.checks.running import outcomes_of
from shared.checks.singles import single_outcomes
from shared.checks.values import Read, Values, values_of
from shared.invoice.fields import Field, Finding


def assess(fields: Mapping[str, Field], book: RuleBook, today: date) -> Assessment:
    """`today` is the day on which the document was accepted, so that the same document has the
    same answer tomorrow."""
    values = values_of(fields)
    told, skipped = _outcomes(values, book, today)
    return Assessment(
        findings=tuple(_findings(told)),
        outcomes=told,
        skipped=skipped,
        fields=checks_by_field(told),
        computed=computed_values(fields, values, told, book, today),
        alternatives=alternatives(values, told, book, today),
    )


def failures(fields: Mapping[str, Read], book: RuleBook, today: date) -> list[Outcome]:
    """Of an assessment only what failed, for whoever asks for nothing else."""
    told, _ = _outcomes(values_of(fields), book, today)
    return [one for one in told if not one.passed]


def _outcomes(
    values: Values, book: RuleBook, today: date
) -> tuple[tuple[Outcome, ...], tuple[str, ...]]:
    """And the rules that have none."""
    outcomes = [
        *single_outcomes(values, book.singles, today),
        *digit_outcomes(values, book.digits),
    ]
    skipped = []
    for rule in book.rules:
        found = list(outcomes_of(rule, values, book.knowledge, today))
        outcomes += found
        if not found:
            skipped.append(rule.id)
    return tuple(outcomes), tuple(skipped)


def _findings(outcomes: tuple[Outcome, ...]) -> Iterator[Finding]:
    """One per rule, however many lines it is about."""
    failed: dict[str, list[Outcome]] = {}
    for one in outcomes:
        if not one.passed:
            failed.setdefault(one.rule, []).append(one)
    for rule, several in failed.items():
        detail = several[0].detail
        if len(several) > 1:
            detail = f"{detail} And {len(several) - 1} more like it."
        touches = tuple(dict.fromkeys(path for one in several for path in one.touches))
        yield Finding(rule, several[0].severity, detail, touches)

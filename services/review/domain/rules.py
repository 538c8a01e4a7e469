"""What the configuration demands of an invoice: the rules, and how sure each field has to be.

The rules are those that the extractor checked the reading with, compiled from the same file,
so a person's edit is judged by what the machine was judged by.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from services.review.domain.items import ItemField
from shared.checks.assessment import Assessment, Outcome
from shared.checks.book import RuleBook
from shared.checks.evaluate import assess, failures
from shared.checks.values import kind, member
from shared.configuration.validation import FieldRules
from shared.contracts.extraction import ExtractionV1, Finding
from shared.invoice.fields import Field
from shared.values.amounts import decimal_mark
from shared.values.dates import month_comes_first
from shared.values.typed import Habits

# Of a field of which the configuration says nothing: below it a person looks.
SURE_ENOUGH = 0.5
FINDINGS_MAX = 300
# Of what one value must be like, whatever the others are; see `shared/checks/singles.py`.
_SINGLE = "field_"


@dataclass(frozen=True, slots=True)
class Rules:
    book: RuleBook
    fields: Mapping[str, FieldRules] = field(default_factory=dict)

    def sure_at(self, path: str) -> float:
        told = self.fields.get(pattern_of(path))
        least = None if told is None else told.confidence_min
        return SURE_ENOUGH if least is None else float(least)

    def required(self, path: str) -> bool:
        told = self.fields.get(pattern_of(path))
        return told is not None and told.required == "approval"

    @property
    def expected(self) -> Sequence[str]:
        """What a form shows even when nothing of it was found."""
        return [
            path
            for path, one in self.fields.items()
            if "[]" not in path and (one.required != "never" or one.critical != "never")
        ]

    def assess(self, fields: Iterable[ItemField], today: date) -> Assessment:
        return assess({one.path: plain(one) for one in fields}, self.book, today)

    def failed(self, fields: Iterable[ItemField], today: date) -> list[Finding]:
        """The same as of an assessment, for whoever asks for nothing else."""
        return _told(failures({one.path: one for one in fields}, self.book, today))

    def noticed(self, extraction: ExtractionV1) -> list[Finding]:
        """What the reader found that no rule over the values finds again."""
        known = {one.id for one in self.book.rules} | {one.id for one in self.book.digits}
        return [
            one
            for one in extraction.findings
            if one.code not in known and not one.code.startswith(_SINGLE)
        ]

    def habits(self, fields: Iterable[ItemField]) -> Habits:
        """How the document writes its numbers and days, by those that were read from it."""
        read = [one for one in fields if one.source != "human" and one.raw]
        money = [one.raw or "" for one in read if kind(one.path) == "money"]
        days = [one.raw or "" for one in read if kind(one.path) == "date"]
        currency = next((one.value for one in fields if one.path == "currency"), None)
        return Habits(
            mark=decimal_mark(money),
            month_first=month_comes_first(days, likely=currency == "USD"),
            minor_units=_places(self.book.knowledge.unit(currency)),
        )


def pattern_of(path: str) -> str:
    """As the configuration names it: `lines.3.tax_rate` is one of `lines[].tax_rate`."""
    split = member(path)
    return path if split is None else f"{split[0]}[].{split[2]}"


def plain(one: ItemField) -> Field:
    """A field as the rules see it. What a person wrote is no longer exact data."""
    source: Any = None if one.source == "human" else one.source
    computed = one.status == "computed"
    return Field(
        value=one.value,
        confidence=one.confidence,
        status="missing" if one.value is None else "computed" if computed else "extracted",
        source=source,
    )


def failed(found: Assessment) -> list[Finding]:
    """One for each place where a rule failed, so that each row knows of its own."""
    return _told(one for one in found.outcomes if not one.passed)


def _told(outcomes: Iterable[Outcome]) -> list[Finding]:
    return [_finding(one) for one in outcomes][:FINDINGS_MAX]


def _finding(one: Outcome) -> Finding:
    return Finding(code=one.rule, severity=one.severity, detail=one.detail, touches=one.touches)


def _places(unit: Decimal) -> int:
    exponent = unit.as_tuple().exponent
    return -exponent if isinstance(exponent, int) else 0

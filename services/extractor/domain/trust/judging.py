"""A reading as it leaves the house: checked by the rules, seen in the light of its issuer's
earlier ones, and each field as sure as all of that allows."""

from dataclasses import dataclass, replace
from datetime import date

from services.extractor.domain.reading import Reading
from services.extractor.domain.trust.calibrators import Calibrator
from services.extractor.domain.trust.scoring import scored
from services.extractor.domain.vendors import Memory, remembered
from shared.checks.assessment import with_checks
from shared.checks.book import RuleBook
from shared.checks.evaluate import assess


@dataclass(frozen=True, slots=True)
class Judge:
    book: RuleBook
    # Of the configuration's bytes: other rules, another answer.
    rules_version: str
    calibrator: Calibrator

    @property
    def version(self) -> str:
        return f"rules-{self.rules_version}/{self.calibrator.version}"

    def judged(self, reading: Reading, memory: Memory, today: date) -> Reading:
        known = remembered(reading, memory)
        found = assess(known.fields, self.book, today)
        fields = with_checks(known.fields, found)
        findings = (*known.findings, *found.findings)
        versions = {**known.versions, "rules": self.rules_version}
        checked = replace(known, fields=fields, findings=findings, versions=versions)
        return scored(checked, self.calibrator)

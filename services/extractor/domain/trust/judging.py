"""A reading as it leaves the house: checked by the rules, seen in the light of its issuer's
earlier ones, and each field as sure as all of that allows."""

from datetime import date

from services.extractor.domain.checks.assessment import with_checks
from services.extractor.domain.checks.book import RuleBook
from services.extractor.domain.checks.evaluate import assess
from services.extractor.domain.reading import Reading
from services.extractor.domain.trust.calibrators import Calibrator
from services.extractor.domain.trust.scoring import scored
from services.extractor.domain.vendors import Memory, remembered


def judged(
    reading: Reading, memory: Memory, today: date, book: RuleBook, calibrator: Calibrator
) -> Reading:
    known = remembered(reading, memory)
    return scored(with_checks(known, assess(known, book, today)), calibrator)

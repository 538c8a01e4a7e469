"""The rules say the same of a form as it was read and of one that a person changed."""

import random
from datetime import date
from uuid import uuid4

import pytest

from services.review.domain.items import ItemField
from services.review.domain.rules import FINDINGS_MAX, failed
from tests.review_rules import rules

TODAY = date(2026, 3, 14)
DOCUMENT = uuid4()
PATHS = ("seller.name", "currency", "issue_date", "due_date", "subtotal", "tax_total", "total",
         "amount_due", "payment.accounts.0.iban", "taxes.0.rate", "lines.0.quantity",
         "lines.0.unit_price", "lines.0.net_amount", "no.such.path")  # fmt: skip
VALUES = ("119.00", "19", "100.00", "EUR", "2026-03-01", "2031-01-01", "NaN", "", None)


def _form(seed: int) -> list[ItemField]:
    chance = random.Random(seed)
    return [
        ItemField(
            DOCUMENT, position, path, chance.choice(VALUES), None, 0.9,
            chance.choice(("extracted", "computed", "corrected", "missing")),
            chance.choice(("einvoice_xml", "ocr", "human", None)), evidence=[],
        )
        for position, path in enumerate(chance.sample(PATHS, 10))
    ]  # fmt: skip


@pytest.mark.parametrize("seed", range(40))
def test_what_failed_is_what_a_whole_assessment_finds(seed: int) -> None:
    form = _form(seed)

    told = rules().failed(form, TODAY)

    assert told == failed(rules().assess(form, TODAY))
    assert told


def test_no_more_is_told_than_anybody_reads() -> None:
    form = [
        ItemField(
            DOCUMENT, at, f"lines.{at}.net_amount", "NaN", None, 0.9, "extracted", "ocr",
            evidence=[],
        )
        for at in range(FINDINGS_MAX + 1)
    ]  # fmt: skip

    assert len(rules().failed(form, TODAY)) == FINDINGS_MAX

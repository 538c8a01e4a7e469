"""The country of a party is worked out of its VAT id, and said to be worked out."""

from datetime import date

import pytest

from services.extractor.domain.offline.rules import read_invoice
from services.extractor.domain.reading import Reading
from services.extractor.domain.trust.calibrators import ColdStart
from services.extractor.domain.trust.judging import Judge
from services.extractor.domain.vendors import Memory
from shared.checks.configured import rule_book
from shared.configuration.load import load_configuration
from tests.unit.extractor.pages import page

JUDGE = Judge(rule_book(load_configuration()), "test", ColdStart())


def read(*lines: str) -> Reading:
    return read_invoice(page(*lines), 1, "pdf_text")


@pytest.mark.parametrize(
    ("printed", "country"),
    [
        ("DE123456788", "DE"),
        ("ATU12345675", "AT"),
        ("EL123456783", "GR"),
        ("XI123456782", "GB"),
        ("CHE123456788MWST", "CH"),
    ],
)
def test_the_letters_in_front_tell_it(printed: str, country: str) -> None:
    fields = read("Muster GmbH", f"USt-IdNr. {printed}").fields

    told = fields["seller.address.country"]
    assert (told.value, told.raw, told.status) == (country, None, "computed")
    assert told.evidence == fields["seller.vat_id"].evidence
    assert told.confidence <= fields["seller.vat_id"].confidence


def test_a_number_as_it_is_written_at_home_tells_nothing() -> None:
    fields = read("Copperline LLC", "Tax ID: 987654321").fields

    assert fields["seller.vat_id"].value == "987654321"
    assert "seller.address.country" not in fields


@pytest.mark.parametrize(("tax", "total", "is_legal"), [("19.00", "119.00", True),
                                                      ("17.00", "117.00", False)])  # fmt: skip
def test_whether_a_rate_is_a_legal_one_there_is_checked(
    tax: str, total: str, *, is_legal: bool
) -> None:
    reading = read(
        "Muster GmbH",
        "USt-IdNr. DE123456788",
        "Rechnung Nr. R-17",
        "Netto           100.00 EUR",
        f"MwSt             {tax} EUR",
        f"Gesamt         {total} EUR",
    )

    found = JUDGE.judged(reading, Memory(), date(2026, 3, 1)).findings

    assert ("E9" not in {one.code for one in found}) is is_legal

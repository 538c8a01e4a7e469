"""What the XML says, held against what the page shows."""

from dataclasses import replace

import pytest

from services.extractor.domain.reading import Field, Reading
from services.extractor.domain.trust.page_check import checked_against_page
from tests.unit.extractor.pages import page

LINES = (
    "Rechnung RE-2026-17",
    "Datum 14.03.2026",
    "USt-IdNr. DE 136 695 976",
    "Gesamt  1.190,00 EUR",
    "IBAN DE89 3704 0044 0532 0130 00",
)
STATED = {
    "invoice_number": "RE-2026-17",
    "issue_date": "2026-03-14",
    "seller.vat_id": "DE136695976",
    "total": "1190.00",
    "payment.accounts.0.iban": "DE89370400440532013000",
}


def xml(**changed: str) -> Reading:
    values = {**STATED, **{path.replace("__", "."): value for path, value in changed.items()}}
    fields = {
        path: Field(value, value, 0.995, "extracted", (), "einvoice_xml")
        for path, value in values.items()
    }
    return Reading("einvoice", 1, fields)


def shown(**seen: str) -> Reading:
    fields = {
        path: Field(value, value, 0.9, "extracted", (), "pdf_text")
        for path, value in {**STATED, **seen}.items()
    }
    return Reading("offline", 1, fields, words=tuple(page(*LINES)))


@pytest.mark.parametrize("path", STATED)
def test_what_is_printed_gets_its_place_in_whatever_form_it_is_printed(path: str) -> None:
    reading = checked_against_page(xml(), shown())

    assert reading.fields[path].evidence
    assert not reading.findings


@pytest.mark.parametrize(
    ("path", "value"), [("total", "1090.00"), ("invoice_number", "RE-2026-71")]
)
def test_a_value_that_the_page_shows_otherwise_is_a_blocker(path: str, value: str) -> None:
    reading = checked_against_page(xml(**{path: value}), shown())

    [finding] = reading.findings
    assert (finding.code, finding.severity) == ("xml_differs_from_page", "block")
    assert finding.touches == (path,)
    assert STATED[path] in finding.detail and value in finding.detail
    [other] = reading.fields[path].alternatives
    assert other.value == STATED[path]


def test_a_value_that_the_page_does_not_show_at_all_is_none() -> None:
    unseen = shown()
    unseen = replace(unseen, fields={**unseen.fields, "total": Field()})

    assert not checked_against_page(xml(total="1090.00"), unseen).findings


def test_what_was_read_from_the_page_with_doubt_accuses_nobody() -> None:
    doubtful = shown()
    weak = replace(doubtful.fields["total"], confidence=0.3)
    doubtful = replace(doubtful, fields={**doubtful.fields, "total": weak})

    assert not checked_against_page(xml(total="1090.00"), doubtful).findings

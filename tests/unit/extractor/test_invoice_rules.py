"""From words to fields: labels beside and above, sums that agree, and honest doubt."""

from services.extractor.domain.offline.rules import read_invoice
from services.extractor.domain.reading import Field, Reading
from tests.unit.extractor.pages import page

LETTER = (
    "Nordlicht GmbH · Kai 1 · 20457 Hamburg",
    "",
    "Rechnung",
    "Rechnungsnummer:     R-2026-0815",
    "Rechnungsdatum:      01.03.2026",
    "Fällig am:           31.03.2026",
    "",
    "Beratung               2     50,00        100,00",
    "",
    "Nettobetrag                              100,00 EUR",
    "MwSt. 19 %                                19,00 EUR",
    "Gesamtbetrag                             119,00 EUR",
)


def read(*lines: str) -> Reading:
    return read_invoice(page(*lines), 1, "pdf_text")


def field(path: str, *lines: str) -> Field:
    return read(*lines).fields[path]


def values(reading: Reading) -> dict[str, str | None]:
    return {path: one.value for path, one in reading.fields.items()}


def test_a_german_letter_is_read() -> None:
    written = {
        "document.type": "invoice",
        "seller.name": "Nordlicht GmbH",
        "invoice_number": "R-2026-0815",
        "issue_date": "2026-03-01",
        "due_date": "2026-03-31",
        "currency": "EUR",
        "subtotal": "100.00",
        "tax_total": "19.00",
        "total": "119.00",
    }

    assert values(read(*LETTER)).items() >= written.items()


def test_a_field_shows_where_it_stands() -> None:
    total = field("total", *LETTER)

    [seen] = total.evidence
    assert seen.text == "119,00 EUR"
    assert seen.page == 1
    assert all(0 <= edge <= 1 for edge in seen.box)
    assert total.source == "pdf_text"


def test_a_value_is_found_below_its_label() -> None:
    reading = read(
        "Invoice no.          Invoice date         Due date",
        "INV-77               5 March 2026         4 April 2026",
    )

    assert reading.fields["invoice_number"].value == "INV-77"
    assert reading.fields["issue_date"].value == "2026-03-05"
    assert reading.fields["due_date"].value == "2026-04-04"


def test_sums_that_agree_are_trusted_more_than_a_label_alone() -> None:
    agreed = field("total", *LETTER)
    alone = field("total", "Gesamtbetrag     119,00 EUR")

    assert agreed.confidence > 0.9 > alone.confidence


def test_sums_that_contradict_each_other_are_doubted() -> None:
    reading = read("Subtotal  100.00", "VAT  19.00", "Total due  150.00")

    assert max(reading.fields[path].confidence for path in ("subtotal", "total")) < 0.5


def test_the_total_is_not_the_row_of_one_tax_rate() -> None:
    reading = read(
        "Net amount      VAT       Gross amount",
        "100.00          20.00     120.00",
        "300.00          60.00     360.00",
        "Subtotal        400.00",
        "VAT total        80.00",
        "Total due       480.00",
    )

    assert reading.fields["total"].value == "480.00"


def test_a_part_without_a_label_is_taken_when_it_completes_the_sum() -> None:
    reading = read("Nuts and bolts  100.00", "VAT  20.00", "Total due  120.00")

    assert reading.fields["subtotal"].value == "100.00"
    assert reading.fields["subtotal"].confidence < reading.fields["total"].confidence


def test_the_buyer_is_not_taken_for_the_seller() -> None:
    seller = field(
        "seller.name",
        "Bill to",
        "Quillwort Trading Ltd",
        "",
        "",
        "",
        "",
        "",
        "",
        "",
        "",
        "",
        "",
        "Payable to: Larchfield Books Ltd",
    )

    assert seller.value == "Larchfield Books Ltd"


def test_a_due_date_before_the_issue_is_somebody_elses() -> None:
    due = field("due_date", "Invoice date: 01.03.2026", "Due date: 01.02.2026")

    assert due.status == "missing"


def test_a_page_without_an_invoice_is_not_sure_of_anything() -> None:
    reading = read("Dear all,", "the meeting has moved to the large room.")

    assert reading.confidence < 0.2
    assert reading.fields["total"].value is None
    assert reading.fields["total"].confidence == 0

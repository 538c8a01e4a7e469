"""Which value a label owns, what adds up, and what is somebody else's."""

import pytest

from services.extractor.domain.offline.names import first_part
from services.extractor.domain.offline.phrases import Phrases, Tag
from services.extractor.domain.offline.rules import read_invoice
from services.extractor.domain.reading import Field, Reading
from services.extractor.domain.words import fold, lines_of
from shared.pages.words import Word
from tests.unit.extractor.pages import page

PHRASES = Phrases(
    [
        ("number", 0.9, "rechnung no|facture no"),
        ("date", 0.9, "date facture"),
        ("title", 0.5, "facture"),
    ]
)


def read(*lines: str) -> Reading:
    return read_invoice(page(*lines), 1, "pdf_text")


def value(path: str, *lines: str) -> str | None:
    return read(*lines).fields[path].value


def pages(*sheets: tuple[str, ...]) -> Reading:
    words = [
        word for number, lines in enumerate(sheets, 1) for word in page(*lines, number=number)
    ]
    return read_invoice(words, len(sheets), "pdf_text")


def kinds(text: str) -> list[str]:
    return [tag.kind for tag in PHRASES.tags(fold(text))]


@pytest.mark.parametrize(
    "label",
    ["Rechnungsnummer:", "Rechnungs-Nr.", "Rechnung Nr.", "Rechnung (380) Nr.", "RECHNUNG #"],
)
def test_a_compound_word_is_the_phrase_of_its_parts(label: str) -> None:
    assert kinds(label) == ["number"]


def test_the_longest_phrase_wins_and_joining_words_do_not_matter() -> None:
    assert kinds("Date de la facture") == ["date"]
    assert kinds("N° de facture, facture n° 5") == ["title", "number"]


def test_a_phrase_does_not_run_from_one_column_into_the_next() -> None:
    assert kinds("Date\tFacture") == ["title"]


def test_a_tag_says_where_it_stands() -> None:
    [tag] = PHRASES.tags(fold("zur Rechnung Nr. 7"))

    assert tag == Tag("number", 0.9, 4, 15)


def test_what_an_order_label_owns_is_not_the_number_of_the_invoice() -> None:
    reading = read("Invoice for order no. PO-4711", "Invoice number   R-15")

    assert reading.fields["invoice_number"].value == "R-15"
    assert reading.fields["purchase_order"].value == "PO-4711"


@pytest.mark.parametrize(
    "lines", [("Invoice for order no. PO-4711",), ("Invoice no.", "Order no.", "PO-4711")]
)
def test_a_value_belongs_to_the_label_next_to_it_only(lines: tuple[str, ...]) -> None:
    assert value("invoice_number", *lines) is None


def test_a_code_in_brackets_is_not_the_number() -> None:
    assert value("invoice_number", "Rechnung (1380) 12345") == "12345"


def test_the_date_behind_the_title_is_the_date_of_issue() -> None:
    lines = ("Order date 01.02.2024", "Handelsrechnung (380) Nr. 471102 vom 05.03.2024")

    assert value("issue_date", *lines) == "2024-03-05"
    assert value("invoice_number", *lines) == "471102"


def test_a_day_with_a_discount_is_not_the_day_it_is_due() -> None:
    line = "Zahlbar bis 14.05.2024 mit 2 % Skonto, bis 31.05.2024 netto"

    assert value("due_date", "Rechnungsdatum: 01.05.2024", line) == "2024-05-31"


def test_what_is_collected_is_due_on_that_day() -> None:
    lines = (
        "Rechnungsdatum: 01.05.2024",
        "Wir buchen am 12.05.2024 ab: der Betrag wird eingezogen.",
    )

    assert value("due_date", *lines) == "2024-05-12"


def test_a_date_in_figures_is_american_on_an_american_invoice_only() -> None:
    assert value("issue_date", "Invoice date: 03/05/2024", "Total due $5.00") == "2024-03-05"
    assert value("issue_date", "Invoice date: 03/05/2024", "Total due £5.00") == "2024-05-03"


def test_the_vat_id_under_the_buyer_is_the_buyers() -> None:
    fields = read(
        "Seller:                  Client:",
        "Wilson, Sanders and Smith   Medina Inc",
        "VAT ID: DE123456788      VAT ID: DE987654321",
    ).fields

    assert fields["seller.vat_id"].value == "DE123456788"
    assert fields["buyer.vat_id"].value == "DE987654321"
    assert fields["seller.name"].value == "Wilson, Sanders and Smith"


def test_your_vat_id_is_the_buyers_wherever_it_stands() -> None:
    fields = read("Ihre USt-IdNr.: DE987654321", "USt-IdNr.: DE123456788").fields

    assert fields["seller.vat_id"].value == "DE123456788"


def test_an_account_that_fails_its_check_digits_is_kept_with_little_confidence() -> None:
    good = read("IBAN: DE89 3704 0044 0532 0130 00").fields["payment.accounts.0.iban"]
    bad = read("IBAN: DE88 3704 0044 0532 0130 00").fields["payment.accounts.0.iban"]

    assert good.value == "DE89370400440532013000"
    assert good.confidence > 0.9
    assert bad.confidence <= 0.5


def test_a_masked_account_is_none() -> None:
    assert "payment.accounts.0.iban" not in read("IBAN: FR76 **** **** ****").fields


@pytest.mark.parametrize(
    ("country", "currency"),
    [("ABN 51 824 753 556", "AUD"), ("Toronto, Canada", "CAD"), ("Springfield", "USD")],
)
def test_a_sign_that_countries_share_is_decided_by_the_country(
    country: str, currency: str
) -> None:
    assert value("currency", country, "Total  $12.00") == currency


def test_a_named_currency_outweighs_what_stands_beside_an_example() -> None:
    assert value("currency", "Währung: EUR", "Steuerfrei nach $4", "Summe 12,00") == "EUR"


def test_a_field_offers_what_else_it_may_have_been() -> None:
    total = read("Total  10.00", "Total  12.00", "Total  14.00", "Total  16.00", "Total  18.00")
    alternatives = total.fields["total"].alternatives

    assert len(alternatives) == 3
    assert total.fields["total"].value not in {one.value for one in alternatives}
    assert all(one.source == "pdf_text" for one in alternatives)


def test_a_name_ends_where_the_address_begins() -> None:
    assert first_part("Lark Books Ltd, 14 Harbour Lane") == "Lark Books Ltd"
    assert first_part("Horizon SA au capital de 1 000 000 €") == "Horizon SA"
    assert first_part("Henson, McCarthy and Hart") == "Henson, McCarthy and Hart"


def test_a_name_of_two_lines_ends_with_its_legal_form() -> None:
    assert value("seller.name", "Seller:", "Versicherungsverein", "Musterstadt GmbH") == (
        "Versicherungsverein Musterstadt GmbH"
    )


def test_a_name_that_ends_with_an_and_goes_on_below() -> None:
    assert value("seller.name", "Home Hardware &", "Electrical", "", "Invoice no. 12345") == (
        "Home Hardware & Electrical"
    )


def test_a_street_and_a_post_code_are_no_name() -> None:
    lines = ("Harbour Lane, 20457 Hamburg", "Lark Books", "Invoice no. 12345")

    assert value("seller.name", *lines) == "Lark Books"


def test_nobody_in_the_block_of_the_buyer_is_the_seller() -> None:
    lines = ("Lark Books", "Bill to", "Anna Example", "Quillwort Ltd", "Invoice no. 12345")

    assert value("seller.name", *lines) == "Lark Books"


def test_a_legal_form_makes_a_name_of_words_that_are_none() -> None:
    assert value("seller.name", "Payment Systems Ltd", "Invoice no. 12345") == (
        "Payment Systems Ltd"
    )


def test_what_is_below_an_empty_stretch_is_not_in_the_block_above() -> None:
    fields = read("Bill to", "Quillwort Ltd", *[""] * 6, "VAT ID: DE123456788").fields

    assert fields["seller.vat_id"].value == "DE123456788"


def test_the_address_in_the_window_is_the_buyer() -> None:
    assert (
        value(
            "buyer.name",
            "Nordlicht GmbH · Kai 1 · 20457 Hamburg",
            "",
            "Frau",
            "Anna Beispiel",
            "Am Hang 3",
            "80331 München",
            "",
            "Rechnung Nr. 12345",
        )
        == "Anna Beispiel"
    )


def test_a_word_that_was_drawn_in_two_pieces_is_one() -> None:
    words = [Word("Ver", 1, 0.1, 0.1, 0.13, 0.11), Word("käufer", 1, 0.132, 0.1, 0.192, 0.11)]

    [line] = lines_of(words)

    assert line.text == "Verkäufer"
    assert line.span(0, 9).box == (0.1, 0.1, 0.192, 0.11)


INVOICE = ("Invoice no. A-100", "Grand total   120.00 EUR")
OTHER = ("Invoice no. B-200", "Grand total   80.00 EUR")


def test_several_invoices_in_one_file_are_found_with_their_pages() -> None:
    [finding] = pages(INVOICE, ("Terms and conditions",), OTHER).findings

    assert finding.code == "several_invoices"
    assert finding.severity == "block"
    assert finding.detail == "pages 1-2: A-100; page 3: B-200"
    assert finding.pages == (1, 3)


def test_pages_of_one_invoice_are_not_several() -> None:
    assert not pages(INVOICE, ("Invoice no. A-100", "Page 2")).findings
    assert not pages(INVOICE, ("Invoice no. B-200", "is the next one")).findings
    assert not pages(INVOICE, ("Order no. B-200", "Grand total 80.00 EUR")).findings


def test_a_reminder_is_not_an_invoice() -> None:
    fields = read(
        "2. Mahnung", "Datum: 01.10.2024", "Rechnung Nr. 778812 vom 01.08.2024"
    ).fields

    assert fields["document.type"].value == "reminder"
    assert fields["issue_date"].value == "2024-10-01"


def test_signals_say_why() -> None:
    total: Field = read("Net total 100.00", "VAT 20.00", "Grand total 120.00").fields["total"]

    assert total.signals["sum"] == 1.0
    assert total.signals["label"] > 0.9

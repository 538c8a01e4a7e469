"""What else stands on the letter: how to reach who sent it, its registers, banks and terms."""

from collections.abc import Mapping

import pytest

from services.extractor.domain.offline.rules import read_invoice
from services.extractor.domain.reading import Field
from tests.unit.extractor.pages import page


def read(*lines: str) -> Mapping[str, Field]:
    return read_invoice(page(*lines), 1, "pdf_text").fields


def values(fields: Mapping[str, Field], *paths: str) -> list[str | None]:
    return [fields[path].value if path in fields else None for path in paths]


NET, PERCENT, DAYS = "payment.net_days", "payment.discount.percent", "payment.discount.days"


@pytest.mark.parametrize(
    ("sentence", "net", "percent", "days"),
    [
        ("Payment terms: 30 days net", "30", None, None),
        ("Net 45", "45", None, None),
        ("2/10 net 30", "30", "2", "10"),
        ("Zahlbar innerhalb von 14 Tagen ohne Abzug.", "14", None, None),
        ("8 Tage 2% Skonto, 30 Tage netto", "30", "2", "8"),
        ("Bei Zahlung innerhalb von 10 Tagen 1,5 % Skonto.", None, "1.5", "10"),
        ("Payable sous 45 jours", "45", None, None),
        ("Escompte de 2 % pour paiement sous 8 jours, payable à 30 jours", "30", "2", "8"),
        ("Pago a 60 días fecha factura", "60", None, None),
        ("Bonifico bancario 30 gg d.f.", "30", None, None),
        ("Sconto 3% per pagamento entro 7 giorni", None, "3", "7"),
        ("Gelieve binnen 14 dagen te betalen.", "14", None, None),
    ],
)
def test_terms_are_read_out_of_a_sentence(
    sentence: str, net: str | None, percent: str | None, days: str | None
) -> None:
    assert values(read("Invoice 4711", sentence), NET, PERCENT, DAYS) == [net, percent, days]


@pytest.mark.parametrize(
    "sentence",
    [
        "Interest of 8 % is due on what is paid 30 days late.",
        "Reklamationen innerhalb von 8 Tagen, danach gilt die Zahlung.",
        "Consulting   3 days   450.00   1,350.00",
        "30 days of hosting",
    ],
)
def test_other_days_are_no_terms(sentence: str) -> None:
    assert values(read("Invoice 4711", "Terms and payment", "", sentence), NET, DAYS) == [
        None,
        None,
    ]


def test_a_sentence_of_two_lines_is_one_sentence() -> None:
    fields = read("Bitte überweisen Sie den Betrag innerhalb von", "21 Tagen auf unser Konto.")

    assert fields[NET].value == "21"


def test_who_sent_it_can_be_reached() -> None:
    fields = read(
        "Larchfield Books Ltd",
        "Tel: +44 117 496 0123   E-Mail: info@larchfield.example   www.larchfield.example",
    )

    paths = ("seller.phone", "seller.email", "seller.website")
    assert values(fields, *paths) == [
        "+44 117 496 0123",
        "info@larchfield.example",
        "www.larchfield.example",
    ]


def test_the_e_mail_in_the_buyers_block_is_the_buyers() -> None:
    fields = read("Bill to:", "Quillwort Studio", "Unit 3, Mill Yard", "desk@quillwort.example")

    assert values(fields, "buyer.email", "seller.email") == ["desk@quillwort.example", None]


def test_an_abbreviation_before_an_amount_is_no_telephone() -> None:
    assert "seller.phone" not in read("Total H.T. 22720.54", "P.U. T 0123456")


@pytest.mark.parametrize(
    ("printed", "number", "scheme"),
    [
        ("SIRET : 732 829 320 00074", "73282932000074", "0009"),
        ("RCS Lyon 732 829 320", "732829320", "0002"),
        ("KvK-nummer: 12345678", "12345678", "0106"),
        ("Amtsgericht Kassel HRB 4711", "HRB 4711", None),
        ("Handelsregister: HRB-Nr. 12 345", "HRB 12345", None),
        ("FN 123456a", "123456A", None),
        ("Company No. 01234567", "01234567", None),
        ("R.E.A. MI-1234567", "MI-1234567", None),
    ],
)
def test_a_register_is_known_by_its_label(
    printed: str, number: str, scheme: str | None
) -> None:
    fields = read("Ateliers du Ponant SAS", printed)

    paths = ("seller.legal_id", "seller.legal_id_scheme")
    assert values(fields, *paths) == [number, scheme]


@pytest.mark.parametrize(
    ("printed", "bank"),
    [
        ("Bankverbindung: Sparkasse Wesertal", "Sparkasse Wesertal"),
        ("Bank   First Counties Bank", "First Counties Bank"),
        ("Banco Meseta", "Banco Meseta"),
        ("Domiciliation : Banque du Littoral", "Banque du Littoral"),
    ],
)
def test_the_bank_of_an_account_stands_near_it(printed: str, bank: str) -> None:
    fields = read("Rechnung 4711", printed, "IBAN: DE89 3704 0044 0532 0130 00")

    assert fields["payment.accounts.0.bank_name"].value == bank


def test_who_holds_an_account_is_told_with_it() -> None:
    fields = read("Rechnung 4711", "Kontoinhaber: Eva Muster", "IBAN: DE89370400440532013000")

    assert fields["payment.accounts.0.holder"].value == "Eva Muster"


def test_without_an_account_there_is_no_bank() -> None:
    assert "payment.accounts.0.bank_name" not in read("Sparkasse Wesertal", "Rechnung 4711")


def test_a_credit_note_says_which_invoice_it_is_about() -> None:
    fields = read("Gutschrift", "Gutschrift-Nr.: GS-9", "zu Rechnung Nr. 4711 vom 05.03.2024")

    assert fields["invoice_number"].value == "GS-9"
    assert fields["preceding_invoices.0.number"].value == "4711"
    assert fields["preceding_invoices.0.date"].value == "2024-03-05"


def test_an_account_number_is_the_customers_unless_a_bank_is_near() -> None:
    customer = read("Invoice no. 15", "Account no. C-1234")
    bank = read("Invoice no. 15", "Bank: First Counties Bank", "Account no. 12345678")

    assert customer["customer_number"].value == "C-1234"
    assert "customer_number" not in bank


@pytest.mark.parametrize(
    "lines",
    [
        ("Leistungszeitraum: 01.02.2024 - 29.02.2024",),
        ("Periode 1 februari 2024 t/m 29 februari 2024",),
        ("Service period      Due date", "01/02/2024 to 29/02/2024   15/03/2024"),
    ],
)
def test_a_period_is_two_dates_that_only_a_word_parts(lines: tuple[str, ...]) -> None:
    fields = read(*lines)

    paths = ("service_period.start", "service_period.end")
    assert values(fields, *paths) == ["2024-02-01", "2024-02-29"]


def test_where_it_is_sent_to_is_told_apart_from_who_pays() -> None:
    fields = read(
        "Bill to:", "Quillwort Studio", "Unit 3, Mill Yard", "Leeds LS2 7EW", "", "",
        "Ship to:", "Quillwort Store", "27 Queen's Road", "Bristol BS1 4QX",
    )  # fmt: skip

    paths = ("buyer.name", "ship_to.name", "ship_to.address.city")
    assert values(fields, *paths) == ["Quillwort Studio", "Quillwort Store", "Bristol"]

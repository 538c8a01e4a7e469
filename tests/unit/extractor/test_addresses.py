"""Where the parties live: a street and a place under a name, however a country writes them."""

from collections.abc import Mapping

import pytest

from services.extractor.domain.offline.places import Place, country_named, place_in
from services.extractor.domain.offline.rules import read_invoice
from services.extractor.domain.reading import Field
from tests.unit.extractor.pages import page


def read(*lines: str) -> Mapping[str, Field]:
    return read_invoice(page(*lines), 1, "pdf_text").fields


def address(fields: Mapping[str, Field], party: str) -> list[str | None]:
    names = ("lines", "post_code", "city", "country")
    found = (fields.get(f"{party}.address.{name}") for name in names)
    return [one.value if one else None for one in found]


@pytest.mark.parametrize(
    ("printed", "code", "city", "country"),
    [
        ("28195 Bremen", "28195", "Bremen", None),
        ("D-28195 Bremen", "28195", "Bremen", "DE"),
        ("FL - 9490 Vaduz", "9490", "Vaduz", "LI"),
        ("DE 12345 Leipzig", "12345", "Leipzig", "DE"),
        ("9000 St. Gallen", "9000", "St. Gallen", None),
        ("44000 Nantes, France", "44000", "Nantes", "FR"),
        ("75011 Paris Cedex 11", "75011", "Paris Cedex 11", None),
        ("28013 Madrid (España)", "28013", "Madrid", "ES"),
        ("20121 Milano (MI)", "20121", "Milano", None),
        ("1012 AB Amsterdam", "1012 AB", "Amsterdam", "NL"),
        ("S-111 22 Stockholm", "111 22", "Stockholm", "SE"),
        ("1200-195 Lisboa", "1200-195", "Lisboa", "PT"),
        ("Bristol BS1 4QX", "BS1 4QX", "Bristol", "GB"),
        ("GB SW1B 3BN London", "SW1B 3BN", "London", "GB"),
        ("Dublin 2, D02 X285", "D02 X285", "Dublin 2", "IE"),
        ("Portland, OR 97205-1234", "97205-1234", "Portland", "US"),
        ("Toronto, ON M5V 2T6", "M5V 2T6", "Toronto", "CA"),
        ("Sydney NSW 2000", "2000", "Sydney", "AU"),
        ("Mumbai - 400051", "400051", "Mumbai", None),
    ],
)
def test_each_country_writes_its_places_in_its_own_way(
    printed: str, code: str, city: str, country: str | None
) -> None:
    found = place_in(printed)

    assert found is not None
    assert (found.code, found.city, found.country) == (code, city, country)


@pytest.mark.parametrize(
    "printed", ["1100 Robson Street", "12 MG Road", "Lindenallee 77a", "+44 117 496 0123", ""]
)
def test_a_street_is_no_place(printed: str) -> None:
    assert place_in(printed) is None


def test_the_letters_of_a_province_are_parted_from_the_city() -> None:
    assert place_in("00184 ROMA RM") == Place("00184", "ROMA", "RM")
    assert place_in("07545 GERA") == Place("07545", "GERA")


@pytest.mark.parametrize("name", ["Österreich", "AUTRICHE", "Austria", "Oostenrijk"])
def test_a_country_is_known_by_its_name_in_six_languages(name: str) -> None:
    assert country_named(name) == "AT"


def test_each_party_has_the_address_under_its_name() -> None:
    fields = read(
        "Nordwind Werkzeuge GmbH",
        "Hafenstraße 21",
        "28195 Bremen",
        "",
        "Rechnung an:",
        "Tischlerei Amselgrund GmbH",
        "Waldweg 5",
        "1010 Wien",
        "Österreich",
        "",
        "Rechnungsnummer: RE-15",
    )

    assert address(fields, "seller")[:3] == ["Hafenstraße 21", "28195", "Bremen"]
    assert address(fields, "buyer") == ["Waldweg 5", "1010", "Wien", "AT"]
    assert fields["buyer.address.country"].status == "extracted"


def test_a_return_address_is_the_senders_and_what_is_below_it_is_not() -> None:
    fields = read(
        *("", ""),
        "Nordwind Werkzeuge GmbH · Hafenstraße 21 · 28195 Bremen",
        "Tischlerei Amselgrund",
        "Waldweg 5",
        "31134 Hildesheim",
        "",
        "Rechnung Nr. 15",
    )

    assert address(fields, "seller")[:3] == ["Hafenstraße 21", "28195", "Bremen"]
    assert fields["buyer.name"].value == "Tischlerei Amselgrund"
    assert address(fields, "buyer")[:3] == ["Waldweg 5", "31134", "Hildesheim"]


def test_a_buyer_without_a_label_may_stand_on_the_right() -> None:
    gap = " " * 30
    fields = read(
        "Ateliers du Ponant SAS",
        "8 rue des Tanneurs",
        "69005 Lyon",
        "",
        f"{gap}Menuiserie Chantepie",
        f"{gap}3, place du Marché",
        f"{gap}44000 Nantes",
        "",
        "Facture N° F-15",
    )

    assert fields["buyer.name"].value == "Menuiserie Chantepie"
    assert address(fields, "buyer")[:3] == ["3, place du Marché", "44000", "Nantes"]


def test_a_person_is_no_street() -> None:
    fields = read(
        "Bill to:", "Larchfield Books Ltd", "Attn: Jo Quill", "Jo Quill", "14 Harbour Lane",
        "Bristol", "BS1 4QX",
    )  # fmt: skip

    assert address(fields, "buyer") == ["14 Harbour Lane", "BS1 4QX", "Bristol", "GB"]
    assert fields["buyer.address.country"].status == "computed"


def test_who_is_named_without_a_street_has_no_address() -> None:
    fields = read("Nordwind Werkzeuge GmbH", "12345 Seiten", "Rechnung Nr. 15")

    assert address(fields, "seller")[:3] == [None, None, None]


def test_who_writes_home_leaves_the_country_out_and_it_is_said_to_be_worked_out() -> None:
    fields = read(
        "Nordwind Werkzeuge GmbH", "Hafenstraße 21", "28195 Bremen", "UID DE123456788", "",
        "Rechnung an:", "Amselgrund GmbH", "Waldweg 5", "31134 Hildesheim",
    )  # fmt: skip

    told = fields["buyer.address.country"]
    assert (told.value, told.status, told.raw) == ("DE", "computed", None)
    assert told.confidence <= 0.5


def test_a_post_code_of_another_form_is_not_thought_to_be_at_home() -> None:
    fields = read(
        "Nordwind Werkzeuge GmbH", "Hafenstraße 21", "28195 Bremen", "UID DE123456788", "",
        "Rechnung an:", "Amselgrund GmbH", "Waldweg 5", "5020 Salzburg",
    )  # fmt: skip

    assert "buyer.address.country" not in fields


def test_what_is_registered_under_the_buyer_is_the_buyers() -> None:
    fields = read(
        "Carpintería Olmedo S.L.", "Calle Mayor 3", "28013 Madrid", "NIF: A13353834", "", "",
        "Suministros Tajo S.A.", "Calle Alcalá 115", "41001 Sevilla", "NIF: B17105644", "",
        "Factura Nº: 23-67766",
    )  # fmt: skip

    assert fields["seller.vat_id"].value == "A13353834"
    assert fields["buyer.vat_id"].value == "B17105644"

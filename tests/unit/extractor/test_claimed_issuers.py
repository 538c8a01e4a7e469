"""Who a document claims to be from, and what that is worth: a name is anybody's to print."""

from collections.abc import Sequence

import pytest

from services.extractor.domain.reading import Reading
from services.extractor.domain.sightings import Sighting, approved_sighting, sighting
from services.extractor.domain.vendors import remembered
from tests import builders
from tests.unit.extractor.test_vendors import OTHER, USUAL, invoice, recalled

FORGED_ID = "ATU13585627"
SECOND = "FR1420041010050500013M02606"
NO_ID = {"seller__vat_id": ""}


def paid_to(iban: str, **values: str) -> Reading:
    return invoice(0.9, payment__accounts__0__iban=iban, **values)


def codes(asking: Reading, *earlier: Reading | Sighting) -> list[str]:
    return [one.code for one in judged(asking, *earlier).findings]


def judged(asking: Reading, *earlier: Reading | Sighting) -> Reading:
    seen = [one if isinstance(one, Sighting) else sighting(one) for one in earlier]
    return remembered(asking, recalled(asking, *seen))


def after_each_other(*readings: Reading) -> tuple[list[list[str]], list[Sighting]]:
    """Each is judged by what those before it have left behind."""
    told: list[list[str]] = []
    kept: list[Sighting] = []
    for one in readings:
        reading = judged(one, *kept)
        told.append([finding.code for finding in reading.findings])
        kept.append(sighting(reading))
    return told, kept


def approved(iban: str, **values: str) -> Sighting:
    fields = {
        path: builders.read_as(one.value, 0.2)
        for path, one in paid_to(iban, **values).fields.items()
    }
    return approved_sighting(builders.extraction(fields=fields))


@pytest.mark.parametrize(
    "known_by",
    [
        {},
        {"seller__vat_id": "", "seller__tax_number": "12/345/67890"},
        {"seller__vat_id": "", "seller__legal_id": "HRB 4711"},
    ],
)
def test_who_leaves_his_numbers_out_is_still_asked_for_his_account(
    known_by: dict[str, str],
) -> None:
    usual = [invoice(0.9, **known_by)] * 2

    assert codes(paid_to(OTHER, **NO_ID), *usual) == ["new_iban"]
    assert codes(invoice(0.9, **NO_ID), *usual) == []


def test_an_issuer_of_another_country_is_somebody_else() -> None:
    abroad = paid_to(OTHER, seller__vat_id=FORGED_ID)

    assert codes(abroad, invoice(), invoice()) == []


def test_who_prints_another_country_under_a_known_name_is_asked_for_his_account() -> None:
    abroad = paid_to(OTHER, seller__address__country="AT", **NO_ID)

    assert codes(abroad, invoice(), invoice()) == ["new_iban"]


def test_a_renamed_issuer_is_found_by_its_number_and_a_bare_one_by_its_account() -> None:
    renamed = paid_to(OTHER, seller__name="Nordwind Gesellschaft mbH")
    bare = invoice(seller__name="", seller__vat_id="", payment__accounts__1__iban=OTHER)

    assert codes(renamed, invoice(), invoice()) == ["new_iban"]
    assert codes(bare, invoice(), invoice()) == ["new_iban"]


def test_a_forger_under_a_known_name_never_becomes_known_himself() -> None:
    told, kept = after_each_other(
        invoice(), invoice(), *[paid_to(OTHER, **NO_ID)] * 4, invoice(), paid_to(OTHER)
    )

    assert told == [[], [], *[["new_iban"]] * 4, [], ["new_iban"]]
    assert {iban for one in kept for iban in one.ibans} == {USUAL}


def test_a_forger_who_is_known_by_his_own_number_wins_no_name_with_it() -> None:
    own = {"seller__vat_id": "DE811569869"}
    told, _ = after_each_other(
        invoice(),
        invoice(),
        *[paid_to(OTHER, seller__name="Honest Trade", **own)] * 3,
        paid_to(OTHER, **own),
        paid_to(OTHER, **own, seller__tax_number="1"),
        paid_to(OTHER, **NO_ID),
    )

    assert told[2:5] == [[], [], []]
    assert told[5:] == [["new_iban"]] * 3


def test_a_forger_who_came_first_speaks_for_nobody_once_the_issuer_is_known() -> None:
    forged, real = sighting(paid_to(OTHER, **NO_ID)), sighting(invoice())

    assert codes(paid_to(OTHER, **NO_ID), forged, forged, real) == ["new_iban"]
    assert codes(invoice(0.9, **NO_ID), forged, forged, real) == []


def test_documents_without_an_account_do_not_push_out_those_that_tell_one() -> None:
    bare = sighting(paid_to(""))
    named = sighting(paid_to("", **NO_ID))

    assert sighting(invoice()).weight > sighting(invoice(0.9, **NO_ID)).weight
    assert sighting(invoice(0.9, **NO_ID)).weight > bare.weight > named.weight
    assert approved("").weight > sighting(invoice()).weight


def test_one_approval_makes_an_issuer_known() -> None:
    assert codes(paid_to(OTHER), approved(USUAL)) == ["new_iban"]
    assert codes(invoice(), approved(USUAL)) == []


@pytest.mark.parametrize("values", [{}, NO_ID])
def test_an_account_that_a_person_approved_is_known_from_then_on(
    values: dict[str, str],
) -> None:
    usual: Sequence[Reading] = [invoice()] * 3

    reading = judged(paid_to(OTHER, **values), *usual, approved(OTHER))

    assert reading.findings == ()
    assert reading.fields["payment.accounts.0.iban"].signals["history"] == 1.0
    # Those that were known before still are, and a third one is not.
    assert codes(invoice(0.9, **values), *usual, approved(OTHER)) == []
    assert codes(paid_to(SECOND, **values), *usual, approved(OTHER)) == ["new_iban"]


def test_an_approval_under_a_bare_name_opens_no_door_to_the_one_with_the_number() -> None:
    earlier = (invoice(), invoice(), approved(OTHER, **NO_ID))

    assert codes(paid_to(OTHER), *earlier) == ["new_iban"]


def test_a_lender_who_collects_for_many_accuses_none_of_them() -> None:
    names = ("Alder", "Birch", "Cedar")
    numbers = ("DE136695976", "DE811569869", "DE129273398")
    clients = [
        invoice(seller__name=name, seller__vat_id=number, payment__accounts__1__iban=SECOND)
        for name, number in zip(names[:2], numbers, strict=False)
    ]
    known = invoice(
        seller__name="Cedar", seller__vat_id=numbers[2], payment__accounts__1__iban=OTHER
    )

    assert codes(known, *clients, known, known) == []

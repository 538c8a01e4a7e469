"""A number and a seller are recognised however they are written."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.review.domain.invoice_keys import (
    is_same_seller,
    keys_of,
    number_key_of,
    seller_keys_of,
)
from services.review.handlers.recognising import rebuild_keys
from tests.unit.review.form_world import FormWorld, put


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("R-2026/1042", "R20261042"),
        (" r 2026.1042 ", "R20261042"),
        ("#00042", "42"),
        ("INV-0042", "42"),
        ("RE 2026-17", "202617"),
        ("RG2026_17", "202617"),
        ("Fact. 2026 17", "202617"),
        ("Fact-A-17", "A17"),
        ("INV42RE", "42RE"),
        ("REX17", "REX17"),
        ("FACTURE 17", "FACTURE17"),
        ("Réf-17", "REF17"),
        ("RE", "RE"),
        ("RE-", "RE"),
        ("INV-000", "0"),
        ("0", "0"),
        ("\u0416-12", "\u041612"),
        ("-/._#", ""),
        ("", ""),
    ],
)
def test_a_number_is_one_however_it_is_written(written: str, key: str) -> None:
    assert number_key_of(written) == key


@given(st.text(max_size=20))
def test_a_number_with_a_letter_or_digit_is_never_left_empty(written: str) -> None:
    assert bool(number_key_of(written)) == any(one.isalnum() for one in written)


def test_a_seller_is_known_by_all_that_names_him_the_strongest_first() -> None:
    keys = seller_keys_of(
        {
            "seller.name": "Harbour Works Ltd.",
            "seller.vat_id": "de 136 695 976",
            "seller.legal_id": "HRB 1234",
            "seller.address.post_code": "20 457",
            "payment.accounts.0.iban": "DE91 1000 0000 0123 4567 89",
            "payment.accounts.1.iban": None,
        }
    )

    assert keys == [
        "vat:DE136695976",
        "legal:HRB1234",
        "iban:DE91100000000123456789",
        "place:harbourworks|20457",
        "name:harbourworks",
    ]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (["vat:DE1", "name:a"], ["vat:DE1", "name:b"], True),
        (["vat:DE1", "iban:X"], ["vat:DE2", "iban:X"], False),
        (["vat:DE1", "name:a"], ["vat:1", "name:a"], True),
        (["legal:AGKOELNHRB12"], ["legal:HRB12"], True),
        (["legal:HRB12", "place:a|1"], ["legal:HRB99", "place:a|1"], False),
        (["vat:DE1", "iban:X"], ["iban:X", "iban:Y"], True),
        (["vat:DE1", "place:a|1", "name:a"], ["place:a|1", "name:a"], True),
        (["place:a|1", "name:a"], ["place:a|2", "name:a"], None),
        (["name:a"], ["name:a"], None),
    ],
)
def test_the_strongest_name_that_both_have_says_whether_it_is_the_same_seller(
    one: list[str], other: list[str], same: bool | None
) -> None:
    assert is_same_seller(one, other) is same
    assert is_same_seller(other, one) is same


async def test_keys_of_older_rules_are_made_anew_and_meet_the_new_ones() -> None:
    world = FormWorld()
    item = await world.held(invoice_number="RE-0042")
    world.forms.keys_versions[item.document_id] = 1
    old = replace(world.forms.keys[item.document_id], number_key="RE0042")
    world.forms.keys[item.document_id] = old
    later = await world.another(invoice_number="42")
    before = (await world.look(later)).twins

    made = [await rebuild_keys(world.ports), await rebuild_keys(world.ports)]

    assert (before, made) == ([], [1, 0])
    [twin] = (await world.look(later)).twins
    assert (twin.document_id, twin.stands) == (item.document_id, True)


async def test_keys_that_nothing_is_left_of_are_dropped() -> None:
    world = FormWorld()
    item = await world.held()
    await world.correct(item, put("invoice_number", None))
    world.forms.keys_versions[item.document_id] = 1

    assert await rebuild_keys(world.ports) == 1

    fields = await world.items.list_fields(item.document_id)
    assert keys_of(item, fields) is None
    assert item.document_id not in world.forms.keys_versions

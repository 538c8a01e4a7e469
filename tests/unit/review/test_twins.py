"""The same invoice a second time is noticed, and the next one of the same seller is not it."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.review.domain.edits import Change
from services.review.domain.invoice_keys import InvoiceKeys, keys_of
from services.review.domain.items import Decision
from services.review.domain.twins import Lookalike, distance, twins_of
from services.review.handlers.deciding import approve_item, reject_item
from services.review.handlers.withdrawing import withdraw_items
from shared.configuration.review import Duplicates
from tests import builders
from tests.unit.review.form_world import (
    BYTES,
    OTHER_BYTES,
    FormWorld,
    extraction,
    invoice,
    put,
)

ASKED = Duplicates()
KEYS = InvoiceKeys(
    document_id=uuid4(),
    owner_id="acme",
    sha256=BYTES,
    accepted_at=builders.ACCEPTED_AT,
    seller_keys=["vat:DE136695976", "name:harbour"],
    number_key="R20261042",
    invoice_number="R-2026-1042",
    year=2026,
    issue_date="2026-03-02",
    total=Decimal("119.00"),
    currency="EUR",
)
OTHER = Lookalike(
    document_id=uuid4(),
    filename="march.pdf",
    status="approved",
    sha256=OTHER_BYTES,
    accepted_at=builders.ACCEPTED_AT,
    seller_keys=["vat:DE136695976"],
    number_key="R20261042",
    invoice_number="R-2026-1042",
    year=2026,
    issue_date="2026-03-02",
    total=Decimal("119.00"),
    currency="EUR",
)
LATER = builders.ACCEPTED_AT + timedelta(hours=1)


@pytest.mark.parametrize(
    ("other", "exact"),
    [
        ({}, True),
        ({"total": Decimal("120.00")}, True),
        ({"total": None, "issue_date": "2026-11-30"}, True),
        ({"year": None, "issue_date": None}, False),
        ({"seller_keys": ["name:harbour"]}, True),
        ({"seller_keys": ["name:harbour"], "total": Decimal("120.00")}, False),
        ({"seller_keys": ["vat:DE999999999", "name:harbour"]}, False),
        ({"number_key": "R2O261042", "total": Decimal(1)}, False),
        ({"number_key": "R20261024"}, False),
        ({"number_key": "R20261043"}, False),
        ({"number_key": "R2026142"}, False),
        ({"number_key": "R20261024", "issue_date": "2026-03-09"}, False),
    ],
)
def test_a_twin_is_recognised(other: dict[str, object], exact: bool) -> None:
    [twin] = twins_of(KEYS, [replace(OTHER, **other)], ASKED)  # type: ignore[arg-type]

    assert (twin.exact, twin.stands) == (exact, exact)
    assert twin.why


@pytest.mark.parametrize(
    "other",
    [
        {"year": 2025},
        {"number_key": "R20261043", "total": Decimal("80.00")},
        {"number_key": "R20261043", "issue_date": "2026-04-02"},
        {"number_key": "X9", "total": Decimal("119.00")},
        {"number_key": "R20261024", "currency": "USD"},
        {"document_id": KEYS.document_id},
    ],
)
def test_another_invoice_of_the_seller_is_no_twin(other: dict[str, object]) -> None:
    assert twins_of(KEYS, [replace(OTHER, **other)], ASKED) == []  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("other", "stands"),
    [
        ({"status": "pending"}, True),
        ({"status": "rejected"}, False),
        ({"status": "pending", "sha256": BYTES, "accepted_at": LATER}, False),
        ({"status": "in_review", "sha256": BYTES, "accepted_at": LATER}, False),
        ({"status": "approved", "sha256": BYTES, "accepted_at": LATER}, True),
        ({"status": "pending", "accepted_at": LATER}, True),
        (
            {
                "status": "pending",
                "sha256": BYTES,
                "accepted_at": builders.ACCEPTED_AT - timedelta(hours=1),
            },
            True,
        ),
    ],
)
def test_of_the_same_bytes_the_copy_has_to_go_and_not_the_first(
    other: dict[str, object], stands: bool
) -> None:
    [twin] = twins_of(KEYS, [replace(OTHER, **other)], ASKED)  # type: ignore[arg-type]

    assert (twin.exact, twin.stands) == (True, stands)


def test_what_stands_in_the_way_is_named_before_what_was_rejected() -> None:
    rejected = [replace(OTHER, document_id=uuid4(), status="rejected") for _ in range(9)]
    near = replace(OTHER, document_id=uuid4(), number_key="R20261043")

    found = twins_of(KEYS, [*rejected, near, OTHER], ASKED)

    assert [one.document_id for one in found[:2]] == [OTHER.document_id, near.document_id]
    assert all(one.is_rejected for one in found[2:])


@pytest.mark.parametrize(
    ("asked", "number_key"),
    [(Duplicates(same_number="ignore"), "R20261042"), (Duplicates(near="ignore"), "R20261043")],
)
def test_what_is_to_be_ignored_is_not_named(asked: Duplicates, number_key: str) -> None:
    assert twins_of(KEYS, [replace(OTHER, number_key=number_key)], asked) == []


@given(st.text("AB01", max_size=6), st.text("AB01", max_size=6), st.text("AB01", max_size=6))
def test_a_distance_is_one(one: str, other: str, third: str) -> None:
    assert distance(one, other) == distance(other, one)
    assert (distance(one, other) == 0) == (one == other)
    assert distance(one, third) <= distance(one, other) + distance(other, third)


@pytest.fixture
def world() -> FormWorld:
    return FormWorld()


async def test_a_near_twin_is_named_with_a_warning_and_does_not_block(world: FormWorld) -> None:
    first = await world.held(invoice_number="R-20261043")
    second = await world.another(invoice_number="R-20261042")

    look = await world.look(second)
    await approve_item(first.document_id, "anna", first.version, world.ports)

    [twin] = look.twins
    assert (twin.document_id, twin.exact) == (first.document_id, False)
    [finding] = look.findings
    assert (finding.code, finding.severity) == ("near_duplicate", "warn")
    assert "R-20261043" in finding.detail
    assert look.standings["invoice_number"].doubtful
    [kept] = world.reviewed(str(first.document_id)).findings
    assert kept.code == "near_duplicate"


async def test_an_edit_of_the_number_makes_and_unmakes_a_twin(world: FormWorld) -> None:
    item = await world.held()
    await world.another(invoice_number="R-2077", total="500.00")
    before = await world.look(item)

    saved = await world.correct(item, put("invoice_number", "R-2077"))
    during = await world.look(saved)
    saved = await world.correct(saved, Change("set", "invoice_number", "R-3000"))

    assert not before.twins
    assert len(during.twins) == 1
    assert not (await world.look(saved)).twins


async def test_nobody_learns_of_other_owners_invoices(world: FormWorld) -> None:
    item = await world.held()
    await world.shown(extraction(invoice(), OTHER_BYTES, owner_id="globex"))

    assert not (await world.look(item)).twins


async def test_a_twin_that_was_rejected_is_shown_and_not_kept_in_what_is_approved(
    world: FormWorld,
) -> None:
    item = await world.held()
    other = await world.another()
    rejection = Decision(other.document_id, 1, "anna", "rejected", reason_code="duplicate")
    await reject_item(rejection, world.ports)

    shown = await world.look(item)
    await approve_item(item.document_id, "anna", item.version, world.ports)

    assert [one.document_id for one in shown.twins] == [other.document_id]
    [finding] = shown.findings
    assert (finding.severity, "It was rejected." in finding.detail) == ("warn", True)
    assert not world.reviewed(str(item.document_id)).findings


async def test_a_withdrawn_document_is_no_twin(world: FormWorld) -> None:
    item = await world.held()
    other = await world.another()
    fact = builders.job(builders.cancelled(document_id=other.document_id))

    await withdraw_items([fact], world.ports)

    assert not (await world.look(item)).twins


async def test_a_seller_without_a_number_is_known_by_its_name(world: FormWorld) -> None:
    item = await world.held()
    await world.another(seller__vat_id=None, seller__name="HARBOUR WORKS Ltd.")

    fields = await world.items.list_fields(item.document_id)
    keys = keys_of(item, fields)
    assert keys is not None
    assert keys.seller_keys == ["vat:DE136695976", "name:harbourworks"]
    assert len((await world.look(item)).twins) == 1

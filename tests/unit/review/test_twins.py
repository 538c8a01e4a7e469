"""The same invoice a second time is noticed, and the next one of the same seller is not it."""

from dataclasses import replace
from decimal import Decimal
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.review.domain.edits import Change
from services.review.domain.items import Decision, ReviewItem
from services.review.domain.twins import (
    InvoiceKeys,
    Lookalike,
    distance,
    keys_of,
    twins_of,
)
from services.review.handlers.deciding import approve_item, reject_item
from services.review.handlers.withdrawing import withdraw_items
from tests import builders
from tests.unit.review.form_world import OTHER_BYTES, FormWorld, extraction, invoice, put

KEYS = InvoiceKeys(
    document_id=uuid4(),
    owner_id="acme",
    seller_keys=["vat:DE136695976"],
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
    number_key="R20261042",
    invoice_number="R-2026-1042",
    year=2026,
    issue_date="2026-03-02",
    total=Decimal("119.00"),
    currency="EUR",
)


@pytest.mark.parametrize(
    ("other", "exact"),
    [
        ({}, True),
        ({"total": Decimal("120.00")}, False),
        ({"year": None}, True),
        ({"number_key": "R2O261042", "total": Decimal(1)}, False),
        ({"number_key": "R20261024"}, False),
        ({"number_key": "R20261043"}, False),
        ({"number_key": "R2026142"}, False),
        ({"number_key": "R20261024", "issue_date": "2026-03-09"}, False),
    ],
)
def test_a_twin_is_recognised(other: dict[str, object], exact: bool) -> None:
    [twin] = twins_of(KEYS, [replace(OTHER, **other)])  # type: ignore[arg-type]

    assert twin.exact is exact
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
    assert twins_of(KEYS, [replace(OTHER, **other)]) == []  # type: ignore[arg-type]


@given(st.text("AB01", max_size=6), st.text("AB01", max_size=6), st.text("AB01", max_size=6))
def test_a_distance_is_one(one: str, other: str, third: str) -> None:
    assert distance(one, other) == distance(other, one)
    assert (distance(one, other) == 0) == (one == other)
    assert distance(one, third) <= distance(one, other) + distance(other, third)


@pytest.fixture
def world() -> FormWorld:
    return FormWorld()


async def another(world: FormWorld, **changes: str | None) -> ReviewItem:
    read = extraction(invoice(**changes), OTHER_BYTES, filename="again.pdf")
    return await world.shown(read)


async def test_the_twin_is_named_with_a_warning(world: FormWorld) -> None:
    first = await world.held()
    second = await another(world)

    look = await world.look(second)

    [twin] = look.twins
    assert (twin.document_id, twin.exact) == (first.document_id, True)
    [finding] = look.findings
    assert (finding.code, finding.severity) == ("near_duplicate", "warn")
    assert "R-1042" in finding.detail
    assert look.standings["invoice_number"].doubtful
    assert [one.document_id for one in (await world.look(first)).twins] == [second.document_id]


async def test_an_edit_of_the_number_makes_and_unmakes_a_twin(world: FormWorld) -> None:
    item = await world.held()
    await another(world, invoice_number="R-2077", total="500.00")
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
    other = await another(world)
    rejection = Decision(other.document_id, 1, "anna", "rejected", reason_code="duplicate")
    await reject_item(rejection, world.ports)

    shown = await world.look(item)
    await approve_item(item.document_id, "anna", item.version, world.ports)

    assert [one.document_id for one in shown.twins] == [other.document_id]
    assert not world.reviewed(str(item.document_id)).findings


async def test_a_twin_that_stands_is_kept_in_what_is_approved(world: FormWorld) -> None:
    item = await world.held()
    await another(world)

    await approve_item(item.document_id, "anna", item.version, world.ports)

    [kept] = world.reviewed(str(item.document_id)).findings
    assert kept.code == "near_duplicate"


async def test_a_withdrawn_document_is_no_twin(world: FormWorld) -> None:
    item = await world.held()
    other = await another(world)
    fact = builders.job(builders.cancelled(document_id=other.document_id))

    await withdraw_items([fact], world.ports)

    assert not (await world.look(item)).twins


async def test_a_seller_without_a_number_is_known_by_its_name(world: FormWorld) -> None:
    item = await world.held()
    await another(world, seller__vat_id=None, seller__name="HARBOUR WORKS Ltd.")

    fields = await world.items.list_fields(item.document_id)
    keys = keys_of(item.document_id, item.owner_id, fields)
    assert keys is not None
    assert keys.seller_keys == ["vat:DE136695976", "name:harbourworks"]
    assert len((await world.look(item)).twins) == 1

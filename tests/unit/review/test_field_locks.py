"""What a person said of a content survives every later reading of it, and goes with it."""

from uuid import UUID, uuid4

import pytest

from services.review.domain.edits import Change, StaleForm
from services.review.domain.items import ReviewItem, resource_of
from services.review.domain.locks import candidates_of
from services.review.handlers.withdrawing import withdraw_items
from tests import builders
from tests.unit.review.form_world import (
    OTHER_BYTES,
    FormWorld,
    extraction,
    invoice,
    put,
)


@pytest.fixture
def world() -> FormWorld:
    return FormWorld()


async def corrected(world: FormWorld) -> ReviewItem:
    item = await world.held()
    return await world.correct(
        item, put("total", "120.00"), Change("confirm", "currency"), Change("clear", "subtotal")
    )


async def test_a_new_reading_leaves_the_persons_value_and_offers_its_own(
    world: FormWorld,
) -> None:
    item = await corrected(world)
    again = extraction(
        invoice(total="777.00", invoice_number="R-9"), document_id=item.document_id
    )

    shown = await world.shown(again, result_version=2)

    total = await world.field(shown, "total")
    assert (total.value, total.source, total.locked_by) == ("120.00", "human", "anna")
    assert [one["value"] for one in candidates_of(total)] == ["777.00"]
    assert (await world.field(shown, "subtotal")).value is None
    assert (await world.field(shown, "invoice_number")).value == "R-9"


async def test_the_same_bytes_handed_in_again_inherit_what_was_said(world: FormWorld) -> None:
    await corrected(world)

    copy = await world.shown(extraction(invoice()))

    total = await world.field(copy, "total")
    assert (total.value, total.locked_by) == ("120.00", "anna")
    currency = await world.field(copy, "currency")
    assert (currency.value, currency.status) == ("EUR", "confirmed")
    assert "E4" not in {one.code for one in (await world.look(copy)).findings}


async def test_whose_words_were_inherited_stands_in_the_audit_log(world: FormWorld) -> None:
    await corrected(world)
    world.trail.entries.clear()

    again = await world.shown(extraction(invoice()))

    [entry] = world.trail.entries
    assert (entry.actor, entry.action) == ("system", "locks_inherited")
    assert entry.resource == resource_of(again.document_id)
    assert entry.after == {"total": "anna", "currency": "anna", "subtotal": "anna"}


async def test_other_bytes_and_other_owners_inherit_nothing(world: FormWorld) -> None:
    await corrected(world)

    other = await world.shown(extraction(invoice(), OTHER_BYTES))
    theirs = await world.shown(extraction(invoice(), owner_id="globex"))

    for item in (other, theirs):
        total = await world.field(item, "total")
        assert (total.value, total.locked_by) == ("119.00", None)


async def test_the_rows_that_a_person_chose_are_the_rows(world: FormWorld) -> None:
    item = await world.held()
    saved = await world.correct(item, Change("remove_line", at=0))
    read = extraction(
        invoice(lines__2__net_amount="9.00", lines__0__net_amount="41.00"),
        document_id=item.document_id,
    )

    shown = await world.shown(read, result_version=2)

    rows = {
        one.path: one.value
        for one in (await world.look(shown)).fields
        if one.path.startswith("lines.")
    }
    assert rows == {
        "lines.0.description": "Anchor",
        "lines.0.quantity": "1",
        "lines.0.unit_price": "60.00",
        "lines.0.net_amount": "60.00",
    }
    assert saved.version < shown.version


async def test_a_value_that_nobody_reads_any_more_stays(world: FormWorld) -> None:
    item = await corrected(world)

    shown = await world.shown(
        extraction(invoice(total=None), document_id=item.document_id), result_version=2
    )

    assert (await world.field(shown, "total")).value == "120.00"


async def test_who_was_late_is_told_what_the_new_reading_changed(world: FormWorld) -> None:
    item = await corrected(world)
    await world.shown(
        extraction(invoice(invoice_number="R-9"), document_id=item.document_id),
        result_version=2,
    )

    with pytest.raises(StaleForm) as caught:
        await world.correct(item, put("invoice_number", "R-10"))

    told = {one.path: (one.yours, one.theirs, one.by) for one in caught.value.differences}
    assert told["invoice_number"] == ("R-10", "R-9", "system")
    assert "total" not in told


async def test_locks_go_with_the_last_document_of_their_content(world: FormWorld) -> None:
    first = await corrected(world)
    second = await world.shown(extraction(invoice()))

    await _deleted(world, first.document_id)
    left = len(world.forms.locks)
    await _deleted(world, second.document_id)

    assert (left, world.forms.locks) == (1, {})
    third = await world.shown(extraction(invoice(), document_id=uuid4()))
    assert (await world.field(third, "total")).value == "119.00"


async def _deleted(world: FormWorld, document_id: UUID) -> None:
    fact = builders.job(builders.deleted(document_id=document_id))
    await withdraw_items([fact], world.ports)

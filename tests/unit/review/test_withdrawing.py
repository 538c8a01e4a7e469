"""What nobody wants any more leaves the queue, and what was deleted leaves the house."""

import pytest

from services.review.domain.items import ItemStatus
from services.review.handlers.deciding import approve_item
from services.review.handlers.opening import open_items
from services.review.handlers.withdrawing import withdraw_items
from shared.contracts.facts import DocumentErasedV1
from shared.errors import Retryable, Withdrawn
from tests import builders
from tests.unit.review.world import World


async def test_the_open_item_of_a_cancelled_document_leaves_the_queue(world: World) -> None:
    item = await world.opened()

    await withdraw_items(
        [builders.job(builders.cancelled(document_id=item.document_id))], world.ports
    )

    assert (await world.item(item.document_id)).status is ItemStatus.WITHDRAWN
    assert [entry.action for entry in world.trail.entries] == ["item_withdrawn"]


async def test_a_decision_outlives_a_late_cancellation(world: World) -> None:
    item = await world.opened()
    await approve_item(item.document_id, "anna", item.version, world.ports)

    await withdraw_items(
        [builders.job(builders.cancelled(document_id=item.document_id))], world.ports
    )

    assert (await world.item(item.document_id)).status is ItemStatus.APPROVED


async def test_a_deletion_erases_a_decided_item_with_its_values(world: World) -> None:
    item = await world.opened()
    await approve_item(item.document_id, "anna", item.version, world.ports)

    await withdraw_items(
        [builders.job(builders.deleted(document_id=item.document_id))], world.ports
    )

    assert world.items.items == {}
    assert world.items.fields == []
    assert world.trail.entries[-1].action == "item_erased"


async def test_what_was_reviewed_goes_before_the_deletion_is_reported(world: World) -> None:
    item, other = await world.opened(), await world.opened()
    for one in (item, other):
        await approve_item(one.document_id, "anna", one.version, world.ports)
    deleted = builders.job(builders.deleted(document_id=item.document_id))
    world.ledger.messages.clear()
    world.blobs.away = True

    with pytest.raises(Retryable):
        await withdraw_items([deleted], world.ports)
    assert not world.ledger.sent
    world.blobs.away = False
    await withdraw_items([deleted], world.ports)

    assert [type(one) for one in world.ledger.sent] == [DocumentErasedV1]
    assert [one for one in world.blobs.objects if one.startswith("reviewed/")] == [
        (await world.item(other.document_id)).reviewed_key
    ]


async def test_a_deletion_outdoes_the_cancellation_that_came_with_it(world: World) -> None:
    item = await world.opened()
    facts = (
        builders.job(builders.deleted(document_id=item.document_id)),
        builders.job(builders.cancelled(document_id=item.document_id)),
    )

    await withdraw_items(facts, world.ports)

    assert world.withdrawals.reasons == {item.document_id: "deleted"}
    assert [entry.action for entry in world.trail.entries] == ["item_erased"]


async def test_an_order_that_comes_after_the_withdrawal_opens_nothing(world: World) -> None:
    order = world.order()
    cancel = builders.cancelled(document_id=order.body.document_id)
    await withdraw_items([builders.job(cancel)], world.ports)

    with pytest.raises(Withdrawn):
        await open_items([order], world.ports)

    assert world.items.items == {}


async def test_the_same_withdrawal_twice_is_recorded_once(world: World) -> None:
    item = await world.opened()
    cancel = builders.job(builders.cancelled(document_id=item.document_id))

    await withdraw_items([cancel], world.ports)
    await withdraw_items([cancel], world.ports)

    assert len(world.trail.entries) == 1


async def test_a_deletion_is_reported_even_where_there_was_no_item(world: World) -> None:
    deleted = builders.deleted()

    await withdraw_items(
        [builders.job(deleted), builders.job(builders.cancelled())], world.ports
    )

    [report] = world.ledger.sent
    assert isinstance(report, DocumentErasedV1)
    assert (report.document_id, report.service) == (deleted.document_id, "review")

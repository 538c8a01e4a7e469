"""One item per document, with what the machine read, however often it is ordered."""

from dataclasses import replace

import pytest

from services.review.domain.items import ItemStatus
from services.review.handlers.opening import open_items
from shared.bus.jobs import AlreadyHandled
from shared.contracts.body import Priority
from shared.contracts.facts import ReviewOpenedV1
from shared.errors import Rejected, Retryable, Withdrawn
from tests import builders
from tests.unit.review.world import World


async def test_an_order_becomes_an_open_item_with_the_values_that_were_read(
    world: World,
) -> None:
    order = world.order(priority=Priority.URGENT)

    await open_items([order], world.ports)

    item = await world.item(order.body.document_id)
    assert (item.status, item.priority, item.version) == (ItemStatus.PENDING, 5, 1)
    fields = await world.items.list_fields(item.document_id)
    assert [field.path for field in fields][:2] == ["seller.name", "invoice_number"]
    [fact] = world.ledger.sent
    assert isinstance(fact, ReviewOpenedV1)
    assert fact.document_id == item.document_id


async def test_a_second_order_for_a_document_changes_nothing_and_tells_nobody(
    world: World,
) -> None:
    item = await world.opened()
    again = world.order(item.document_id, priority=Priority.URGENT)

    await open_items([again], world.ports)

    assert await world.item(item.document_id) == item
    assert world.ledger.sent == []
    assert again.job_id in world.ledger.done


async def test_two_orders_for_one_document_in_a_batch_open_one_item(world: World) -> None:
    first = world.order()
    second = world.order(first.body.document_id)

    await open_items([first, second], world.ports)

    assert len(world.items.items) == 1
    assert len(world.ledger.sent) == 1
    assert world.ledger.done == {first.job_id, second.job_id}


async def test_each_fact_goes_on_in_the_run_of_its_own_order(world: World) -> None:
    orders = [world.order(run=run) for run in (0, 2)]

    await open_items(orders, world.ports)

    told = {
        message.cause.job_id: message.run for message in world.ledger.messages if message.cause
    }
    assert told == {orders[0].job_id: 0, orders[1].job_id: 2}


async def test_a_delivery_that_was_done_before_opens_nothing(world: World) -> None:
    order = world.order()
    world.ledger.done.add(order.job_id)

    with pytest.raises(AlreadyHandled):
        await open_items([order], world.ports)

    assert world.items.items == {}


async def test_nothing_is_opened_for_a_withdrawn_document_whose_bytes_are_gone(
    world: World,
) -> None:
    order = world.order()
    world.blobs.objects.clear()
    world.withdrawals.reasons[order.body.document_id] = "deleted"

    with pytest.raises(Withdrawn):
        await open_items([order], world.ports)

    assert world.items.items == {}


async def test_a_cancel_that_commits_while_the_values_are_read_is_seen_in_time(
    world: World,
) -> None:
    order = world.order()
    world.withdrawals.late[order.body.document_id] = "cancelled"

    with pytest.raises(Withdrawn):
        await open_items([order], world.ports)

    assert world.items.items == {}
    assert world.ledger.sent == []


async def test_an_extraction_that_is_none_is_rejected_without_its_content(
    world: World,
) -> None:
    world.blobs.objects["broken"] = b'{"document_id": "secret"}'
    order = replace(world.order(), body=builders.open_review(extraction_key="broken"))

    with pytest.raises(Rejected) as caught:
        await open_items([order], world.ports)

    assert caught.value.reason == "invalid_extraction"
    assert "secret" not in caught.value.detail


async def test_a_store_that_is_away_is_told_as_it_is(world: World) -> None:
    order = world.order()
    world.blobs.away = True

    with pytest.raises(Retryable) as caught:
        await open_items([order], world.ports)

    assert caught.value.dependency == "blobs"

"""A document that is read anew keeps its one item, and no verdict is lost by it."""

import pytest

from services.review.domain.items import ItemStatus, ReviewItem, StaleVersion
from services.review.handlers.claiming import claim_item
from services.review.handlers.deciding import approve_item
from services.review.handlers.opening import open_items
from services.review.handlers.withdrawing import withdraw_items
from shared.bus.jobs import Job
from shared.contracts.facts import ReviewDecidedV1, ReviewOpenedV1
from shared.contracts.orders import FinaliseDocumentV1, OpenReviewV1
from tests import builders
from tests.unit.review.world import World


def read_anew(world: World, item: ReviewItem, version: int = 2) -> Job[OpenReviewV1]:
    fields = {"total": builders.read_as(f"{version}00.00")}
    extraction = builders.extraction(document_id=item.document_id, fields=fields)
    order = builders.open_review(
        document_id=item.document_id,
        extraction_key=world.store(extraction),
        result_version=version,
    )
    return builders.job(order, run=1)


async def test_an_open_item_shows_what_was_read_anew(world: World) -> None:
    item = await world.opened()

    await open_items([read_anew(world, item)], world.ports)

    shown = await world.item(item.document_id)
    assert (shown.status, shown.result_version, shown.run) == (ItemStatus.PENDING, 2, 1)
    assert shown.version == item.version + 1
    [field] = await world.items.list_fields(item.document_id)
    assert (field.path, field.value) == ("total", "200.00")
    [fact] = world.ledger.sent
    assert isinstance(fact, ReviewOpenedV1)
    assert fact.result_version == 2


async def test_a_decided_item_is_open_again_and_its_verdict_is_on_record(world: World) -> None:
    item = await world.opened()
    approved = await approve_item(item.document_id, "anna", item.version, world.ports)

    await open_items([read_anew(world, item, 3)], world.ports)

    shown = await world.item(item.document_id)
    assert (shown.status, shown.decided_by) == (ItemStatus.PENDING, None)
    assert (shown.reviewed_key, shown.revision) == (approved.reviewed_key, 0)
    entry = world.trail.entries[-1]
    assert (entry.actor, entry.action) == ("system", "item_reread")
    assert isinstance(entry.before, dict)
    assert (entry.before["status"], entry.before["decided_by"]) == ("approved", "anna")
    assert entry.before["reviewed_key"] == approved.reviewed_key


async def test_whoever_holds_the_item_keeps_it_and_decides_nothing_unseen(
    world: World,
) -> None:
    item = await world.opened()
    held = await claim_item(item.document_id, "anna", world.ports)

    await open_items([read_anew(world, item)], world.ports)

    assert (await world.item(item.document_id)).claimed_by == "anna"
    with pytest.raises(StaleVersion):
        await approve_item(item.document_id, "anna", held.version, world.ports)


async def test_a_decision_names_the_reading_it_judged(world: World) -> None:
    item = await world.opened()
    await open_items([read_anew(world, item)], world.ports)
    world.ledger.messages.clear()

    # The new reading found next to nothing of what an approval needs.
    await approve_item(
        item.document_id, "anna", item.version + 1, world.ports, override="It is known."
    )

    order, fact = world.ledger.sent
    assert isinstance(order, FinaliseDocumentV1)
    assert isinstance(fact, ReviewDecidedV1)
    assert (order.result_version, fact.result_version) == (2, 2)


@pytest.mark.parametrize("version", [1, 2])
async def test_an_order_of_an_earlier_reading_changes_nothing(
    world: World, version: int
) -> None:
    item = await world.opened()
    await open_items([read_anew(world, item)], world.ports)
    shown = await world.item(item.document_id)
    world.ledger.messages.clear()

    await open_items([read_anew(world, item, version)], world.ports)

    assert await world.item(item.document_id) == shown
    assert world.ledger.sent == []


async def test_of_two_readings_in_a_batch_the_newer_is_shown(world: World) -> None:
    item = await world.opened()
    newer, older = read_anew(world, item, 3), read_anew(world, item, 2)

    await open_items([older, newer], world.ports)

    assert (await world.item(item.document_id)).result_version == 3


async def test_a_withdrawn_item_is_not_opened_again(world: World) -> None:
    item = await world.opened()
    cancelled = builders.cancelled(document_id=item.document_id)
    await withdraw_items([builders.job(cancelled)], world.ports)
    world.withdrawals.reasons.clear()
    before = await world.item(item.document_id)

    await open_items([read_anew(world, item)], world.ports)

    assert await world.item(item.document_id) == before

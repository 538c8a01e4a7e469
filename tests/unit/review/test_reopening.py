"""A decision is taken back: by a lead with a reason, or by its reviewer within seconds."""

from uuid import uuid4

import pytest

from services.review.domain.decisions import (
    AlreadySplit,
    NotDecided,
    Reopening,
    TooLateToUndo,
)
from services.review.domain.items import Decision, ItemStatus, ReviewItem, StaleVersion
from services.review.handlers.claiming import claim_item
from services.review.handlers.deciding import approve_item, reject_item
from services.review.handlers.reopening import reopen_item
from shared.contracts.facts import ReviewReopenedV1
from shared.contracts.orders import FinaliseDocumentV1
from tests.unit.review.world import World

UNDO_S = 30


async def approved(world: World) -> ReviewItem:
    item = await world.opened()
    decided = await approve_item(item.document_id, "anna", item.version, world.ports)
    world.ledger.messages.clear()
    return decided


def reopening(item: ReviewItem, actor: str = "lena", *, undo: bool = False) -> Reopening:
    return Reopening(item.document_id, actor, item.version, "Wrong supplier.", undo)


async def test_a_reopened_item_waits_again_and_everybody_is_told(world: World) -> None:
    item = await approved(world)

    reopened = await reopen_item(reopening(item), world.ports)

    assert (reopened.status, reopened.decided_by) == (ItemStatus.PENDING, None)
    assert reopened.version == item.version + 1
    assert reopened.reviewed_key == item.reviewed_key
    [fact] = world.ledger.sent
    assert isinstance(fact, ReviewReopenedV1)
    assert (fact.verdict, fact.review_revision, fact.undone) == ("approved", 1, False)
    entry = world.trail.entries[-1]
    assert (entry.actor, entry.action, entry.reason) == (
        "lena",
        "item_reopened",
        "Wrong supplier.",
    )
    assert isinstance(entry.before, dict)
    assert (entry.before["status"], entry.before["decided_by"]) == ("approved", "anna")


async def test_the_next_approval_is_a_revision_of_its_own(world: World) -> None:
    item = await approved(world)
    reopened = await reopen_item(reopening(item), world.ports)
    world.ledger.messages.clear()

    await approve_item(item.document_id, "boris", reopened.version, world.ports)

    order = world.ledger.sent[0]
    assert isinstance(order, FinaliseDocumentV1)
    assert (order.review_revision, order.reviewer) == (2, "boris")


async def test_a_rejection_of_what_was_approved_is_told_to_storage(world: World) -> None:
    item = await approved(world)
    reopened = await reopen_item(reopening(item), world.ports)
    world.ledger.messages.clear()

    await reject_item(
        Decision(item.document_id, reopened.version, "boris", "rejected", reason="No."),
        world.ports,
    )

    order = world.ledger.sent[0]
    assert isinstance(order, FinaliseDocumentV1)
    assert (order.verdict, order.review_revision) == ("rejected", 2)
    assert order.extraction_key == item.reviewed_key


async def test_reopening_twice_is_once(world: World) -> None:
    item = await approved(world)
    first = await reopen_item(reopening(item), world.ports)

    second = await reopen_item(reopening(item), world.ports)

    assert second == first
    assert len(world.ledger.sent) == 1


async def test_an_undone_decision_stays_in_the_reviewers_hands(world: World) -> None:
    item = await approved(world)
    world.clock.advance(UNDO_S)

    undone = await reopen_item(reopening(item, "anna", undo=True), world.ports)

    assert (undone.status, undone.claimed_by) == (ItemStatus.IN_REVIEW, "anna")
    assert world.trail.entries[-1].action == "item_undone"
    [fact] = world.ledger.sent
    assert isinstance(fact, ReviewReopenedV1)
    assert fact.undone


@pytest.mark.parametrize(("actor", "after_s"), [("anna", UNDO_S + 1), ("boris", 1)])
async def test_only_the_reviewer_undoes_and_only_for_seconds(
    world: World, actor: str, after_s: float
) -> None:
    item = await approved(world)
    world.clock.advance(after_s)

    with pytest.raises(TooLateToUndo):
        await reopen_item(reopening(item, actor, undo=True), world.ports)

    assert (await world.item(item.document_id)).status is ItemStatus.APPROVED
    assert world.ledger.sent == []


async def test_what_is_open_or_has_changed_is_not_reopened(world: World) -> None:
    item = await world.opened()
    await claim_item(item.document_id, "anna", world.ports)

    with pytest.raises(NotDecided):
        await reopen_item(reopening(item), world.ports)
    await approve_item(item.document_id, "anna", item.version, world.ports)
    with pytest.raises(StaleVersion):
        await reopen_item(reopening(item), world.ports)


async def test_what_was_split_stays_split(world: World) -> None:
    item = await approved(world)
    world.decisions.parents[uuid4()] = item.document_id

    with pytest.raises(AlreadySplit):
        await reopen_item(reopening(item), world.ports)

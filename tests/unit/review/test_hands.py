"""Whether somebody has an item in hand is told, each change in its place."""

from datetime import timedelta
from uuid import UUID

from services.review.domain.decisions import Reextraction, Reopening
from services.review.handlers.assigning import keep_presence
from services.review.handlers.claiming import claim_item, claim_next_item, release_item
from services.review.handlers.deciding import approve_item
from services.review.handlers.minding import mind_queue
from services.review.handlers.opening import open_items
from services.review.handlers.passing_on import (
    assign_item,
    escalate_item,
    postpone_item,
    take_over_item,
)
from services.review.handlers.reextracting import ask_for_reading
from services.review.handlers.reopening import reopen_item
from shared.contracts.facts import ReviewClaimedV1, ReviewReleasedV1
from tests import builders
from tests.unit.review.world import LEASE_S, World

Told = tuple[str, int, int]


def told(world: World) -> list[Told]:
    """What it was, over which decision, and its turn."""
    return [
        (one.type.removeprefix("review."), one.review_revision, one.turn)
        for one in world.ledger.sent
        if isinstance(one, ReviewClaimedV1 | ReviewReleasedV1)
    ]


async def held(world: World, by: str = "anna") -> UUID:
    """An item in somebody's hands; that it came there has been told."""
    item = await world.opened()
    await claim_item(item.document_id, by, world.ports)
    world.ledger.messages.clear()
    return item.document_id


async def test_a_claim_and_its_end_are_told_in_the_trace_of_the_opening(world: World) -> None:
    item = await world.opened(run=2)

    await claim_next_item("anna", world.ports)
    await release_item(item.document_id, "anna", world.ports)

    claimed, released = world.ledger.messages
    assert isinstance(claimed.body, ReviewClaimedV1)
    assert (claimed.body.reviewer, claimed.body.result_version) == ("anna", 1)
    assert (claimed.run, released.run) == (2, 2)
    assert told(world) == [("claimed", 0, 1), ("released", 0, 2)]


async def test_a_claim_that_is_made_longer_is_no_other_turn(world: World) -> None:
    document_id = await held(world)

    await claim_item(document_id, "anna", world.ports)
    # Also when it had ended, and nobody had noticed.
    world.clock.advance(LEASE_S + 1)
    await claim_item(document_id, "anna", world.ports)

    assert told(world) == []


async def test_whoever_comes_after_a_claim_that_ended_is_told_of(world: World) -> None:
    document_id = await held(world)
    world.clock.advance(LEASE_S + 1)

    await claim_item(document_id, "berta", world.ports)

    [claimed] = world.ledger.sent
    assert isinstance(claimed, ReviewClaimedV1)
    assert (claimed.reviewer, claimed.turn) == ("berta", 2)


async def test_who_takes_over_is_told_of(world: World) -> None:
    document_id = await held(world)

    await take_over_item(document_id, "lena", "Anna is at lunch.", world.ports)
    await take_over_item(document_id, "lena", "Once more.", world.ports)

    [claimed] = world.ledger.sent
    assert isinstance(claimed, ReviewClaimedV1)
    assert (claimed.reviewer, claimed.turn) == ("lena", 2)


async def test_whatever_takes_an_item_out_of_somebodys_hands_says_so(world: World) -> None:
    later = world.clock.now() + timedelta(hours=1)
    one, two, three, four = [await held(world) for _ in range(4)]
    world.ledger.messages.clear()

    await postpone_item(one, later, "Later.", "anna", world.ports)
    await escalate_item(two, 2, "Too much.", "anna", world.ports)
    await assign_item(three, None, "lena", world.ports)
    await ask_for_reading(Reextraction(four, "anna", 1, "Half is missing."), world.ports)

    assert told(world) == [("released", 0, 2)] * 4


async def test_what_changes_no_hands_is_not_told(world: World) -> None:
    waiting, taken = await world.opened(), await held(world)
    await keep_presence("anna", True, world.ports)

    await assign_item(waiting.document_id, None, "lena", world.ports)
    await assign_item(taken, "anna", "lena", world.ports)

    assert told(world) == []


async def test_a_claim_that_ends_by_itself_is_told_once_whoever_finds_it(world: World) -> None:
    await held(world)
    world.clock.advance(LEASE_S + 1)

    await mind_queue(world.ports)
    await mind_queue(world.ports)

    assert told(world) == [("released", 0, 2)]


async def test_what_comes_back_from_being_put_off_was_in_nobodys_hands(world: World) -> None:
    document_id = await held(world)
    later = world.clock.now() + timedelta(hours=1)
    await postpone_item(document_id, later, "Later.", "anna", world.ports)
    world.ledger.messages.clear()
    world.clock.advance(3601)

    assert await mind_queue(world.ports) == 1

    assert told(world) == []


async def test_after_a_decision_was_taken_back_it_is_told_over_that_decision(
    world: World,
) -> None:
    document_id = await held(world)
    decided = await approve_item(document_id, "anna", 1, world.ports)
    undo = Reopening(document_id, "anna", decided.version, "Oh.", undo=True)
    await reopen_item(undo, world.ports)
    world.ledger.messages.clear()

    await release_item(document_id, "anna", world.ports)

    # Claimed, decided, in hand again, given back.
    assert told(world) == [("released", 1, 4)]


async def test_whoever_holds_an_item_holds_what_was_read_anew(world: World) -> None:
    document_id = await held(world)
    extraction = builders.extraction(document_id=document_id)
    order = builders.open_review(
        document_id=document_id, extraction_key=world.store(extraction), result_version=2
    )

    await open_items([builders.job(order, run=1)], world.ports)

    [claimed] = [one for one in world.ledger.sent if isinstance(one, ReviewClaimedV1)]
    assert (claimed.result_version, claimed.reviewer, claimed.turn) == (2, "anna", 1)

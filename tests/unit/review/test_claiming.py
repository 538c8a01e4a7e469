"""A claim lends an item to one reviewer, for a while."""

from uuid import uuid4

import pytest

from services.review.domain.claims import LeaseLost
from services.review.domain.items import (
    AlreadyDecided,
    ClaimedByAnother,
    ItemStatus,
    NoSuchItem,
)
from services.review.handlers.claiming import claim_item, claim_next_item, release_item
from services.review.handlers.deciding import approve_item
from shared.contracts.body import Priority
from tests.unit.review.world import LEASE_S, World


async def test_the_most_urgent_item_is_lent_first_and_then_the_oldest(world: World) -> None:
    old = await world.opened()
    world.clock.advance(60)
    urgent = await world.opened(Priority.URGENT)
    young = await world.opened()

    lent = [await claim_next_item("anna", world.ports) for _ in range(4)]

    assert [item.document_id if item else None for item in lent] == [
        urgent.document_id,
        old.document_id,
        young.document_id,
        None,
    ]


async def test_an_item_whose_lease_has_ended_is_lent_to_the_next(world: World) -> None:
    await world.opened()
    await claim_next_item("anna", world.ports)
    world.clock.advance(LEASE_S + 1)

    item = await claim_next_item("boris", world.ports)

    assert item is not None
    assert item.claimed_by == "boris"


async def test_a_claim_leaves_the_version_alone(world: World) -> None:
    item = await world.opened()

    claimed = await claim_item(item.document_id, "anna", world.ports)

    assert claimed.status is ItemStatus.IN_REVIEW
    assert claimed.version == item.version


async def test_what_somebody_holds_nobody_else_can_claim(world: World) -> None:
    item = await world.opened()
    await claim_item(item.document_id, "anna", world.ports)

    with pytest.raises(ClaimedByAnother, match="anna is reviewing"):
        await claim_item(item.document_id, "boris", world.ports)


async def test_claiming_again_makes_the_lease_longer(world: World) -> None:
    item = await world.opened()
    first = await claim_item(item.document_id, "anna", world.ports)
    world.clock.advance(LEASE_S / 2)

    second = await claim_item(item.document_id, "anna", world.ports)

    assert first.claimed_until is not None
    assert second.claimed_until is not None
    assert second.claimed_until > first.claimed_until


async def test_a_released_item_is_pending_again_and_releasing_twice_is_once(
    world: World,
) -> None:
    item = await world.opened()
    await claim_item(item.document_id, "anna", world.ports)

    await release_item(item.document_id, "anna", world.ports)
    released = await release_item(item.document_id, "anna", world.ports)

    assert released.status is ItemStatus.PENDING
    assert released.claimed_by is None
    actions = [entry.action for entry in world.trail.entries]
    assert actions == ["item_claimed", "item_released"]


async def test_nobody_gives_back_what_another_holds(world: World) -> None:
    item = await world.opened()
    await claim_item(item.document_id, "anna", world.ports)

    with pytest.raises(LeaseLost, match="anna is reviewing"):
        await release_item(item.document_id, "boris", world.ports)


async def test_a_decided_item_is_not_lent_any_more(world: World) -> None:
    item = await world.opened()
    await approve_item(item.document_id, "anna", item.version, world.ports)

    with pytest.raises(AlreadyDecided, match="approved by anna"):
        await claim_item(item.document_id, "boris", world.ports)
    assert await claim_next_item("boris", world.ports) is None


async def test_an_unknown_document_has_no_item_to_claim(world: World) -> None:
    with pytest.raises(NoSuchItem):
        await claim_item(uuid4(), "anna", world.ports)

"""What is written for a decision is the item's once it is decided, and soon nothing else."""

import pytest

from services.review.domain.decisions import Approval
from services.review.domain.items import AlreadyDecided, Decision, NoSuchItem, ReviewItem
from services.review.handlers.deciding import (
    approve_item,
    decide,
    prepare_approval,
    reject_item,
)
from services.review.handlers.drafts import STALE_AFTER_S, collect_drafts
from tests.unit.review.world import World


async def prepared(world: World, item: ReviewItem, reviewer: str = "anna") -> Decision:
    return await prepare_approval(
        item, Approval(item.document_id, reviewer, item.version), world.ports
    )


def written(world: World) -> list[str]:
    return [one for one in world.blobs.objects if one.startswith("reviewed/")]


async def test_what_was_decided_by_lies_with_its_document_and_is_no_draft(world: World) -> None:
    item = await world.opened()

    done = await approve_item(item.document_id, "anna", item.version, world.ports)

    assert written(world) == [done.reviewed_key]
    assert str(done.reviewed_key).startswith(f"reviewed/{item.document_id}/")
    assert not world.decisions.drafts


async def test_who_loses_a_race_erases_what_he_wrote_and_nobody_elses(world: World) -> None:
    item = await world.opened()
    late = await prepared(world, item, "boris")
    done = await approve_item(item.document_id, "anna", item.version, world.ports)

    with pytest.raises(AlreadyDecided):
        await decide(late, world.ports)

    assert written(world) == [done.reviewed_key]
    assert not world.decisions.drafts


async def test_a_second_click_leaves_what_the_first_one_wrote(world: World) -> None:
    item = await world.opened()
    second = await prepared(world, item)
    done = await approve_item(item.document_id, "anna", item.version, world.ports)

    assert await decide(second, world.ports) == done
    assert written(world) == [done.reviewed_key]


async def test_who_decides_on_what_was_erased_meanwhile_leaves_nothing(world: World) -> None:
    item = await world.opened()
    late = await prepared(world, item)
    world.items.erase(item.document_id)

    with pytest.raises(NoSuchItem):
        await decide(late, world.ports)

    assert written(world) == []


async def test_what_a_killed_process_wrote_is_collected_once_it_is_stale(world: World) -> None:
    item = await world.opened()
    await prepared(world, item)
    rejection = Decision(item.document_id, item.version, "anna", "rejected", reason="No.")
    await reject_item(rejection, world.ports)

    assert await collect_drafts(world.ports) == 0
    world.clock.advance(STALE_AFTER_S + 1)
    await collect_drafts(world.ports)

    assert (written(world), world.decisions.drafts) == ([], {})


async def test_a_store_that_is_away_leaves_it_to_be_collected(world: World) -> None:
    item = await world.opened()
    late = await prepared(world, item, "boris")
    await approve_item(item.document_id, "anna", item.version, world.ports)
    world.blobs.away = True

    with pytest.raises(AlreadyDecided):
        await decide(late, world.ports)

    assert [*world.decisions.drafts] == [late.reviewed_key]

"""A file with several invoices is rejected, and its parts are ordered under fixed ids."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from services.review.domain.decisions import AlreadySplit, BadParts
from services.review.domain.items import ItemStatus, ReviewItem, StaleVersion
from services.review.handlers.deciding import approve_item
from services.review.handlers.splitting import split_item, split_of
from shared.contracts.facts import ReviewDecidedV1
from shared.contracts.orders import SplitDocumentV1
from tests import builders
from tests.unit.review.world import World

PAGES = [[1, 2], [3]]


async def opened(
    world: World, *, media_type: str = "application/pdf", page_count: int = 3
) -> ReviewItem:
    item = await world.opened()
    extraction = builders.extraction(document_id=item.document_id).model_copy(
        update={"media_type": media_type, "page_count": page_count}
    )
    item = replace(item, extraction_key=world.store(extraction))
    world.items.items[item.document_id] = item
    return item


async def split(
    world: World, item: ReviewItem, pages: Sequence[Sequence[int]] = PAGES
) -> ReviewItem:
    decision = split_of(item.document_id, item.version, "anna", "Two in one.")
    return await split_item(decision, pages, world.ports)


async def test_the_file_is_rejected_and_its_parts_are_ordered(world: World) -> None:
    item = await opened(world)

    done = await split(world, item)

    assert (done.status, done.reason_code) == (ItemStatus.REJECTED, "split")
    order, fact = world.ledger.sent
    assert isinstance(order, SplitDocumentV1)
    assert [list(one.pages) for one in order.parts] == PAGES
    assert (order.reviewer, order.reason, order.owner_id) == (
        "anna",
        "Two in one.",
        item.owner_id,
    )
    assert isinstance(fact, ReviewDecidedV1)
    assert (fact.verdict, fact.reason_code) == ("rejected", "split")
    context = await world.decisions.find_context(item.document_id, actor="anna", undo_s=30)
    assert context.children == [one.document_id for one in order.parts]
    entry = world.trail.entries[-1]
    assert isinstance(entry.after, dict)
    assert entry.after["parts"] == {
        str(one.document_id): list(one.pages) for one in order.parts
    }


async def test_splitting_twice_is_once(world: World) -> None:
    item = await opened(world)

    first, second = await split(world, item), await split(world, item)

    assert second == first
    assert len(world.ledger.sent) == 2


async def test_the_same_wish_at_the_same_version_names_the_same_parts(world: World) -> None:
    item = await opened(world)
    world.ledger.error = ConnectionError("cut off at the commit")
    with pytest.raises(ConnectionError):
        await split(world, item)
    named = {**world.decisions.parents}
    world.ledger.error = None
    world.items.items[item.document_id] = item
    world.decisions.parents.clear()

    await split(world, item)

    assert world.decisions.parents == named
    assert len(named) == 2


@pytest.mark.parametrize(
    ("pages", "pointer"),
    [
        ([[1], [4]], "/parts/1/pages"),
        ([[1, 2], [2]], "/parts/1/pages"),
        ([[1, 1], [2]], "/parts/0/pages"),
    ],
    ids=["no such page", "in two parts", "twice in one"],
)
async def test_pages_are_there_and_in_one_part_only(
    world: World, pages: list[list[int]], pointer: str
) -> None:
    item = await opened(world)

    with pytest.raises(BadParts) as refused:
        await split(world, item, pages)

    assert refused.value.pointer == pointer
    assert (await world.item(item.document_id)).status is ItemStatus.PENDING


async def test_a_photograph_is_one_page(world: World) -> None:
    item = await opened(world, media_type="image/jpeg", page_count=1)

    with pytest.raises(BadParts, match="one page"):
        await split(world, item)


async def test_what_changed_since_is_not_split(world: World) -> None:
    item = await opened(world)
    world.items.items[item.document_id] = replace(item, version=item.version + 1)

    with pytest.raises(StaleVersion):
        await split(world, item)


async def test_a_split_file_that_is_read_anew_is_no_result_beside_its_parts(
    world: World,
) -> None:
    item = await opened(world)
    done = await split(world, item)
    again = replace(done, status=ItemStatus.PENDING, decided_by=None, decided_at=None)
    world.items.items[item.document_id] = again

    with pytest.raises(AlreadySplit):
        await approve_item(item.document_id, "boris", again.version, world.ports)
    with pytest.raises(AlreadySplit):
        await split(world, again)

"""A file with several invoices is rejected, and its parts are ordered under fixed ids."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from services.review.domain.decisions import AlreadySplit, BadParts
from services.review.domain.items import ItemStatus, ReviewItem, StaleVersion
from services.review.handlers.deciding import approve_item
from services.review.handlers.splitting import split_item, split_of, take_split_back
from shared.bus.jobs import Job
from shared.contracts.facts import DocumentSplitFailedV1, ReviewDecidedV1, ReviewReopenedV1
from shared.contracts.orders import SplitDocumentV1
from shared.errors import Withdrawn
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


def failed(item: ReviewItem, order: SplitDocumentV1) -> Job[DocumentSplitFailedV1]:
    return builders.job(
        builders.split_failed(
            document_id=item.document_id,
            parts=[one.document_id for one in order.parts],
            detail="torn",
        )
    )


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


async def test_other_parts_are_another_decision(world: World) -> None:
    item = await opened(world)
    done = await split(world, item)

    with pytest.raises(AlreadySplit):
        await split(world, item, [[1], [2, 3]])

    assert (await world.item(item.document_id)) == done
    assert len(world.ledger.sent) == 2


async def test_of_two_clicks_at_once_with_other_parts_one_is_refused(world: World) -> None:
    item = await opened(world)
    read = world.blobs.read

    async def meanwhile(key: str, **how: object) -> bytes:
        world.blobs.read = read  # type: ignore[method-assign] # once
        await split(world, item)
        return await read(key)

    world.blobs.read = meanwhile  # type: ignore[method-assign] # the instant between

    with pytest.raises(AlreadySplit):
        await split(world, item, [[1], [2, 3]])


async def test_a_file_whose_parts_cannot_be_made_is_an_item_again(world: World) -> None:
    item = await opened(world)
    await split(world, item)
    order, _ = world.ledger.sent
    assert isinstance(order, SplitDocumentV1)
    world.ledger.messages.clear()

    await take_split_back(failed(item, order), world.ports)

    again = await world.item(item.document_id)
    assert (again.status, again.decided_by) == (ItemStatus.PENDING, None)
    assert (again.reason_code, again.reason) == ("split_failed", "bad_split: torn")
    [fact] = world.ledger.sent
    assert isinstance(fact, ReviewReopenedV1)
    assert (fact.verdict, fact.reviewer, fact.undone) == ("rejected", "system", False)
    entry = world.trail.entries[-1]
    assert (entry.action, entry.reason) == ("item_split_failed", "bad_split: torn")
    done = await split(world, again, [[1], [2, 3]])
    assert (done.status, done.reason_code) == (ItemStatus.REJECTED, "split")


async def test_parts_of_an_earlier_split_take_nothing_back(world: World) -> None:
    item = await opened(world)
    done = await split(world, item)

    with pytest.raises(Withdrawn):
        await take_split_back(
            builders.job(builders.split_failed(document_id=item.document_id)), world.ports
        )
    with pytest.raises(Withdrawn):
        await take_split_back(builders.job(builders.split_failed()), world.ports)

    assert (await world.item(item.document_id)) == done


async def test_what_was_read_anew_meanwhile_has_no_parts_and_stays_as_it_is(
    world: World,
) -> None:
    item = await opened(world)
    done = await split(world, item)
    order, _ = world.ledger.sent
    assert isinstance(order, SplitDocumentV1)
    again = replace(
        done,
        status=ItemStatus.PENDING,
        decided_by=None,
        decided_at=None,
        reason_code=None,
    )
    world.items.items[item.document_id] = again

    await take_split_back(failed(item, order), world.ports)

    assert (await world.item(item.document_id)) == again
    assert (await split(world, again)).status is ItemStatus.REJECTED


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

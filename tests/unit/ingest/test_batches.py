"""Documents handed in together: some at a time, some refused, all of them accounted for."""

from uuid import uuid4

import pytest

from services.ingest.domain.batches import Item
from services.ingest.handlers import receive_document, record_facts
from services.ingest.handlers.batches import BatchReceived, cancel_batch, receive_batch
from services.ingest.handlers.release import release_documents
from shared.contracts.facts import BatchCompletedV1
from shared.contracts.orders import ExtractDocumentV1
from shared.errors import Rejected
from tests import builders
from tests.unit.ingest.world import FakeUpload, World

KNOWN = Item(builders.CONTENT_KEY, "invoice.pdf")
UNKNOWN = Item("sha256/00/" + "0" * 64)


@pytest.fixture
async def world() -> World:
    world = World()
    await receive_document(FakeUpload(), world.use)
    world.ledger.messages.clear()
    return world


async def _batch(world: World, *items: Item, key: str | None = None) -> BatchReceived:
    received = await receive_batch(builders.OWNER, items, key, world.use)
    assert received is not None
    return received


def _orders(world: World) -> list[ExtractDocumentV1]:
    return [body for body in world.ledger.sent if isinstance(body, ExtractDocumentV1)]


def _completed(world: World) -> list[BatchCompletedV1]:
    return [body for body in world.ledger.sent if isinstance(body, BatchCompletedV1)]


async def _end(world: World, *orders: ExtractDocumentV1) -> None:
    facts = [builders.stored(document_id=order.document_id) for order in orders]
    await record_facts([builders.job(fact) for fact in facts], world.use)
    while await release_documents(world.use):
        continue


async def test_a_batch_has_ten_documents_under_way_at_a_time(world: World) -> None:
    await _batch(world, *[KNOWN] * 25)
    assert len(_orders(world)) == 10

    await _end(world, *_orders(world)[:4])
    assert len(_orders(world)) == 14
    await _end(world, *_orders(world)[4:14])
    assert len(_orders(world)) == 24


async def test_a_batch_is_complete_when_its_last_document_ends(world: World) -> None:
    await _batch(world, KNOWN, UNKNOWN, KNOWN)

    await _end(world, _orders(world)[0])
    assert _completed(world) == []
    await _end(world, _orders(world)[1])

    [fact] = _completed(world)
    assert (fact.completed, fact.rejected, fact.revision) == (2, 1, 1)


async def test_a_replayed_member_completes_its_batch_once_more(world: World) -> None:
    await _batch(world, KNOWN)
    [order] = _orders(world)
    failed = builders.failed(document_id=order.document_id)
    await record_facts([builders.job(failed)], world.use)

    replayed = builders.stored(document_id=order.document_id)
    await record_facts([builders.job(replayed, run=1)], world.use)

    assert [(fact.failed, fact.completed, fact.revision) for fact in _completed(world)] == [
        (1, 0, 1),
        (0, 1, 2),
    ]


async def test_what_was_never_handed_in_is_refused_by_position(world: World) -> None:
    received = await _batch(world, UNKNOWN, KNOWN, UNKNOWN)

    assert [one["position"] for one in received.batch.rejected] == [0, 2]
    assert [
        one.position for one in await world.batches.list_members(received.batch.batch_id)
    ] == [1]


async def test_the_bytes_of_another_owner_cannot_be_named(world: World) -> None:
    assert await receive_batch("globex", [KNOWN], None, world.use) is None


async def test_a_batch_sent_twice_under_one_key_is_one_batch(world: World) -> None:
    first = await _batch(world, KNOWN, UNKNOWN, KNOWN, key="night-1")
    again = await _batch(world, KNOWN, UNKNOWN, KNOWN, key="night-1")

    assert (again.replayed, again.batch.batch_id) == (True, first.batch.batch_id)
    assert len(_orders(world)) == 2


@pytest.mark.parametrize(
    "items",
    [[KNOWN], [KNOWN] * 3, [KNOWN, Item(builders.CONTENT_KEY, "another.pdf")]],
    ids=["fewer", "more", "others"],
)
async def test_one_key_stands_for_one_batch(world: World, items: list[Item]) -> None:
    await _batch(world, KNOWN, KNOWN, key="night-1")

    with pytest.raises(Rejected, match="idempotency_mismatch"):
        await _batch(world, *items, key="night-1")


async def test_a_cancelled_batch_lets_nothing_more_go(world: World) -> None:
    batch = (await _batch(world, *[KNOWN] * 12)).batch
    await _end(world, _orders(world)[0])
    before = len(_orders(world))

    cancelled = await cancel_batch(batch.batch_id, owner_id=None, use=world.use)
    while await release_documents(world.use):
        continue

    assert cancelled == 11
    assert len(_orders(world)) == before
    assert [(fact.cancelled, fact.completed) for fact in _completed(world)] == [(11, 1)]


async def test_an_end_outside_of_batches_completes_none(world: World) -> None:
    fact = builders.stored(document_id=uuid4())
    await record_facts([builders.job(fact)], world.use)

    assert _completed(world) == []

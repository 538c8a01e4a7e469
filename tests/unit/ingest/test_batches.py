"""Documents handed in together: some at a time, some refused, all of them accounted for."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from services.ingest.domain.batches import ITEMS_MAX, Batch, NothingAccepted, Reference, Wish
from services.ingest.domain.said import Said
from services.ingest.handlers import delete_document, receive_document, record_facts
from services.ingest.handlers.advance import advance_stalled
from services.ingest.handlers.batches import (
    BatchReceived,
    cancel_batch,
    delete_batch,
    receive_files,
    receive_references,
)
from services.ingest.handlers.release import release_documents
from shared.contracts.body import Priority
from shared.contracts.facts import BatchCompletedV1
from shared.contracts.orders import ExtractDocumentV1
from shared.errors import Rejected
from tests import builders
from tests.fakes.parts import FakeParts
from tests.unit.ingest.world import FakeUpload, World

KNOWN = Reference(builders.CONTENT_KEY, "invoice.pdf")
UNKNOWN = Reference("sha256/00/" + "0" * 64)
URGENT = Wish(Priority.URGENT)
PDF = builders.PDF


@pytest.fixture
async def world() -> World:
    world = World()
    await receive_document(FakeUpload(), world.use)
    world.ledger.messages.clear()
    return world


async def _received(world: World, *items: Reference) -> BatchReceived:
    return await receive_references(builders.OWNER, items, None, world.use)


async def _batch(world: World, *items: Reference) -> UUID:
    return (await _received(world, *items)).batch_id


async def _files(world: World, *files: tuple[str, bytes], **wished: Wish) -> Batch:
    parts = FakeParts([*files], wished)
    received = await receive_files(builders.OWNER, parts, None, world.use)
    return await _found(world, received.batch_id)


async def _found(world: World, batch_id: UUID) -> Batch:
    found = await world.batches.find_batch(batch_id, owner_id=builders.OWNER)
    assert found is not None
    return found


def _orders(world: World) -> list[ExtractDocumentV1]:
    return [body for body in world.ledger.sent if isinstance(body, ExtractDocumentV1)]


def _completed(world: World) -> list[BatchCompletedV1]:
    return [body for body in world.ledger.sent if isinstance(body, BatchCompletedV1)]


async def _release_all(world: World) -> None:
    while await release_documents(world.use):
        continue


async def _end(world: World, orders: Sequence[ExtractDocumentV1]) -> None:
    facts = [builders.stored(document_id=order.document_id) for order in orders]
    await record_facts([builders.job(fact) for fact in facts], world.use)
    await _release_all(world)


async def test_by_when_a_document_is_wanted_travels_with_its_order(world: World) -> None:
    wished = replace(KNOWN, wish=Wish(said=Said(due_at=builders.ACCEPTED_AT)))

    await _batch(world, *[wished] * 12)
    at_once = len(_orders(world))
    await _end(world, _orders(world))

    # Those that waited for a place as well.
    assert at_once < len(_orders(world)) == 12
    assert {order.due_at for order in _orders(world)} == {builders.ACCEPTED_AT}


async def test_a_batch_has_ten_documents_under_way_at_a_time(world: World) -> None:
    await _batch(world, *[KNOWN] * 25)
    assert len(_orders(world)) == 10

    await _end(world, _orders(world)[:4])
    assert len(_orders(world)) == 14
    await _end(world, _orders(world)[4:14])
    assert len(_orders(world)) == 24


async def test_urgent_documents_of_a_batch_go_first_and_pass_the_window(world: World) -> None:
    world.releases.window = 1
    items = [KNOWN] * 9 + [replace(KNOWN, wish=URGENT)] * 12
    await _batch(world, *items)
    urgent = [order for order in _orders(world) if order.priority is Priority.URGENT]
    assert len(urgent) == len(_orders(world)) == 10

    await _end(world, urgent[:2])

    assert [order.priority for order in _orders(world)[10:12]] == [Priority.URGENT] * 2


async def test_a_batch_is_complete_when_its_last_document_ends(world: World) -> None:
    await _batch(world, KNOWN, UNKNOWN, KNOWN)

    await _end(world, _orders(world)[:1])
    assert _completed(world) == []
    await _end(world, _orders(world)[1:])

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
    batch = await _found(world, await _batch(world, UNKNOWN, KNOWN, UNKNOWN))

    assert [(one["position"], one["reason"]) for one in batch.rejected] == [
        (0, "source_missing"),
        (2, "source_missing"),
    ]
    members = await world.batches.list_members(batch.batch_id)
    assert [one.position for one in members] == [1]


async def test_the_bytes_of_another_owner_cannot_be_named(world: World) -> None:
    with pytest.raises(NothingAccepted):
        await receive_references("globex", [KNOWN], None, world.use)


async def test_files_are_kept_and_bad_ones_refused_one_by_one(world: World) -> None:
    too_large = PDF + b"\n" * world.use.upload_bytes_max
    files = [("a.pdf", PDF), ("b.txt", b"hello"), ("c.pdf", b""), ("../d.pdf", PDF)]
    batch = await _files(world, *files, ("e.pdf", too_large), ("f.pdf", PDF + b"\n"))

    assert [(one["position"], one["filename"], one["reason"]) for one in batch.rejected] == [
        (1, "b.txt", "unsupported_type"),
        (2, "c.pdf", "empty"),
        (4, "e.pdf", "too_large"),
    ]
    members = await world.batches.list_members(batch.batch_id)
    assert [(one.position, one.filename) for one in members] == [
        (0, "a.pdf"),
        (3, "d.pdf"),
        (5, "f.pdf"),
    ]
    assert len(world.blobs.objects) == 2


async def test_each_file_has_what_was_wished_for_it(world: World) -> None:
    wish = Wish(Priority.HIGH, Said(tags=("rent",)))
    batch = await _files(world, ("a", PDF), ("b", PDF), a=wish)

    rows = [
        world.documents.rows[one.document_id]
        for one in await world.batches.list_members(batch.batch_id)
    ]
    assert [(row.priority, list(row.tags)) for row in rows] == [(4, ["rent"]), (3, [])]


async def test_no_batch_is_made_of_refusals_alone(world: World) -> None:
    with pytest.raises(NothingAccepted) as refused:
        await _files(world, ("b.txt", b"hello"), ("c.pdf", b""))

    assert [one.reason for one in refused.value.refused] == ["unsupported_type", "empty"]
    assert world.batches.rows == {}


async def test_a_batch_has_an_end_before_its_files_have(world: World) -> None:
    with pytest.raises(Rejected, match="too_many_items"):
        await _files(world, *[("a.pdf", PDF)] * (ITEMS_MAX + 1))


async def test_a_cancelled_batch_lets_nothing_more_go(world: World) -> None:
    batch_id = await _batch(world, *[KNOWN] * 12)
    await _end(world, _orders(world)[:1])
    before = len(_orders(world))

    assert await cancel_batch(batch_id, actor="anna", use=world.use) == 11
    assert await cancel_batch(batch_id, actor="anna", use=world.use) == 0
    await _release_all(world)

    assert len(_orders(world)) == before
    assert [(fact.cancelled, fact.completed) for fact in _completed(world)] == [(11, 1)]
    told = [(one.actor, one.action) for one in world.trail.entries]
    assert told == [("anna", "document_cancelled")] * 11


async def test_a_deleted_member_makes_room_for_the_next(world: World) -> None:
    batch_id = await _batch(world, *[KNOWN] * 11)
    first = _orders(world)[0].document_id
    await delete_document(first, owner_id=None, actor="anna", use=world.use)
    await _release_all(world)
    assert len(_orders(world)) == 11

    await _end(world, _orders(world)[1:])

    assert (await _found(world, batch_id)).counts == {"completed": 10, "deleted": 1}
    assert [(fact.completed, fact.cancelled) for fact in _completed(world)] == [(10, 1)]


async def test_a_deleted_batch_says_nothing_any_more(world: World) -> None:
    batch_id = await _batch(world, KNOWN, replace(UNKNOWN, filename="secret.pdf"))

    for _ in range(2):
        await delete_batch(batch_id, actor="anna", use=world.use)

    batch = await _found(world, batch_id)
    assert batch.counts == {"deleted": 1}
    assert "secret" not in repr(batch)
    assert [entry.action for entry in world.trail.entries] == [
        # Nothing more goes to the broker from the first moment on.
        "document_cancelled",
        "document_deleted",
        "batch_deleted",
    ]


async def test_a_batch_that_nobody_moves_is_moved_on(world: World) -> None:
    world.batches.at_once = 2
    await _batch(world, *[KNOWN] * 5)
    assert await advance_stalled(world.use) == 0

    world.batches.at_once = 4
    assert await advance_stalled(world.use) == 1
    assert await advance_stalled(world.use) == 0
    await _release_all(world)

    assert len(_orders(world)) == 4
    assert _completed(world) == []


async def test_an_end_outside_of_batches_completes_none(world: World) -> None:
    fact = builders.stored(document_id=uuid4())
    await record_facts([builders.job(fact)], world.use)

    assert _completed(world) == []

"""Batches in a real PostgreSQL: members that end at once, are begun anew, or are given up."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from uuid import UUID

import pytest

from services.ingest.adapters.batches import PostgresBatches
from services.ingest.handlers import delete_document, reprocess_document
from services.ingest.handlers.advance import advance_stalled
from services.ingest.handlers.batches import cancel_batch, delete_batch
from services.ingest.handlers.release import release_documents
from services.ingest.handlers.withdraw import cancel_document
from services.ingest.ports import Page
from shared.contracts.body import Priority
from shared.contracts.facts import DocumentCancelledV1, DocumentEndedV1
from shared.contracts.identity import new_id
from tests import builders
from tests.broker.batch_world import KNOWN, UNKNOWN, URGENT, BatchWorld, batch_world
from tests.broker.ingest_world import Told, World

STORED, FAILED = Told(builders.stored), Told(builders.failed)
STARTED = Told(builders.started)


@pytest.fixture
async def room(database_url: str) -> AsyncIterator[BatchWorld]:
    async with batch_world(database_url) as room:
        yield room


async def test_ten_of_a_batch_are_under_way_whatever_the_window_allows(
    room: BatchWorld,
) -> None:
    batch_id = await room.batch(*[KNOWN] * 30)
    await room.release_all()
    assert len(await room.ordered()) == 10

    await room.world.record(*(STORED.about(one) for one in (await room.ordered())[:3]))
    await room.release_all()

    members = await room.use.batches.list_members(batch_id)
    assert (await room.ordered())[10:] == [member.document_id for member in members[10:13]]
    assert await room.stages(batch_id) == {"queued": 10, "done": 3, "held": 17}


async def test_members_that_end_at_once_complete_their_batch_exactly_once(
    room: BatchWorld,
) -> None:
    batch_id = await room.batch(*[KNOWN] * 10, UNKNOWN)
    ids = await room.ordered()

    await asyncio.gather(
        *(room.world.record(STORED.about(one)) for one in ids[:8]),
        room.world.record(FAILED.about(ids[8])),
        cancel_document(ids[9], actor="anna", owner_id=None, use=room.use),
    )

    [fact] = await room.completed()
    assert fact.batch_id == batch_id
    assert (fact.completed, fact.failed, fact.cancelled, fact.rejected) == (8, 1, 1, 1)
    assert (await room.standing(batch_id)).completed_at is not None
    assert await room.use.batches.find_batch(batch_id, owner_id="globex") is None


async def test_two_replicas_never_have_more_under_way_than_allowed_and_never_get_stuck(
    room: BatchWorld,
) -> None:
    replicas = [room.world, World(room.pool, room.world.clock, 1000)]
    batch_id = await room.batch(*[KNOWN] * 40, *[URGENT] * 20)
    done: set[UUID] = set()
    while waiting := set(await room.ordered()) - done:
        watching: list[int] = []
        await asyncio.gather(
            _watch(room, watching),
            *(replicas[n % 2].record(STORED.about(one)) for n, one in enumerate(waiting)),
            *(release_documents(replicas[n % 2].use) for n in range(4)),
            advance_stalled(replicas[1].use),
        )
        assert max(watching) <= 10
        done |= waiting
        await room.release_all()

    assert len(done) == 60
    assert (await room.standing(batch_id)).counts == {"completed": 60}
    assert len(await room.completed()) == 1


async def _watch(room: BatchWorld, seen: list[int]) -> None:
    for _ in range(20):
        seen.append(await room.sent_and_open())


async def test_urgent_members_pass_a_window_that_is_full(database_url: str) -> None:
    async with batch_world(database_url, window=1) as room:
        batch_id = await room.batch(*[KNOWN] * 5, *[URGENT] * 12)
        assert [one.priority for one in await room.orders()] == [Priority.URGENT] * 10

        ended = await room.ordered()
        await room.world.record(*(STORED.about(one) for one in ended[:3]))
        await room.release_all()

        # Two urgent ones are left; the third place is for a normal one, which the window holds.
        orders = [one.priority for one in await room.orders()]
        assert orders[10:] == [Priority.URGENT] * 2
        assert await room.sent_and_open() == 9
        assert (await room.stages(batch_id))["held"] == 5


async def test_the_oldest_has_its_turn_for_urgent_members_too(database_url: str) -> None:
    async with batch_world(database_url, window=1) as room:
        await room.batch(*[URGENT] * 20)
        await room.batch(KNOWN)
        assert {one.filename for one in await room.orders()} == {"urgent.pdf"}

        await room.world.record(*(STORED.about(one) for one in await room.ordered()))
        await room.release_all()

        assert [one.filename for one in await room.orders()].count("a.pdf") == 1


async def test_an_urgent_document_begun_anew_waits_for_no_window(database_url: str) -> None:
    async with batch_world(database_url, window=1) as room:
        batch_id = await room.batch(URGENT)
        [document_id] = await room.ordered()
        await room.world.record(FAILED.about(document_id))
        await room.batch(*[KNOWN] * 3)

        assert await reprocess_document(document_id, owner_id=None, actor="anna", use=room.use)
        await room.release_all()

        assert (await room.ordered())[-1] == document_id
        assert (await room.standing(batch_id)).completed_at is None


async def test_a_member_begun_anew_waits_until_its_batch_has_room(room: BatchWorld) -> None:
    batch_id = await room.batch(*[KNOWN] * 15)
    first, *others = await room.ordered()
    await room.world.record(FAILED.about(first))
    await room.release_all()

    assert await reprocess_document(first, owner_id=None, actor="anna", use=room.use)
    await room.release_all()
    assert (await room.ordered()).count(first) == 1
    assert await room.sent_and_open() == 10

    await room.world.record(STORED.about(others[0]))
    await room.release_all()
    assert (await room.ordered()).count(first) == 2
    assert await room.stages(batch_id) == {"queued": 10, "done": 1, "held": 4}


async def test_a_batch_begun_anew_is_completed_once_more(room: BatchWorld) -> None:
    batch_id = await room.batch(*[KNOWN] * 2)
    ids = await room.ordered()
    await room.world.record(STORED.about(ids[0]), FAILED.about(ids[1]))

    await reprocess_document(ids[1], owner_id=None, actor="anna", use=room.use)
    assert (await room.standing(batch_id)).completed_at is None
    await room.world.record(Told(builders.stored, 1).about(ids[1]))
    await room.world.record(Told(builders.stored, 1).about(ids[1]))

    found = [(fact.revision, fact.completed, fact.failed) for fact in await room.completed()]
    assert found == [(1, 1, 1), (2, 2, 0)]


async def test_a_cancelled_batch_ends_in_one_commit_and_lets_nothing_more_go(
    room: BatchWorld,
) -> None:
    batch_id = await room.batch(*[KNOWN] * 1000)
    done = (await room.ordered())[0]
    await room.world.record(STORED.about(done))

    found = await asyncio.gather(
        *(cancel_batch(batch_id, actor="anna", use=room.use) for _ in range(3))
    )
    await room.release_all()

    assert sum(found) == 999
    assert len(await room.ordered()) == 10
    assert await room.pool.fetchval("SELECT count(*) FROM waiting") == 0
    [fact] = await room.completed()
    assert (fact.cancelled, fact.completed) == (999, 1)
    assert len(await room.bodies(DocumentCancelledV1)) == 999
    assert len(await room.bodies(DocumentEndedV1)) == 1000
    commits = await room.pool.fetch(
        "SELECT DISTINCT completed_at FROM documents WHERE status = 'cancelled'"
    )
    assert len(commits) == 1
    timeline = await room.world.timeline((await room.ordered())[1])
    assert timeline == [(1, "document.accepted"), (2, "document.cancelled")]


async def test_of_a_cancel_and_results_each_document_has_one_end(room: BatchWorld) -> None:
    batch_id = await room.batch(*[KNOWN] * 40)
    ids = await room.ordered()

    cancelling = asyncio.ensure_future(cancel_batch(batch_id, actor="anna", use=room.use))
    await asyncio.gather(
        cancelling,
        *(room.world.record(STORED.about(one)) for one in ids),
        *(release_documents(room.use) for _ in range(5)),
    )
    cancelled = cancelling.result() + await cancel_batch(batch_id, actor="anna", use=room.use)
    await room.world.record(*(STORED.about(one) for one in await room.ordered()))

    counts = (await room.standing(batch_id)).counts
    assert counts.get("cancelled", 0) == cancelled
    assert (
        sum(counts.values()) == sum(map(counts.get, ("completed", "cancelled"), (0, 0))) == 40
    )
    assert len(await room.completed()) == 1


async def test_who_lets_the_next_go_waits_for_none_that_is_being_ended(
    room: BatchWorld,
) -> None:
    batch_id = await room.batch(*[KNOWN] * 12)
    members = [one.document_id for one in await room.use.batches.list_members(batch_id)]

    async with room.use.ledger.unit() as unit:
        assert await room.use.endings.cancel_documents(
            unit, {members[10]: new_id()}, owner_id=None
        )
        async with asyncio.timeout(5):
            await room.world.record(STORED.about(members[0]))
    await room.release_all()

    assert (await room.ordered())[10:] == [members[11]]


async def test_a_deleted_member_counts_as_ended(room: BatchWorld) -> None:
    batch_id = await room.batch(*[KNOWN] * 11)
    first, *_ = await room.ordered()

    await delete_document(first, owner_id=None, actor="anna", use=room.use)
    await room.release_all()
    ordered = await room.ordered()
    await room.world.record(*(STORED.about(one) for one in ordered))
    await delete_document(ordered[1], owner_id=None, actor="anna", use=room.use)

    assert len(ordered) == 11
    assert (await room.standing(batch_id)).counts == {"deleted": 2, "completed": 9}
    [fact] = await room.completed()
    assert (fact.completed, fact.cancelled) == (10, 1)


async def test_a_deleted_batch_keeps_no_name_and_is_listed_no_more(room: BatchWorld) -> None:
    batch_id = await room.batch(*[KNOWN] * 3, UNKNOWN)

    for _ in range(2):
        await delete_batch(batch_id, actor="anna", use=room.use)

    batch = await room.standing(batch_id)
    assert (batch.counts, batch.deleted_at is None) == ({"deleted": 3}, False)
    assert "unknown.pdf" not in repr(batch)
    assert await room.use.batches.list_batches(Page(builders.OWNER, 10)) == []
    assert len(await room.completed()) == 1


async def test_a_batch_that_nobody_moves_is_moved_on(room: BatchWorld) -> None:
    batch_id = await room.batch(*[KNOWN] * 30)
    assert await advance_stalled(room.use) == 0
    use = replace(room.use, batches=PostgresBatches(room.pool, at_once=15))

    found = await asyncio.gather(*(advance_stalled(use) for _ in range(4)))
    await room.release_all()

    assert 1 in found
    assert await advance_stalled(use) == 0
    assert len(await room.ordered()) == 15
    assert (await room.stages(batch_id))["held"] == 15


async def test_an_end_that_nobody_noticed_completes_its_batch_once(room: BatchWorld) -> None:
    batch_id = await room.batch(KNOWN)
    await room.pool.execute(
        "UPDATE documents SET status = 'failed', rank = 90, completed_at = now()"
        " WHERE document_id IN (SELECT document_id FROM batch_members)"
    )

    await asyncio.gather(*(advance_stalled(room.use) for _ in range(4)))
    await advance_stalled(room.use)

    [fact] = await room.completed()
    assert (fact.batch_id, fact.failed, fact.revision) == (batch_id, 1, 1)

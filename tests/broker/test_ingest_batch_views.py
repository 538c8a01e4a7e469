"""What a real PostgreSQL tells of batches: pages, standings, and what is still open."""

from collections.abc import AsyncIterator

import pytest

from services.ingest.adapters.batches import PostgresStandings
from services.ingest.ports import Page
from tests import builders
from tests.broker.batch_world import KNOWN, URGENT, BatchWorld, batch_world
from tests.broker.ingest_world import Told

STARTED, STORED = Told(builders.started), Told(builders.stored)


@pytest.fixture
async def room(database_url: str) -> AsyncIterator[BatchWorld]:
    async with batch_world(database_url) as room:
        yield room


async def test_what_is_held_is_cancelled_before_what_could_let_it_go(room: BatchWorld) -> None:
    batch_id = await room.batch(*[KNOWN] * 9, *[URGENT] * 11)
    members = await room.use.batches.list_members(batch_id)
    held = {member.document_id for member in members if member.stage == "held"}

    first = await room.use.batches.list_open_members(batch_id, limit=10)

    assert {*first} == held


async def test_what_is_told_of_a_batch_grows_with_every_change(room: BatchWorld) -> None:
    batch_id = await room.batch(*[KNOWN] * 2)
    standings = PostgresStandings(room.pool)
    seen, ids = 0, await room.ordered()
    told = []
    for fact in (STARTED.about(ids[0]), STORED.about(ids[0]), STORED.about(ids[1])):
        await room.world.record(fact)
        [(_, event)] = await standings.list_new_events({batch_id: seen}, limit=100)
        assert await standings.list_new_events({batch_id: event.seq}, limit=100) == []
        assert event.seq > seen
        seen = event.seq
        told.append((event.type, event.body["progress"]))

    assert [kind for kind, _ in told] == ["batch.progress"] * 2 + ["batch.completed"]
    assert [progress for _, progress in told] == sorted(progress for _, progress in told)
    assert told[-1][1] == 100


async def test_a_batch_is_not_at_the_end_before_its_last_document_is(room: BatchWorld) -> None:
    batch_id = await room.batch(*[KNOWN] * 250)
    await room.release_all()
    *ended, last = [one.document_id for one in await room.use.batches.list_members(batch_id)]

    await room.world.record(*(STORED.about(one) for one in ended))

    assert (await room.standing(batch_id)).progress == 99
    await room.world.record(STORED.about(last))
    assert (await room.standing(batch_id)).progress == 100


async def test_batches_are_listed_newest_first_and_page_by_page(room: BatchWorld) -> None:
    made = [await room.batch(KNOWN) for _ in range(5)]

    for owner_id in (builders.OWNER, None):
        first = await room.use.batches.list_batches(Page(owner_id, 3))
        last = first[-1]
        page = Page(owner_id, 3, last.created_at, last.batch_id)
        second = await room.use.batches.list_batches(page)
        assert [one.batch_id for one in (*first, *second)] == made[::-1]
    assert await room.use.batches.list_batches(Page("globex", 3)) == []

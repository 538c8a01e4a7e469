"""The one query behind all event streams, and a stream fed by it, in a real PostgreSQL."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from services.ingest.adapters.timelines import PostgresTimelines
from services.ingest.handlers.follow import Feed
from tests import builders
from tests.broker.ingest_world import Told, World, ingest_world

LIFE = [Told(builders.started), Told(builders.extracted), Told(builders.stored)]


@pytest.fixture(scope="module")
async def world(database_url: str) -> AsyncIterator[World]:
    async with ingest_world(database_url) as world:
        yield world


async def test_each_document_is_read_from_its_own_position(world: World) -> None:
    new, known, done, unwatched = await world.all_accepted([builders.OWNER] * 4)
    for one in (new, known, done, unwatched):
        for fact in LIFE:
            await world.record(fact.about(one))

    found = await PostgresTimelines(world.pool).list_new_events(
        {new: 0, known: 3, done: 4}, limit=2
    )

    read = {(document_id, event.seq) for document_id, event in found}
    assert read == {(new, 1), (new, 2), (known, 4)}
    assert {event.type for document_id, event in found if document_id == known} == {
        "document.stored"
    }


async def test_twenty_reconnects_leave_no_gap_and_repeat_nothing(world: World) -> None:
    document_id = await world.accepted()
    feed, stopping = Feed(PostgresTimelines(world.pool), every_s=0.01), asyncio.Event()
    running = asyncio.create_task(feed.run(stopping))
    seen: list[int] = []

    for attempt in range(1, 21):
        with feed.watching(document_id, after_seq=seen[-1] if seen else 0) as stream:
            await world.record(
                Told(builders.progressed, 0, (("percent", attempt),)).about(document_id),
                Told(builders.progressed, 0, (("percent", attempt),)).about(document_id),
            )
            found = await stream.events(within_s=5)
            seen += [event.seq for event in found[:1]]

    with feed.watching(document_id, after_seq=seen[-1]) as stream:
        while found := await stream.events(within_s=0.5 if len(seen) >= 41 else 5):
            seen += [event.seq for event in found]
    stopping.set()
    await running
    assert seen == [*range(1, 42)]

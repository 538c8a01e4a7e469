"""Following a document by server-sent events, and uploads that wait for their end."""

import asyncio
from collections.abc import AsyncIterator
from types import SimpleNamespace
from uuid import UUID, uuid4

import httpx
import pytest
from starlette.requests import Request

from services.ingest.api.events import follow
from services.ingest.handlers.follow import WAITING_EVENTS_MAX, Feed
from tests import builders
from tests.eventually import eventually
from tests.fakes.keys import SpeakingKeys
from tests.fakes.timelines import Timelines
from tests.unit.ingest.desk import REVIEWER, STRANGER, SUBMITTER, Desk, is_problem

DOCUMENT_ID = uuid4()
STREAM = SUBMITTER | {"Accept": "text/event-stream"}


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    desk = Desk()
    async with desk.client:
        yield desk


def ids(answer: httpx.Response) -> list[int]:
    lines = answer.text.splitlines()
    return [int(line.removeprefix("id: ")) for line in lines if line.startswith("id: ")]


async def watched(desk: Desk) -> bool:
    return bool(desk.feed._streams)


async def test_a_document_is_followed_until_it_has_ended(desk: Desk) -> None:
    document_id = await desk.accepted()
    reading = asyncio.create_task(desk.get(f"/v1/documents/{document_id}/events", STREAM))
    await eventually(lambda: watched(desk))

    await desk.told(builders.started(document_id=document_id))
    await desk.feed.look()
    await desk.told(
        builders.stored(document_id=document_id), builders.ended(document_id=document_id)
    )
    await desk.feed.look()
    answer = await reading

    assert answer.headers["content-type"].startswith("text/event-stream")
    assert ids(answer) == [1, 2, 3, 4]
    assert answer.text.startswith("id: 1\nevent: document.accepted\ndata: {")
    assert not desk.feed._streams


async def test_a_dropped_stream_is_resumed_without_a_gap_or_a_repetition(desk: Desk) -> None:
    document_id = await desk.accepted()
    await desk.told(
        builders.started(document_id=document_id),
        builders.stored(document_id=document_id),
        builders.ended(document_id=document_id),
    )
    path = f"/v1/documents/{document_id}/events"

    whole = await desk.get(path, STREAM)
    rest = await desk.get(path, STREAM | {"Last-Event-ID": "2"})
    over = await desk.get(path, STREAM | {"Last-Event-ID": "4"})

    assert ids(whole) == [1, 2, 3, 4]
    assert ids(rest) == [3, 4]
    assert (over.status_code, over.content) == (204, b"")


async def test_whoever_claims_to_have_seen_what_has_not_happened_misses_nothing(
    desk: Desk,
) -> None:
    document_id = await desk.accepted()
    path = f"/v1/documents/{document_id}/events"
    ahead = STREAM | {"Last-Event-ID": "2147483647"}
    reading = asyncio.create_task(desk.get(path, ahead))
    await eventually(lambda: watched(desk))

    await desk.told(
        builders.stored(document_id=document_id), builders.ended(document_id=document_id)
    )
    await desk.feed.look()

    async with asyncio.timeout(5):
        assert ids(await reading) == [2, 3]


async def test_a_deleted_document_ends_its_streams(desk: Desk) -> None:
    document_id = await desk.accepted()
    reading = asyncio.create_task(desk.get(f"/v1/documents/{document_id}/events", STREAM))
    await eventually(lambda: watched(desk))

    await desk.client.delete(f"/v1/documents/{document_id}", headers=SUBMITTER)
    await desk.feed.look()

    assert "event: document.deleted" in (await reading).text


async def test_a_stream_opens_for_nobody_else(desk: Desk) -> None:
    document_id = await desk.accepted()
    path = f"/v1/documents/{document_id}/events"

    is_problem(await desk.get(path, STREAM | STRANGER), 404, "no-such-document")
    is_problem(await desk.get(path, {"Accept": "text/event-stream"}), 401, "unauthenticated")
    bad = await desk.get(path, STREAM | {"Last-Event-ID": "-1"})
    is_problem(bad, 422, "invalid")


async def test_no_more_streams_are_opened_than_the_limit(desk: Desk) -> None:
    document_id = await desk.accepted()
    path = f"/v1/documents/{document_id}/events"

    with (
        desk.feed.watching(UUID(document_id), after_seq=0),
        desk.feed.watching(UUID(document_id), after_seq=0),
        desk.feed.watching(UUID(document_id), after_seq=0),
    ):
        is_problem(await desk.get(path, STREAM), 503, "too-many-streams")


async def test_one_key_leaves_room_for_the_streams_of_others(desk: Desk) -> None:
    document_id = await desk.accepted()
    path = f"/v1/documents/{document_id}/events"
    reading = asyncio.create_task(desk.get(path, STREAM))
    await eventually(lambda: watched(desk))

    is_problem(await desk.get(path, STREAM), 429, "too-many-at-once")
    other = asyncio.create_task(desk.get(path, STREAM | REVIEWER))
    await eventually(lambda: len(desk.feed._streams[UUID(document_id)]) == 2)

    await desk.told(builders.ended(document_id=UUID(document_id)))
    await desk.feed.look()
    assert ids(await reading) == ids(await other) == [1, 2]
    # Those that have ended count no more.
    assert not desk.feed._watchers


async def test_an_upload_may_wait_for_its_end(desk: Desk) -> None:
    uploading = asyncio.create_task(desk.upload(prefer="respond-async, wait=5"))
    await eventually(lambda: watched(desk))
    [document_id] = desk.documents.rows

    await desk.told(
        builders.stored(document_id=document_id), builders.ended(document_id=document_id)
    )
    await desk.feed.look()
    answer = await uploading

    assert (answer.status_code, answer.json()["status"]) == (202, "completed")
    assert answer.headers["preference-applied"] == "wait=5"
    assert not desk.feed._streams


def request_of(desk: Desk, key: str = "acme:submitter") -> Request:
    state = SimpleNamespace(
        feed=desk.feed, authenticator=SpeakingKeys(), sessions=None, rates=None
    )
    headers = [(b"authorization", f"Bearer {key}".encode())]
    scope = {"type": "http", "headers": headers, "app": SimpleNamespace(state=state)}
    request = Request(scope)
    request.state.caller = SimpleNamespace(key_id=key)
    return request


async def test_a_silent_stream_says_that_it_is_still_there(desk: Desk) -> None:
    document_id = UUID(await desk.accepted())

    frames = follow(document_id, [], 1, request_of(desk), feed=desk.feed, ask_again_s=0.01)

    assert await anext(frames) == ": still here\n\n"
    await frames.aclose()  # type: ignore[attr-defined] # it is a generator
    assert not desk.feed._streams


async def test_a_revoked_key_stops_listening(desk: Desk) -> None:
    document_id = UUID(await desk.accepted())

    revoked = request_of(desk, "revoked")
    frames = follow(document_id, [], 1, revoked, feed=desk.feed, ask_again_s=60)

    assert [frame async for frame in frames] == []


async def test_one_query_serves_all_who_watch() -> None:
    timelines = Timelines(events=5)
    feed = Feed(timelines)
    one, other = builders.started().document_id, builders.started().document_id

    with (
        feed.watching(one, after_seq=0) as early,
        feed.watching(one, after_seq=3) as late,
        feed.watching(other, after_seq=5) as done,
    ):
        await feed.look()
        await feed.look()

        assert timelines.asked == [{one: 0, other: 5}, {one: 5, other: 5}]
        assert [event.seq for event in await early.events(within_s=1)] == [1, 2, 3, 4, 5]
        assert [event.seq for event in await late.events(within_s=1)] == [4, 5]
        assert await done.events(within_s=0.01) == []


async def test_a_slow_reader_misses_nothing_and_holds_nobody_up() -> None:
    feed = Feed(Timelines(events=WAITING_EVENTS_MAX + 20))
    document_id = builders.started().document_id
    read: list[int] = []

    with feed.watching(document_id, after_seq=0) as stream:
        for _ in range(3):
            await feed.look()
            await feed.look()
            read += [event.seq for event in await stream.events(within_s=0.01)]

    assert read == [*range(1, WAITING_EVENTS_MAX + 21)]


async def test_the_end_of_the_process_ends_all_streams_and_an_outage_none() -> None:
    timelines = Timelines(events=1)
    timelines.away = True
    feed, stopping = Feed(timelines, every_s=0.01), asyncio.Event()

    with feed.watching(builders.started().document_id, after_seq=0) as stream:
        running = asyncio.create_task(feed.run(stopping))
        await eventually(lambda: len(timelines.asked) > 2)
        assert not stream.closed
        timelines.away = False
        assert [event.seq for event in await stream.events(within_s=5)] == [1]
        stopping.set()
        await running

        assert feed.is_full
        assert await stream.events(within_s=60) == []


async def test_whoever_comes_while_nobody_watched_is_looked_for_at_once() -> None:
    looked, stopping = asyncio.Event(), asyncio.Event()

    class Seen(Feed):
        async def look(self) -> None:
            looked.set()
            await super().look()

    # Its ticks are years apart.
    feed = Seen(Timelines(events=1), every_s=1e8)
    async with asyncio.TaskGroup() as group:
        group.create_task(feed.run(stopping))
        await looked.wait()
        with feed.watching(builders.started().document_id, after_seq=0) as stream:
            assert [event.seq for event in await stream.events(within_s=5)] == [1]
        stopping.set()


async def test_who_comes_while_others_are_looked_for_is_not_sent_ahead_of_himself() -> None:
    timelines = Timelines(events=6)
    feed = Feed(timelines)

    with feed.watching(DOCUMENT_ID, after_seq=5) as ahead:
        timelines.meanwhile = asyncio.Event()
        looking = asyncio.create_task(feed.look())
        await eventually(lambda: timelines.asked)
        with feed.watching(DOCUMENT_ID, after_seq=3) as behind:
            timelines.meanwhile.set()
            await looking
            await feed.look()

            # Resumed at 3, he has not seen 4 and 5, which the look had not asked for.
            assert [event.seq for event in await behind.events(within_s=1)] == [4, 5, 6]
        assert [event.seq for event in await ahead.events(within_s=1)] == [6]

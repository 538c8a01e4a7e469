"""What was read of a batch, over HTTP, and how far it is while it is read."""

import asyncio
import json
from collections.abc import AsyncIterator
from uuid import UUID

import pytest

from services.ingest.api.events import follow
from services.ingest.handlers import reprocess_document
from tests import builders
from tests.eventually import eventually
from tests.unit.ingest.desk import SUBMITTER, Desk
from tests.unit.ingest.test_api_batches import done, send
from tests.unit.ingest.test_events import request_of

PDF = builders.PDF
LINES = {"Accept": "application/jsonl"}


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    desk = Desk()
    async with desk.client:
        yield desk


async def test_results_come_in_pages_or_as_lines(desk: Desk) -> None:
    batch = (await send(desk, *[(f"{n}.pdf", PDF) for n in range(3)])).json()
    path = batch["links"]["result"]
    await desk.told(builders.failed(document_id=batch["items"][0]["document_id"]))
    await done(desk, {**batch, "items": batch["items"][1:]})

    first = (await desk.get(f"{path}?limit=2")).json()
    second = (await desk.get(first["next"])).json()
    lines = await desk.get(path, SUBMITTER | LINES)

    shown = [*first["items"], *second["items"]]
    assert [one["position"] for one in shown] == [0, 1, 2]
    assert (first["counts"], second["next"]) == ({"failed": 1, "completed": 2}, None)
    assert lines.headers["content-type"].startswith("application/jsonl")
    read = [json.loads(line) for line in lines.text.splitlines()]
    assert [one["result"] for one in read] == [None, {"total": "119.00"}, {"total": "119.00"}]
    assert [one["links"] for one in read] == [one["links"] for one in shown]
    tag = lines.headers["etag"]
    again = SUBMITTER | LINES | {"If-None-Match": tag}
    assert (await desk.get(path, again)).status_code == 304


async def test_a_result_outlives_the_failure_of_reading_it_anew(desk: Desk) -> None:
    batch = (await send(desk, ("a.pdf", PDF))).json()
    await done(desk, batch)
    document_id = UUID(batch["items"][0]["document_id"])
    assert await reprocess_document(
        document_id, owner_id=None, actor="otto", use=desk.use, force=True
    )
    await desk.told(builders.failed(document_id=document_id), run=1)

    lines = await desk.get(batch["links"]["result"], SUBMITTER | LINES)
    alone = await desk.get(f"/v1/documents/{document_id}/result")

    read = json.loads(lines.text)
    assert (read["status"], read["result"]) == ("failed", alone.json())


async def test_a_result_that_is_gone_does_not_keep_the_others_back(desk: Desk) -> None:
    batch = (await send(desk, ("a.pdf", PDF), ("b.pdf", PDF))).json()
    await desk.told(builders.stored(document_id=batch["items"][0]["document_id"]))
    await done(desk, {**batch, "items": batch["items"][1:]})

    path = batch["links"]["result"]
    lines = await desk.get(path, SUBMITTER | {"Accept": "application/x-ndjson"})

    read = [json.loads(line)["result"] for line in lines.text.splitlines()]
    assert read == [None, {"total": "119.00"}]


async def test_a_batch_is_followed_until_it_is_complete(desk: Desk) -> None:
    batch = (await send(desk, ("a.pdf", PDF), ("b.pdf", PDF))).json()
    batch_id, path = UUID(batch["batch_id"]), batch["links"]["events"]
    frames = follow(batch_id, [], 2, request_of(desk), feed=desk.batch_feed)
    told = []
    for one in batch["items"]:
        await desk.told(builders.stored(document_id=one["document_id"]))
        told.append(await _told_next(desk, frames))

    assert [frame.splitlines()[1] for frame in told] == [
        "event: batch.progress",
        "event: batch.completed",
    ]
    with pytest.raises(StopAsyncIteration):
        await anext(frames)
    whole = await desk.get(path)
    assert (whole.status_code, whole.text) == (200, told[-1])
    seen = {"Last-Event-ID": told[-1].splitlines()[0].removeprefix("id: ")}
    assert (await desk.get(path, SUBMITTER | seen)).status_code == 204


async def test_nobody_has_seen_more_of_a_batch_than_there_is(desk: Desk) -> None:
    batch = (await send(desk, ("a.pdf", PDF))).json()
    ahead = SUBMITTER | {"Last-Event-ID": "2147483647"}
    reading = asyncio.create_task(desk.get(batch["links"]["events"], ahead))
    await eventually(lambda: bool(desk.batch_feed._streams))

    await desk.told(builders.stored(document_id=batch["items"][0]["document_id"]))
    await desk.batch_feed.look()

    async with asyncio.timeout(5):
        assert "event: batch.completed" in (await reading).text


async def _told_next(desk: Desk, frames: AsyncIterator[str]) -> str:
    frame, _ = await asyncio.gather(anext(frames), _looked(desk))
    return frame


async def _looked(desk: Desk) -> None:
    await eventually(lambda: bool(desk.batch_feed._streams))
    await desk.batch_feed.look()

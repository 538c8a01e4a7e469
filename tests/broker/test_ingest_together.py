"""Uploads that are complete at the same time are one commit, and still each its own."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Sequence

import pytest

from services.ingest.domain.documents import Details, NewDocument, Received, Scan
from services.ingest.handlers.accepting import new_document
from services.ingest.handlers.receive import accept_together
from shared.errors import Rejected
from shared.ledger.together import Alone, Turn
from shared.observability.tracing import span
from tests import builders
from tests.broker.ingest_world import SCAN, World, ingest_world

OTHER = Scan("sha256/11/" + "1" * 64, "1" * 64, 10, "application/pdf")


@pytest.fixture
async def world(database_url: str) -> AsyncIterator[World]:
    async with ingest_world(database_url) as world:
        yield world


async def test_a_key_used_for_something_else_is_refused_and_nobody_else_is(
    world: World,
) -> None:
    await accept_together(Alone([upload(world, "used")]), world.use)

    outcomes = await accept_together(
        Alone([upload(world, "new"), upload(world, "used", OTHER), upload(world, None)]),
        world.use,
    )

    assert [type(one) for one in outcomes] == [Received, Rejected, Received]
    assert await world.pool.fetchval("SELECT count(*) FROM documents") == 3


async def test_one_key_twice_in_one_commit_is_one_document(world: World) -> None:
    first, second, other = [upload(world, "same"), upload(world, "same"), upload(world, "not")]

    outcomes = await accept_together(Alone([first, second, other]), world.use)

    assert outcomes == [
        Received(first.document_id),
        Received(first.document_id, replayed=True),
        Received(other.document_id),
    ]


async def test_one_key_for_two_things_in_one_commit_is_the_first_one(world: World) -> None:
    first, second = upload(world, "same"), upload(world, "same", OTHER)

    outcomes = await accept_together(Alone([first, second]), world.use)

    assert outcomes[0] == Received(first.document_id)
    assert isinstance(outcomes[1], Rejected)


async def test_every_document_keeps_the_trace_of_its_own_request(world: World) -> None:
    uploads, traces = [], {}
    for _ in range(3):
        with span("upload") as request:
            one = upload(world, None)
            uploads.append(one)
            traces[str(one.document_id)] = request.trace_id

    with span("whoever commits"):
        await accept_together(Alone(uploads), world.use)

    rows = await world.pool.fetch("SELECT body, headers FROM outbox")
    told = [(json.loads(row["body"]), json.loads(row["headers"])) for row in rows]
    assert len(told) == 6
    for message, headers in told:
        trace_id = traces[message["body"]["document_id"]]
        assert message["tracing"]["trace_id"] == trace_id
        assert headers["traceparent"].split("-")[1] == trace_id


async def test_a_hundred_at_once_are_few_commits(world: World) -> None:
    uploads = [upload(world, None) for _ in range(100)]
    commits: Counter[str] = Counter()

    async def counted(turn: Turn[NewDocument]) -> Sequence[Received | Rejected]:
        commits["opened"] += 1
        return await accept_together(turn, world.use)

    outcomes = await asyncio.gather(*(world.use.together(one, counted) for one in uploads))

    assert {type(one) for one in outcomes} == {Received}
    assert commits.total() == 2
    assert await world.pool.fetchval("SELECT count(*) FROM documents") == 100


def upload(world: World, key: str | None, scan: Scan = SCAN) -> NewDocument:
    return new_document(scan, Details(builders.OWNER, "a.pdf", idempotency_key=key), world.use)

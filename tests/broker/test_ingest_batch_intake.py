"""Batches on their way into a real PostgreSQL: one key, one commit, as many statements."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from services.ingest.api import Front, build
from services.ingest.domain.batches import ROUTE, NothingAccepted
from services.ingest.handlers import delete_document
from services.ingest.handlers.batches import (
    DELETED_AT_ONCE,
    BatchReceived,
    cancel_batch,
    delete_batch,
    receive_files,
    receive_references,
)
from services.ingest.handlers.follow import Feed
from services.ingest.ports import Ports
from shared import failpoints
from shared.contracts.orders import ExtractDocumentV1
from shared.errors import Rejected
from shared.failpoints import FailpointHit
from shared.web.cursors import Cursors
from tests import builders
from tests.broker.batch_world import KNOWN, UNKNOWN, BatchWorld, CountingPool, batch_world
from tests.broker.ingest_world import World
from tests.fakes.documents import InMemoryDocuments
from tests.fakes.keys import SpeakingKeys, key_of
from tests.fakes.parts import FakeParts

SUBMITTER = key_of(builders.OWNER, "submitter")
PDF = builders.PDF
INSTANTS = [
    "ingest.before_commit",
    "unit.before_commit",
    "unit.after_commit",
    "ingest.after_commit",
]


@pytest.fixture
async def room(database_url: str) -> AsyncIterator[BatchWorld]:
    async with batch_world(database_url) as room:
        yield room


@pytest.fixture
def crashes() -> Iterator[None]:
    yield
    failpoints.disarm()


def _files(count: int) -> list[tuple[str, bytes]]:
    return [(f"{n}.pdf", PDF + str(n % 7).encode()) for n in range(count)]


async def _received(use: Ports, count: int, key: str | None = "night-1") -> BatchReceived:
    return await receive_files(builders.OWNER, FakeParts(_files(count)), key, use)


async def test_simultaneous_requests_with_one_key_are_one_batch(room: BatchWorld) -> None:
    received = await asyncio.gather(*(_received(room.use, 5) for _ in range(8)))

    assert len({one.batch_id for one in received}) == 1
    assert sum(not one.replayed for one in received) == 1
    assert await room.pool.fetchval("SELECT count(*) FROM batch_members") == 5
    assert len(await room.bodies(ExtractDocumentV1)) == 5


async def test_of_different_requests_with_one_key_one_wins(room: BatchWorld) -> None:
    found = await asyncio.gather(
        *(_received(room.use, 3 + n % 2) for n in range(6)), return_exceptions=True
    )

    batches = {one.batch_id for one in found if isinstance(one, BatchReceived)}
    assert len(batches) == 1
    refused = [one for one in found if isinstance(one, BaseException)]
    assert {getattr(one, "reason", None) for one in refused} == {"idempotency_mismatch"}
    assert len(refused) == 3


async def test_a_key_is_judged_by_what_was_asked_and_not_by_what_exists_now(
    room: BatchWorld,
) -> None:
    first = await room.batch(KNOWN, UNKNOWN, key="night-1")
    for row in await room.pool.fetch("SELECT document_id FROM documents"):
        await delete_document(row[0], owner_id=None, actor="anna", use=room.use)

    assert await room.batch(KNOWN, UNKNOWN, key="night-1") == first
    with pytest.raises(Rejected, match="idempotency_mismatch"):
        await room.batch(KNOWN, key="night-1")


async def test_a_request_of_which_nothing_was_accepted_leaves_its_key_free(
    room: BatchWorld,
) -> None:
    with pytest.raises(NothingAccepted):
        await room.batch(UNKNOWN, key="night-1")
    assert await room.pool.fetchval("SELECT count(*) FROM idempotency_keys") == 0

    batch_id = await room.batch(KNOWN, key="night-1")
    assert (await room.standing(batch_id)).documents == 1


async def test_a_key_that_has_expired_stands_for_a_new_batch(room: BatchWorld) -> None:
    first = await room.batch(KNOWN, KNOWN, key="night-1")
    await room.pool.execute("UPDATE idempotency_keys SET expires_at = now()")

    assert await room.batch(KNOWN, key="night-1") != first


async def test_a_repetition_that_would_find_more_today_holds_no_key_for_longer(
    room: BatchWorld,
) -> None:
    first = await room.batch(KNOWN, UNKNOWN, key="night-1")
    await room.pool.execute("UPDATE idempotency_keys SET expires_at = now() + interval '1 min'")
    found = await room.world.accepted()
    await room.pool.execute(
        "UPDATE documents SET content_key = $1 WHERE document_id = $2",
        UNKNOWN.content_key,
        found,
    )

    assert await room.batch(KNOWN, UNKNOWN, key="night-1") == first
    await room.pool.execute(
        "UPDATE idempotency_keys SET expires_at = expires_at - interval '1 min'"
    )

    assert await room.batch(KNOWN, UNKNOWN, key="night-1") != first


async def test_the_same_key_stands_for_a_document_and_for_a_batch(room: BatchWorld) -> None:
    await room.batch(KNOWN, key="night-1")
    other = await room.batch(KNOWN, KNOWN, key="night-1:0")

    routes = await room.pool.fetch(
        "SELECT DISTINCT route FROM idempotency_keys WHERE document_id = $1", other
    )
    assert [row["route"] for row in routes] == [ROUTE]


@pytest.mark.usefixtures("crashes")
@pytest.mark.parametrize("instant", INSTANTS)
async def test_a_request_that_was_cut_off_is_one_batch_when_it_is_sent_again(
    room: BatchWorld, instant: str
) -> None:
    failpoints.arm(f"{instant}:raise")
    with pytest.raises(FailpointHit):
        await _received(room.use, 20)

    again = await _received(room.use, 20)

    assert again.replayed == instant.endswith("after_commit")
    assert await room.pool.fetchval("SELECT count(*) FROM batches") == 1
    assert await room.pool.fetchval("SELECT count(*) FROM batch_members") == 20
    assert len(await room.bodies(ExtractDocumentV1)) == 10


@pytest.mark.usefixtures("crashes")
async def test_a_cancel_that_was_cut_off_has_cancelled_all_or_none(room: BatchWorld) -> None:
    batch_id = await room.batch(*[KNOWN] * 30)
    failpoints.arm("unit.before_commit:raise")
    with pytest.raises(FailpointHit):
        await cancel_batch(batch_id, actor="anna", use=room.use)
    assert (await room.standing(batch_id)).counts == {"queued": 30}

    assert await cancel_batch(batch_id, actor="anna", use=room.use) == 30
    assert len(await room.completed()) == 1


async def _posted(room: BatchWorld, count: int) -> tuple[int, int]:
    """Statements for one form with so many files, and how many were accepted."""
    pool = CountingPool(room.pool)
    world = World(pool, room.world.clock, 1000)
    feeds = Feed(InMemoryDocuments()), Feed(InMemoryDocuments())
    front = Front(Cursors("a secret of the desk"), *feeds)
    app = build(world.use, SpeakingKeys(), front, upload_s=30, requests_max=10)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://ingest") as client:
        answer = await client.post(
            "/v1/batches",
            files=[("files", one) for one in [*_files(count), ("no.txt", b"no document")]],
            headers=SUBMITTER | {"Idempotency-Key": f"night-{count}"},
        )
    assert answer.status_code == 202
    batch = answer.json()
    assert (len(batch["items"]), batch["rejected_count"]) == (count, 1)
    assert (batch["documents"], batch["counts"]) == (count, {"queued": count})
    return pool.asked, batch["documents"]


async def test_a_form_of_any_size_is_accepted_with_as_many_statements(
    room: BatchWorld,
) -> None:
    few, _ = await _posted(room, 1)
    many, accepted = await _posted(room, 999)

    assert accepted == 999
    assert many == few <= 12


async def test_references_of_any_number_are_accepted_with_as_many_statements(
    room: BatchWorld,
) -> None:
    asked = []
    for size in (1, 1000):
        pool = CountingPool(room.pool)
        use = World(pool, room.world.clock, 1000).use
        await receive_references(builders.OWNER, [KNOWN] * size, f"night-{size}", use)
        asked.append(pool.asked)

    assert asked[0] == asked[1] <= 10
    assert await room.pool.fetchval("SELECT count(*) FROM batch_members") == 1001


async def test_a_batch_of_any_size_is_cancelled_with_as_many_statements(
    room: BatchWorld,
) -> None:
    asked = []
    for size in (2, 999):
        batch_id = await room.batch(*[KNOWN] * size)
        pool = CountingPool(room.pool)
        assert (
            await cancel_batch(batch_id, actor="anna", use=World(pool, room.world.clock).use)
            == size
        )
        asked.append(pool.asked)

    assert asked[0] == asked[1] <= 10


async def test_a_batch_of_any_size_is_deleted_with_as_many_statements(
    room: BatchWorld,
) -> None:
    asked = []
    for size in (2, DELETED_AT_ONCE):
        batch_id = await room.batch(*[KNOWN] * size)
        pool = CountingPool(room.pool)
        use = World(pool, room.world.clock).use
        await delete_batch(batch_id, actor="anna", use=use)
        asked.append(pool.asked)

    assert asked[0] == asked[1] <= 24
    told = await room.pool.fetchval(
        "SELECT count(*) FROM audit_log WHERE entry ->> 'action' = 'document_deleted'"
    )
    assert told == 2 + DELETED_AT_ONCE


async def test_a_batch_is_deleted_over_several_commits(room: BatchWorld) -> None:
    batch_id = await room.batch(*[KNOWN] * (DELETED_AT_ONCE + 1))

    await delete_batch(batch_id, actor="anna", use=room.use)

    assert (await room.standing(batch_id)).counts == {"deleted": DELETED_AT_ONCE + 1}

"""Facts against rows in a real PostgreSQL: late, twice, replayed, and in any order.

The same facts are played to the in-memory documents and to the rows: where they differ, unit
tests lie.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from uuid import uuid4

import pytest

from services.ingest.handlers import record_facts
from shared.bus.jobs import Job
from shared.contracts.body import DocumentFact
from shared.contracts.facts import DocumentEndedV1
from shared.contracts.identity import new_id
from tests import builders
from tests.broker.ingest_world import Told, World, ingest_world, lasting, new_document
from tests.broker.test_round_trips import asked_of
from tests.eventually import eventually
from tests.fakes.batches import InMemoryBatches
from tests.fakes.blobs import InMemoryBlobs
from tests.fakes.clock import FakeClock
from tests.fakes.documents import InMemoryDocuments
from tests.fakes.ledger import FakeLedger
from tests.fakes.releases import InMemoryReleases
from tests.fakes.webhooks import InMemoryWebhooks

HOLD = "SELECT FROM documents WHERE document_id = $1 FOR UPDATE"
WAITING = (
    "SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))"
)
NEXT = """
INSERT INTO document_events (document_id, seq, type, fact_id, body)
VALUES ($1, 2, 'document.waiting', $2, '{}')
"""

STARTED, EXTRACTED = Told(builders.started), Told(builders.extracted)
FAILED, STORED = Told(builders.failed), Told(builders.stored)
STARTED_AGAIN, STORED_AGAIN = Told(builders.started, 1), Told(builders.stored, 1)
FAILED_AGAIN = Told(builders.failed, 1)
DUPLICATE = Told(builders.stored, 0, (("duplicate", True),))

LIVES = {
    "started": ([STARTED], "processing"),
    "a late start moves nothing back": ([EXTRACTED, STARTED], "processing"),
    "stored": ([STARTED, EXTRACTED, STORED], "completed"),
    "stored before anything else arrives": ([STORED, EXTRACTED, STARTED], "completed"),
    "a copy of known content": ([STARTED, EXTRACTED, DUPLICATE], "duplicate"),
    "failed": ([STARTED, FAILED], "failed"),
    "the first to end a run wins, stored": ([STORED, FAILED], "completed"),
    "the first to end a run wins, failed": ([FAILED, STORED], "failed"),
    "a replay reopens what failed": ([FAILED, STARTED_AGAIN], "processing"),
    "a replay that waits reopens it too": ([FAILED, Told(builders.waiting, 1)], "queued"),
    "a replay completes it": ([FAILED, STARTED_AGAIN, STORED_AGAIN], "completed"),
    "a replay fails again": ([FAILED, STARTED_AGAIN, FAILED_AGAIN], "failed"),
    "a late failure does not end the replay": ([STARTED_AGAIN, FAILED], "processing"),
    "a result of the first run ends the replay": ([STARTED_AGAIN, STORED], "completed"),
    "a replay does not reopen what is stored": ([STORED, STARTED_AGAIN], "completed"),
    "what ingest told itself moves nothing": (
        [Told(builders.accepted), Told(builders.ended), Told(builders.cancelled)],
        "queued",
    ),
}
every_life = pytest.mark.parametrize(("facts", "status"), LIVES.values(), ids=LIVES.keys())


@pytest.fixture(scope="module")
async def world(database_url: str) -> AsyncIterator[World]:
    async with ingest_world(database_url) as world:
        yield world


@every_life
async def test_facts_move_a_document_forwards_only(
    world: World, facts: list[Told], status: str
) -> None:
    document_id = await world.accepted()

    for fact in facts:
        await world.record(fact.about(document_id))

    document = await world.document(document_id)
    assert document.status == status
    assert (document.completed_at is None) == (status in ("queued", "processing"))


@every_life
async def test_a_batch_moves_a_document_as_its_facts_would_one_by_one(
    world: World, facts: list[Told], status: str
) -> None:
    document_id = await world.accepted()

    await world.record(*(fact.about(document_id) for fact in facts))

    assert (await world.document(document_id)).status == status


async def test_a_document_ends_once_however_often_it_is_told(world: World) -> None:
    document_id = await world.accepted()
    facts = [fact.about(document_id) for fact in (STARTED, EXTRACTED, STORED)]

    await world.record(*facts)
    await world.record(*facts, *facts)
    for fact in reversed(facts):
        await world.record(fact)

    assert await world.ended(document_id) == ["completed"]
    assert await world.timeline(document_id) == [
        (1, "document.accepted"),
        (2, "document.started"),
        (3, "document.extracted"),
        (4, "document.stored"),
    ]


async def test_each_end_of_a_replayed_document_is_announced(world: World) -> None:
    document_id = await world.accepted()

    for fact in (FAILED, STARTED_AGAIN, STORED_AGAIN):
        await world.record(fact.about(document_id))

    assert await world.ended(document_id) == ["failed", "completed"]


async def test_the_announced_end_comes_back_and_changes_nothing(world: World) -> None:
    document_id = await world.accepted()
    await world.record(STORED.about(document_id))
    before = await world.document(document_id)

    await world.record(Told(builders.ended).about(document_id))

    assert await world.document(document_id) == before
    assert (await world.timeline(document_id))[-1] == (3, "document.ended")
    assert await world.ended(document_id) == ["completed"]


@pytest.mark.parametrize("kind", [builders.ended, builders.review_opened])
async def test_a_timeline_is_continued_by_one_at_a_time(
    world: World, kind: Callable[..., DocumentFact]
) -> None:
    document_id = await world.accepted()

    # Also by a fact that changes nothing: two would give the same number.
    async with world.pool.transaction() as connection:
        await connection.execute(HOLD, document_id)
        other = asyncio.ensure_future(world.record(Told(kind).about(document_id)))
        await eventually(lambda: connection.fetch(WAITING))
        await connection.execute(NEXT, document_id, new_id())
    await other

    assert [seq for seq, _ in await world.timeline(document_id)] == [1, 2, 3]


async def test_facts_of_a_document_nobody_knows_are_ignored(world: World) -> None:
    stranger = uuid4()

    await world.record(STORED.about(stranger))

    assert await world.documents.find_document(stranger, owner_id=None) is None
    assert await world.timeline(stranger) == []


LIFE = (
    Told(builders.accepted),
    Told(builders.waiting, 0, (("attempt", 1),)),
    STARTED,
    Told(builders.progressed),
    Told(builders.waiting, 0, (("attempt", 2),)),
    Told(builders.started, 0, (("attempt", 2),)),
    Told(builders.failed, 0, (("attempts", 4),)),
    STARTED_AGAIN,
    Told(builders.extracted, 1, (("confidence", 0.7),)),
    Told(builders.waiting, 1, (("stage", "storage.store"), ("attempt", 2))),
    Told(builders.stored, 1, (("confidence", 0.7),)),
    Told(builders.ended),
    Told(builders.review_opened),
    Told(builders.waiting, 0, (("stage", "review.open"), ("attempt", 3))),
    Told(builders.review_claimed),
    Told(builders.review_released),
    Told(builders.review_claimed, 0, (("turn", 3),)),
    Told(builders.review_decided),
    Told(builders.review_reopened),
    Told(builders.review_claimed, 0, (("turn", 5), ("review_revision", 1))),
    Told(builders.review_decided, 0, (("verdict", "corrected"), ("review_revision", 2))),
    Told(builders.finalised, 0, (("verdict", "corrected"),)),
)


async def test_every_order_of_a_documents_facts_ends_in_the_same_state(world: World) -> None:
    chance = random.Random(7)
    ids = await world.all_accepted([builders.OWNER] * 150)
    in_order, *shuffled = [[fact.about(one) for fact in LIFE] for one in ids]
    await world.record(*in_order)
    for facts in shuffled:
        chance.shuffle(facts)

    await _play_in_batches(world, shuffled, chance)

    expected = lasting(await world.document(ids[0]))
    assert expected["status"] == "completed"
    assert (expected["review_status"], expected["result_version"]) == ("corrected", 2)
    assert (expected["attempts"], expected["run"], expected["progress"]) == (2, 1, 100)
    for one in ids[1:]:
        assert lasting(await world.document(one)) == expected
        # The failure may be seen too late to be an end of its own; the last end never is.
        assert (await world.ended(one))[-1] == "completed"
        assert [seq for seq, _ in await world.timeline(one)] == [*range(1, len(LIFE) + 2)]


async def test_rows_and_the_memory_of_unit_tests_move_alike(world: World) -> None:
    chance = random.Random(11)
    kinds = [*LIFE, FAILED, STORED, FAILED_AGAIN, DUPLICATE, Told(builders.extracted)]
    clock, memory = FakeClock(), InMemoryDocuments()
    ledger = FakeLedger()
    both = replace(
        world.use,
        documents=memory,
        releases=InMemoryReleases(memory),
        batches=InMemoryBatches(memory, InMemoryReleases(memory)),
        webhooks=InMemoryWebhooks(clock),
        blobs=InMemoryBlobs(),
        ledger=ledger,
        clock=clock,
    )
    new = [new_document(builders.OWNER, world.use.clock.now()) for _ in range(60)]
    for use in (world.use, both):
        async with use.ledger.unit() as unit:
            await use.releases.take_in(unit, new, [])

    for _ in range(30):
        batch = [
            chance.choice(kinds).about(chance.choice(new).document_id, new_id())
            for _ in range(chance.randint(1, 80))
        ]
        await world.record(*batch)
        await record_facts(batch, both)

    for one in new:
        row = await world.document(one.document_id)
        assert lasting(row) == lasting(memory.rows[one.document_id])
        assert row.revision == memory.rows[one.document_id].revision
        ends = [body for body in ledger.sent if isinstance(body, DocumentEndedV1)]
        told = [body.status for body in ends if body.document_id == one.document_id]
        assert await world.ended(one.document_id) == told


async def _play_in_batches(
    world: World, lives: list[list[Job[DocumentFact]]], chance: random.Random
) -> None:
    """Each life in its own order; which facts share a batch is left to chance."""
    while lives := [life for life in lives if life]:
        batch: list[Job[DocumentFact]] = []
        for life in lives:
            taken = chance.randint(0, 3)
            batch += life[:taken]
            del life[:taken]
        if batch:
            await world.record(*batch)


async def test_facts_that_end_nothing_are_one_round_trip(world: World) -> None:
    document_id = await world.accepted()
    await world.record(STARTED.about(document_id))

    async with asked_of(world.pool) as asked:
        await world.record(STARTED.about(document_id), EXTRACTED.about(document_id))
        await eventually(lambda: len(asked) > 0)

    assert len(asked) == 1, asked
    assert (await world.document(document_id)).stage == "store"
    assert [kind for _, kind in await world.timeline(document_id)] == [
        "document.accepted",
        "document.started",
        "document.started",
        "document.extracted",
    ]

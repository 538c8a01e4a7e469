"""The sweep in a real PostgreSQL: what is lost is found, and what only waits is left alone."""

import asyncio
from collections.abc import AsyncIterator
from uuid import UUID

import pytest

from services.ingest.domain.documents import Claim
from services.ingest.domain.sweeping import Patience
from services.ingest.handlers.sweep import sweep_documents
from shared.contracts.body import Body
from shared.contracts.envelope import decode
from shared.contracts.facts import DocumentFailedV1
from shared.contracts.identity import derived_id, new_id
from shared.contracts.orders import ExtractDocumentV1
from tests import builders
from tests.broker.ingest_world import Told, World, ingest_world

PATIENCE = Patience(queued_stale_s=3600, processing_stale_s=360, sweep_every_s=900)
STARTED, EXTRACTED = Told(builders.started), Told(builders.extracted)
STORED, FAILED = Told(builders.stored), Told(builders.failed)


@pytest.fixture
async def world(database_url: str) -> AsyncIterator[World]:
    async with ingest_world(database_url) as world:
        yield world


async def _aged(world: World, document_id: UUID, by_s: float) -> None:
    await world.pool.execute(
        "UPDATE documents SET updated_at = updated_at - make_interval(secs => $2),"
        "  created_at = created_at - make_interval(secs => $2),"
        "  released_at = released_at - make_interval(secs => $2)"
        " WHERE document_id = $1",
        document_id,
        by_s,
    )


async def _lost(world: World, *, by_s: float = 7200) -> UUID:
    document_id = await world.accepted()
    await _aged(world, document_id, by_s)
    return document_id


async def _overtake(world: World) -> UUID:
    later = await world.accepted()
    await world.record(STORED.about(later))
    return later


async def _sent(world: World, kind: type[Body]) -> list[tuple[UUID, str]]:
    rows = await world.pool.fetch(
        "SELECT body, headers FROM outbox WHERE type = $1 ORDER BY id", kind.type
    )
    return [(decode(row["body"]).header.job_id, row["headers"]) for row in rows]


async def test_a_lost_document_is_ordered_again_under_a_new_run(world: World) -> None:
    lost = await _lost(world)
    await _overtake(world)

    assert await sweep_documents(world.use, PATIENCE) == 1
    assert await sweep_documents(world.use, PATIENCE) == 0

    document = await world.document(lost)
    assert (document.status, document.stage, document.run) == ("queued", "queued", 1)
    [(job_id, headers)] = await _sent(world, ExtractDocumentV1)
    assert job_id == derived_id(lost, "extract", 1)
    assert '"paperline-run": "1"' in headers


async def test_nothing_is_lost_while_nothing_overtakes_it(world: World) -> None:
    await _lost(world)
    earlier = await _lost(world, by_s=9000)
    await world.record(STORED.about(earlier))

    assert await sweep_documents(world.use, PATIENCE) == 0


async def test_urgent_work_does_not_overtake(world: World) -> None:
    await _lost(world)
    urgent = await _overtake(world)
    await world.pool.execute("UPDATE documents SET priority = 5 WHERE document_id = $1", urgent)

    assert await sweep_documents(world.use, PATIENCE) == 0


async def test_after_hours_urgent_work_overtakes_too(world: World) -> None:
    lost = await _lost(world, by_s=PATIENCE.lost_after_s + 60)
    urgent = await _overtake(world)
    await world.pool.execute("UPDATE documents SET priority = 5 WHERE document_id = $1", urgent)

    assert await sweep_documents(world.use, PATIENCE) == 1
    assert (await world.document(lost)).run == 1


async def test_a_slow_pipeline_is_never_taken_for_a_broken_one(world: World) -> None:
    for _ in range(3):
        await _lost(world, by_s=PATIENCE.order_s - 60)
    earlier = await _lost(world, by_s=PATIENCE.order_s)
    await world.record(STORED.about(earlier))

    assert await sweep_documents(world.use, PATIENCE) == 0


async def test_an_order_that_would_have_expired_is_lost_whoever_came_through(
    world: World,
) -> None:
    lost = await _lost(world, by_s=PATIENCE.order_s + 60)

    for run in range(1, 6):
        assert await sweep_documents(world.use, PATIENCE) == 1
        await _aged(world, lost, PATIENCE.order_s + 60)
        # Never given up while nobody has seen that the pipeline works at all.
        assert (await world.document(lost)).run == run
    assert await _sent(world, DocumentFailedV1) == []


async def test_what_was_heard_of_lately_or_announced_its_next_attempt_is_not_stuck(
    world: World,
) -> None:
    fresh = await world.accepted()
    await _aged(world, fresh, 3000)
    announced = await _lost(world)
    await world.pool.execute(
        "UPDATE documents SET status = 'processing', rank = 20,"
        " next_attempt_at = now() - interval '300 s' WHERE document_id = $1",
        announced,
    )
    await _overtake(world)

    assert await sweep_documents(world.use, PATIENCE) == 0


async def test_a_started_or_extracted_document_is_stuck_after_minutes(world: World) -> None:
    stuck = [await world.accepted() for _ in range(2)]
    await world.record(STARTED.about(stuck[0]), EXTRACTED.about(stuck[1]))
    for one in stuck:
        await _aged(world, one, 400)
    await _overtake(world)

    # A sweep of a quiet system begins one document anew, not more.
    assert await sweep_documents(world.use, PATIENCE) == 1
    assert await sweep_documents(world.use, PATIENCE) == 1
    assert [(await world.document(one)).run for one in stuck] == [1, 1]


async def test_a_document_that_is_held_is_not_swept(world: World) -> None:
    held = await _lost(world)
    await world.pool.execute("INSERT INTO waiting VALUES ($1, 'acme', 3, now(), 0)", held)
    await _overtake(world)

    assert await sweep_documents(world.use, PATIENCE) == 0


async def test_after_the_third_time_a_document_fails_as_lost(world: World) -> None:
    lost = await _lost(world)
    for _ in range(4):
        await _overtake(world)
        assert await sweep_documents(world.use, PATIENCE) == 1
        await _aged(world, lost, 7200)

    assert len(await _sent(world, ExtractDocumentV1)) == 3
    assert len(await _sent(world, DocumentFailedV1)) == 1
    await world.record(Told(FAILED.make, 3, (("reason", "lost"),)).about(lost))
    assert (await world.document(lost)).status == "failed"


async def test_late_facts_of_the_lost_run_still_end_the_document_well(world: World) -> None:
    lost = await _lost(world)
    await _overtake(world)
    await sweep_documents(world.use, PATIENCE)

    await world.record(STARTED.about(lost))
    assert (await world.document(lost)).status == "queued"
    await world.record(STORED.about(lost))
    assert (await world.document(lost)).status == "completed"


async def test_two_replicas_never_sweep_one_document_twice(world: World) -> None:
    lost = await _lost(world)
    await _overtake(world)

    found = await asyncio.gather(*(sweep_documents(world.use, PATIENCE) for _ in range(6)))

    assert sum(found) == 1
    assert (await world.document(lost)).run == 1


async def test_expired_keys_are_forgotten_and_others_kept(world: World) -> None:
    claims = [Claim("acme", "documents", f"key-{n}", "hash", new_id()) for n in range(6)]
    async with world.use.ledger.unit() as unit:
        await world.documents.claim_keys(unit, claims[:4], ttl_s=0)
        await world.documents.claim_keys(unit, claims[4:], ttl_s=60)

    assert await world.use.sweeps.purge_keys() == 4
    async with world.use.ledger.unit() as unit:
        assert len(await world.documents.find_claims(unit, claims)) == 2


OPENED = Told(builders.review_opened)


async def _ended_long_ago(world: World) -> UUID:
    document_id = await world.accepted()
    await world.record(STORED.about(document_id))
    await _aged(world, document_id, 7200)
    await world.pool.execute(
        "UPDATE documents SET completed_at = completed_at - interval '2 h'"
        " WHERE document_id = $1",
        document_id,
    )
    return document_id


async def _reviewed_later(world: World) -> UUID:
    later = await _overtake(world)
    await world.record(OPENED.about(later))
    return later


async def test_a_document_that_never_came_to_review_is_sent_there_and_stays_ended(
    world: World,
) -> None:
    missed = await _ended_long_ago(world)
    await _reviewed_later(world)

    assert await sweep_documents(world.use, PATIENCE) == 1
    assert await sweep_documents(world.use, PATIENCE) == 0

    document = await world.document(missed)
    assert (document.status, document.stage, document.run) == ("completed", "done", 1)
    [(job_id, headers)] = await _sent(world, ExtractDocumentV1)
    assert job_id == derived_id(missed, "extract", 1)
    assert '"paperline-run": "1"' in headers


async def test_who_has_an_item_or_may_yet_get_one_is_left_alone(world: World) -> None:
    opened = await _ended_long_ago(world)
    await world.record(OPENED.about(opened))
    # Nobody has come to review since: the desk is away, and its orders wait.
    await _ended_long_ago(world)

    assert await sweep_documents(world.use, PATIENCE) == 0


async def test_an_item_that_never_opens_is_ordered_three_times(world: World) -> None:
    missed = await _ended_long_ago(world)
    await _reviewed_later(world)
    for _ in range(5):
        await sweep_documents(world.use, PATIENCE)
        await _aged(world, missed, 7200)

    assert len(await _sent(world, ExtractDocumentV1)) == 3
    assert (await world.document(missed)).status == "completed"

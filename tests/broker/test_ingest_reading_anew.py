"""Documents that are read anew, in a real PostgreSQL: what is old comes back and wins not."""

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import replace
from uuid import UUID

import pytest

from services.ingest.handlers import cancel_document, record_facts, reprocess_document
from services.ingest.handlers.release import release_documents
from services.ingest.ports import Ports, Reopening
from shared.audit import log as audit
from shared.contracts.envelope import decode
from shared.contracts.facts import DocumentEndedV1
from shared.contracts.identity import new_id
from shared.contracts.orders import ExtractDocumentV1
from tests import builders
from tests.broker.ingest_world import Told, World, ingest_world, lasting, new_document
from tests.fakes.batches import InMemoryBatches
from tests.fakes.clock import FakeClock
from tests.fakes.documents import InMemoryDocuments
from tests.fakes.endings import InMemoryEndings
from tests.fakes.ledger import FakeLedger
from tests.fakes.releases import InMemoryReleases
from tests.fakes.webhooks import InMemoryWebhooks

STORED = Told(builders.stored)
FAILED_ANEW = Told(builders.failed, 1)
STORED_ANEW = Told(builders.stored, 1, (("result_version", 2), ("result_key", "v2")))


@pytest.fixture(scope="module")
async def world(database_url: str) -> AsyncIterator[World]:
    async with ingest_world(database_url) as world:
        yield world


async def read_anew(world: World) -> UUID:
    document_id = await world.accepted()
    await world.record(STORED.about(document_id))
    assert await forced(document_id, world.use)
    return document_id


async def forced(document_id: UUID, use: Ports) -> bool:
    return await reprocess_document(
        document_id, owner_id=None, actor="otto", use=use, force=True
    )


async def test_of_many_who_ask_at_once_one_begins_the_run_and_is_written_down(
    world: World,
) -> None:
    document_id = await world.accepted()
    await world.record(STORED.about(document_id))

    begun = await asyncio.gather(*(forced(document_id, world.use) for _ in range(5)))
    while await release_documents(world.use):
        continue

    assert begun.count(True) == 1
    orders = await world.pool.fetch(
        "SELECT body FROM outbox WHERE type = $1"
        "   AND convert_from(body, 'UTF8')::jsonb #>> '{body,document_id}' = $2",
        ExtractDocumentV1.type,
        str(document_id),
    )
    [order] = [decode(row["body"]).body for row in orders]
    assert (order["force"], order["replaces_version"]) == (True, 1)
    [line] = await audit.page(world.pool, audit.Filter(resource=f"document/{document_id}"))
    assert line.entry().before == {"status": "completed", "result_version": 1}


async def test_it_waits_its_turn_like_a_new_one(world: World) -> None:
    document_id = await world.accepted()
    await world.record(STORED.about(document_id))
    await world.pool.execute(
        "UPDATE documents SET created_at = created_at - interval '30 days'"
        " WHERE document_id = $1",
        document_id,
    )

    await forced(document_id, world.use)

    waits_s = await world.pool.fetchval(
        "SELECT extract(epoch FROM now() - accepted_at) FROM waiting WHERE document_id = $1",
        document_id,
    )
    assert waits_s < 3600
    await world.record(STORED_ANEW.about(document_id))


LIVES = {
    "a new result ends it": ([STORED_ANEW], "completed", 2),
    "the present result does not": ([STORED], "queued", 1),
    "not even under the new run": ([Told(builders.stored, 1)], "queued", 1),
    "a failure is one": ([STORED, FAILED_ANEW], "failed", 1),
    "whatever comes back after it": ([FAILED_ANEW, STORED], "failed", 1),
    "a result after a failure counts": (
        [FAILED_ANEW, Told(builders.stored, 2, (("result_version", 2),))],
        "completed",
        2,
    ),
    "a superseded decision brings nothing": (
        [
            Told(builders.finalised, 0, (("result_version", 3), ("superseded", True))),
            STORED_ANEW,
        ],
        "completed",
        2,
    ),
    "a decision over the old reading is no end": ([Told(builders.finalised)], "queued", 2),
}
every_life = pytest.mark.parametrize(
    ("facts", "status", "version"), LIVES.values(), ids=LIVES.keys()
)


@every_life
@pytest.mark.parametrize("together", [True, False], ids=["in a batch", "one by one"])
async def test_what_is_being_replaced_ends_no_run(
    world: World, facts: list[Told], status: str, version: int, together: bool
) -> None:
    document_id = await read_anew(world)
    jobs = [fact.about(document_id) for fact in facts]

    for batch in [jobs] if together else [[job] for job in jobs]:
        await world.record(*batch)

    document = await world.document(document_id)
    assert (document.status, document.result_version) == (status, version)
    assert document.run >= 1


async def test_a_new_reading_that_was_not_kept_says_nothing_of_the_present_result(
    world: World,
) -> None:
    document_id = await read_anew(world)
    before = await world.document(document_id)
    unsure = Told(builders.extracted, 1, (("confidence", 0.12), ("engine", "other")))

    await world.record(unsure.about(document_id))
    await world.record(FAILED_ANEW.about(document_id))

    document = await world.document(document_id)
    assert (document.status, document.result_version) == ("failed", 1)
    assert (document.engine, document.confidence) == (before.engine, before.confidence)


async def test_the_review_begins_again_and_no_old_verdict_comes_back(world: World) -> None:
    document_id = await world.accepted()
    decided = Told(builders.review_decided, 0, (("verdict", "corrected"),))
    await world.record(STORED.about(document_id), decided.about(document_id))
    await forced(document_id, world.use)
    opened = Told(builders.review_opened, 1, (("result_version", 2),))

    await world.record(STORED_ANEW.about(document_id), opened.about(document_id))
    await world.record(
        decided.about(document_id), Told(builders.review_opened).about(document_id)
    )

    assert (await world.document(document_id)).review_status == "pending"


async def test_what_is_read_anew_is_not_cancelled(world: World) -> None:
    document_id = await read_anew(world)
    batch_id = new_id()
    await world.pool.execute(
        "INSERT INTO batch_members (document_id, batch_id, position) VALUES ($1, $2, 0)",
        document_id,
        batch_id,
    )

    assert not await cancel_document(document_id, actor="anna", owner_id=None, use=world.use)

    # Or cancelling its batch would never be done.
    assert await world.use.batches.list_open_members(batch_id, limit=10) == []


async def test_rows_and_the_memory_of_unit_tests_are_reopened_alike(world: World) -> None:
    chance = random.Random(5)
    memory, ledger, clock = InMemoryDocuments(), FakeLedger(), FakeClock()
    releases = InMemoryReleases(memory)
    both = replace(
        world.use,
        documents=memory,
        releases=releases,
        endings=InMemoryEndings(memory),
        batches=InMemoryBatches(memory, releases),
        webhooks=InMemoryWebhooks(clock),
        ledger=ledger,
        clock=clock,
    )
    new = [new_document(builders.OWNER, world.use.clock.now()) for _ in range(40)]
    for use in (world.use, both):
        async with use.ledger.unit() as unit:
            await use.releases.take_in(unit, new, [])
    makers = (builders.started, builders.extracted, builders.failed, builders.stored)

    for _ in range(60):
        batch = []
        for _ in range(chance.randint(1, 40)):
            given: dict[str, object] = {}
            make = chance.choice([*makers, builders.review_opened, builders.review_decided])
            if make in (builders.stored, builders.review_opened, builders.review_decided):
                given["result_version"] = chance.randint(1, 4)
            told = Told(make, chance.randint(0, 3), tuple(given.items()))
            batch.append(told.about(chance.choice(new).document_id, new_id()))
        await world.record(*batch)
        await record_facts(batch, both)
        document_id, by_force = chance.choice(new).document_id, chance.random() < 0.7
        asked = Reopening(document_id, None, by_force, new_id(), None)
        reopened = []
        for use in (world.use, both):
            async with use.ledger.unit() as unit:
                reopened.append(await use.endings.reopen_document(unit, asked))
        assert reopened[0] == reopened[1]

    for one in new:
        row = await world.document(one.document_id)
        assert lasting(row) == lasting(memory.rows[one.document_id])
        ends = [body for body in ledger.sent if isinstance(body, DocumentEndedV1)]
        told_ends = [body.status for body in ends if body.document_id == one.document_id]
        assert await world.ended(one.document_id) == told_ends

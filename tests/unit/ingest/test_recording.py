"""Facts recorded on fakes: what is announced, and in whose name."""

from uuid import UUID

import pytest

from services.ingest.handlers import receive_document, record_facts
from shared.contracts.body import Priority
from shared.contracts.facts import DocumentEndedV1
from tests import builders
from tests.unit.ingest.world import FakeUpload, World


@pytest.fixture
def world() -> World:
    return World()


async def _accepted(world: World) -> UUID:
    received = await receive_document(FakeUpload(), world.use)
    world.ledger.messages.clear()
    return received.document_id


async def test_the_end_is_announced_in_the_name_of_what_ended_it(world: World) -> None:
    document_id = await _accepted(world)
    stored = builders.job(
        builders.stored(document_id=document_id, priority=Priority.URGENT), run=2
    )
    jobs = [
        builders.job(builders.started(document_id=document_id), run=2),
        stored,
        builders.job(builders.review_opened(document_id=document_id), run=2),
    ]

    await record_facts(jobs, world.use)

    [message] = world.ledger.messages
    assert isinstance(message.body, DocumentEndedV1)
    assert message.body.status == "completed"
    assert message.body.priority == Priority.URGENT
    assert (message.cause, message.run, message.body.cause_id) == (stored, 2, stored.job_id)


async def test_a_batch_may_end_many_documents(world: World) -> None:
    first, second, third = [await _accepted(world) for _ in range(3)]

    await record_facts(
        [
            builders.job(builders.stored(document_id=first)),
            builders.job(builders.failed(document_id=second)),
            builders.job(builders.stored(document_id=third, duplicate=True)),
        ],
        world.use,
    )

    ends = [body for body in world.ledger.sent if isinstance(body, DocumentEndedV1)]
    assert {body.document_id: body.status for body in ends} == {
        first: "completed",
        second: "failed",
        third: "duplicate",
    }


async def test_a_fact_repeated_within_a_batch_is_told_once(world: World) -> None:
    document_id = await _accepted(world)
    fact = builders.job(builders.stored(document_id=document_id))

    await record_facts([fact, fact, fact], world.use)

    assert len(world.ledger.sent) == 1
    assert [event.seq for _, event in world.documents.events[document_id]] == [1, 2]


async def test_the_status_says_in_one_line_what_a_document_waits_for(world: World) -> None:
    document_id = await _accepted(world)
    waits = builders.waiting(document_id=document_id, reason="provider rate limit", attempt=2)

    await record_facts([builders.job(waits)], world.use)
    row = world.documents.rows[document_id]
    assert (row.status, row.stage, row.waiting_for) == (
        "queued",
        "extract",
        "provider rate limit",
    )

    await record_facts([builders.job(builders.stored(document_id=document_id))], world.use)
    assert world.documents.rows[document_id].waiting_for is None


async def test_a_failure_tells_why_and_a_replay_forgets_it(world: World) -> None:
    document_id = await _accepted(world)
    fails = builders.failed(document_id=document_id, detail="no page has text")

    await record_facts([builders.job(fails)], world.use)
    assert world.documents.rows[document_id].error_message == "unreadable: no page has text"

    again = builders.job(builders.started(document_id=document_id), run=1)
    await record_facts([again], world.use)
    row = world.documents.rows[document_id]
    assert (row.status, row.run, row.error_message) == ("processing", 1, None)

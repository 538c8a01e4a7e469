"""Cancelling and deleting in a real PostgreSQL, against facts and uploads that race them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable

import pytest

from services.ingest.domain.documents import Details
from services.ingest.handlers import (
    cancel_document,
    delete_document,
    receive_document,
    reprocess_document,
)
from services.ingest.handlers.erase import erase_deleted
from services.ingest.handlers.release import release_documents
from shared.audit import log as audit
from shared.bus.headers import RUN
from shared.contracts.identity import new_id
from shared.contracts.orders import ExtractDocumentV1
from shared.errors import Retryable
from tests import builders
from tests.broker.ingest_world import Told, World, ingest_world

STARTED, EXTRACTED = Told(builders.started), Told(builders.extracted)
FAILED, STORED = Told(builders.failed), Told(builders.stored)
LATER = [
    Told(builders.started, 1),
    Told(builders.extracted, 1),
    Told(builders.stored, 1),
    Told(builders.failed, 1),
    Told(builders.review_opened, 1),
    Told(builders.finalised, 1),
    STORED,
]
START_LATER = """
UPDATE documents SET started_at = now() + interval '1 second' WHERE document_id = $1
"""
STAGES = [[], [STARTED], [STARTED, Told(builders.waiting)], [STARTED, EXTRACTED]]


@pytest.fixture(scope="module")
async def world(database_url: str) -> AsyncIterator[World]:
    async with ingest_world(database_url) as world:
        yield world


@pytest.mark.parametrize("facts", STAGES, ids=["queued", "started", "waiting", "extracted"])
async def test_no_late_fact_moves_a_cancelled_document(
    world: World, facts: Iterable[Told]
) -> None:
    document_id = await world.accepted()
    for fact in facts:
        await world.record(fact.about(document_id))

    assert await cancel_document(
        document_id, actor="anna", owner_id=builders.OWNER, use=world.use
    )
    before = await world.document(document_id)
    for fact in LATER:
        await world.record(fact.about(document_id))

    assert (before.status, before.waiting_for) == ("cancelled", None)
    assert before.completed_at is not None
    assert await world.document(document_id) == before
    assert await world.ended(document_id) == ["cancelled"]
    assert not await cancel_document(document_id, actor="anna", owner_id=None, use=world.use)


@pytest.mark.parametrize(
    "end", [cancel_document, delete_document], ids=["cancelled", "deleted"]
)
async def test_no_document_ends_before_it_has_started(
    world: World, end: Callable[..., Awaitable[bool]]
) -> None:
    document_id = await world.accepted()
    await world.record(STARTED.about(document_id))
    # By who had begun after us, and held the row before us.
    await world.pool.execute(START_LATER, document_id)

    await end(document_id, owner_id=builders.OWNER, actor="anna", use=world.use)

    found = await world.document(document_id)
    assert found.started_at is not None and found.completed_at is not None
    assert found.completed_at >= found.started_at


@pytest.mark.parametrize("end", [STORED, FAILED], ids=["stored", "failed"])
async def test_what_has_ended_is_not_cancelled(world: World, end: Told) -> None:
    document_id = await world.accepted()
    await world.record(end.about(document_id))
    before = await world.document(document_id)

    assert not await cancel_document(document_id, actor="anna", owner_id=None, use=world.use)

    assert await world.document(document_id) == before


async def test_of_a_cancel_and_a_result_one_wins(world: World) -> None:
    ids = await world.all_accepted([builders.OWNER] * 40)

    outcomes = await asyncio.gather(
        *(cancel_document(one, actor="anna", owner_id=None, use=world.use) for one in ids),
        *(world.record(*(STORED.about(one) for one in ids[at::4])) for at in range(4)),
    )

    for one, cancelled in zip(ids, outcomes, strict=False):
        status = "cancelled" if cancelled else "completed"
        assert (await world.document(one)).status == status
        assert await world.ended(one) == [status]


async def test_a_cancelled_documents_own_facts_are_told_once(world: World) -> None:
    document_id = await world.accepted()
    await cancel_document(document_id, actor="anna", owner_id=None, use=world.use)
    [fact_id] = [
        row["fact_id"]
        for row in await world.pool.fetch(
            "SELECT fact_id FROM document_events WHERE document_id = $1 AND type = $2",
            document_id,
            "document.cancelled",
        )
    ]

    await world.record(Told(builders.cancelled).about(document_id, fact_id))

    assert await world.timeline(document_id) == [
        (1, "document.accepted"),
        (2, "document.cancelled"),
    ]


@pytest.mark.parametrize("facts", [*STAGES, [STARTED, STORED, Told(builders.review_opened)]])
async def test_a_tombstone_says_nothing_of_what_the_document_said(
    world: World, facts: Iterable[Told]
) -> None:
    document_id = await world.accepted()
    for fact in facts:
        await world.record(fact.about(document_id))
    under_way = (await world.document(document_id)).completed_at is None
    seq = len(await world.timeline(document_id)) + 1

    assert await delete_document(
        document_id, owner_id=builders.OWNER, actor="anna", use=world.use
    )
    assert not await delete_document(
        document_id, owner_id=builders.OWNER, actor="anna", use=world.use
    )
    for fact in LATER:
        await world.record(fact.about(document_id))

    assert await audit.verify(world.pool) is None
    wanted = audit.Filter(resource=f"document/{document_id}")
    [line] = await audit.page(world.pool, wanted)
    assert (line.entry().actor, line.entry().action) == ("anna", "document_deleted")
    told = repr(await world.document(document_id))
    for word in ("a.pdf", builders.SHA256, "Nordlicht", "R-2026-0815", "119.00"):
        assert word not in told
    assert (await world.document(document_id)).status == "deleted"
    assert await world.timeline(document_id) == [(seq, "document.deleted")]
    assert (await world.ended(document_id))[-1:] == ["cancelled" if under_way else "completed"]


async def test_only_the_owner_ends_a_document(world: World) -> None:
    document_id = await world.accepted()

    assert not await cancel_document(
        document_id, actor="anna", owner_id="globex", use=world.use
    )
    assert not await delete_document(
        document_id, owner_id="globex", actor="anna", use=world.use
    )
    assert not await delete_document(new_id(), owner_id=None, actor="anna", use=world.use)

    assert (await world.document(document_id)).status == "queued"


async def test_an_upload_never_loses_its_bytes_to_a_deletion(world: World) -> None:
    upload = _Upload(b"%PDF-1.7\n% handed in and deleted again and again\n%%EOF\n")
    current = (await receive_document(upload, world.use)).document_id

    for _ in range(25):
        assert await delete_document(current, owner_id=None, actor="anna", use=world.use)
        _, received = await asyncio.gather(
            erase_deleted(world.use),
            receive_document(upload, world.use),
            return_exceptions=True,
        )
        if isinstance(received, Retryable):
            # Told to come back, instead of being given a document without bytes.
            received = await receive_document(upload, world.use)
        assert not isinstance(received, BaseException)
        current = received.document_id
        content_key = (await world.document(current)).content_key
        assert await world.use.blobs.size(content_key) is not None

    await delete_document(current, owner_id=None, actor="anna", use=world.use)
    await erase_deleted(world.use)
    assert await world.use.blobs.size(content_key) is None


async def test_what_failed_is_released_again_in_its_next_run(world: World) -> None:
    document_id = await world.accepted()
    await world.record(STARTED.about(document_id), FAILED.about(document_id))

    begun = await asyncio.gather(
        *(
            reprocess_document(document_id, owner_id=None, actor="otto", use=world.use)
            for _ in range(5)
        )
    )
    while await release_documents(world.use):
        continue
    await world.record(FAILED.about(document_id), Told(builders.started).about(document_id))

    assert begun.count(True) == 1
    document = await world.document(document_id)
    assert (document.status, document.stage, document.run) == ("queued", "queued", 1)
    assert (document.attempts, document.error_message) == (0, None)
    runs = await world.pool.fetch(
        "SELECT headers::jsonb ->> $3 AS run FROM outbox WHERE type = $1"
        "   AND convert_from(body, 'UTF8')::jsonb #>> '{body,document_id}' = $2",
        ExtractDocumentV1.type,
        str(document_id),
        RUN,
    )
    assert [row["run"] for row in runs] == ["1"]
    await world.record(Told(builders.stored, 1).about(document_id))
    assert await world.ended(document_id) == ["failed", "completed"]
    assert not await reprocess_document(document_id, owner_id=None, actor="otto", use=world.use)


class _Upload:
    password: str | None = None

    def __init__(self, data: bytes) -> None:
        self._data = data

    async def chunks(self) -> AsyncIterator[bytes]:
        yield self._data

    def details(self) -> Details:
        return Details("uploader", "a.pdf")

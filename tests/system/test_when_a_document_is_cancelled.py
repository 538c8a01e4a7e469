"""A client cancels, wherever its document is: gone without a trace, or done and kept.

The process that has the document in hand is frozen where it hurts, so that the cancel always
comes in the middle, and thawed to find out.
"""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from secrets import token_hex
from uuid import UUID

import httpx
import pytest

from shared.topology.queues import STATUS
from tests.eventually import eventually
from tests.system.client import Client
from tests.system.invoices import batch_of, invoice
from tests.system.records import Records
from tests.system.stack import Stack

# As many of a batch are under way at a time.
AT_ONCE = 10
LEFT = """
SELECT (SELECT status FROM monitor.documents_seen WHERE document_id = $1) AS seen,
       (SELECT count(*) FROM storage.stored_results WHERE document_id = $1) AS results,
       (SELECT count(*) FROM monitor.dead_letters WHERE document_id = $1) AS letters,
       ARRAY(SELECT status FROM review.review_items WHERE document_id = $1) AS items
"""
STEPS = [
    pytest.param("extractor", "extractor.engine_answered", id="while it is read"),
    pytest.param("extractor", "extractor.answer_kept", id="with the answer kept"),
    pytest.param("extractor", "extractor.before_commit", id="before it is to be stored"),
    pytest.param("storage", "storage.before_commit", id="with its files written"),
]
PAUSE = """
INSERT INTO ingest.pauses (queue, reason, detail, next_probe_at, probe_every_s)
VALUES ($1, 'operator', '', now() + interval '1 h', 3600)
"""
WITHDRAWN = "SELECT FROM extractor.withdrawn WHERE document_id = $1"
KEPT = "SELECT FROM extractor.processed_documents WHERE document_id = $1"
RESUME = "DELETE FROM ingest.pauses WHERE queue = $1"


async def cancel(client: Client, document_id: UUID) -> httpx.Response:
    return await client.post("ingest", f"/v1/documents/{document_id}/cancel")


async def require_cancelled(client: Client, document_id: UUID) -> None:
    answer = await cancel(client, document_id)
    assert answer.status_code == HTTPStatus.OK, answer.text
    assert answer.json()["status"] == "cancelled"


async def require_gone(client: Client, records: Records, document_id: UUID) -> None:
    """It ended once, by the cancel, and nothing of what was made of it is left."""
    await eventually(records.is_quiet, within_s=60, every_s=0.25)
    told = Counter(await client.events(document_id))
    assert (await client.document(document_id))["status"] == "cancelled"
    assert told["document.cancelled"] == 1
    [left] = await records.rows(LEFT, document_id)
    assert (left["seen"], left["results"], left["letters"]) == ("cancelled", 0, 0)
    # An item that was opened before anybody knew better is out of the queue.
    assert {*left["items"]} <= {"withdrawn"}
    files = (one for one in (client.stack.blobs / "data").rglob("*") if one.is_file())
    assert not [one for one in files if str(document_id) in str(one)]
    result = await client.ask("ingest", f"/v1/documents/{document_id}/result")
    assert (result.status_code, result.json()["type"]) == (409, "/problems/no-result")


@asynccontextmanager
async def frozen_at(stack: Stack, service: str, failpoint: str) -> AsyncIterator[None]:
    """It freezes at the next document, and is thawed with the end of the block."""
    async with stack.armed(service, f"{failpoint}:stop"):
        try:
            yield
        finally:
            stack.thaw(service)


async def test_held_or_on_its_way_it_is_never_read_and_the_others_are(
    client: Client, stack: Stack, records: Records
) -> None:
    batch = batch_of(AT_ONCE + 2)
    await stack.stop("extractor")
    answer = await client.http.post(
        stack.address("ingest_api") + "/v1/batches",
        files=[("files", (name, data)) for name, data in batch.files.items()],
        headers={"Authorization": f"Bearer {stack.key}"},
    )
    assert answer.status_code == HTTPStatus.ACCEPTED, answer.text
    client.promised |= await records.documents(batch.name)

    stages: dict[str, UUID] = {}
    for document_id in await records.documents(batch.name):
        stages[(await client.document(document_id))["stage"]] = document_id
    assert stages.keys() == {"held", "queued"}
    for document_id in stages.values():
        await require_cancelled(client, document_id)
    await stack.start("extractor")

    for document_id in stages.values():
        await require_gone(client, records, document_id)
    assert await records.statuses(batch.name) == {"completed": AT_ONCE, "cancelled": 2}
    # At its start the extractor may have the order before the news.
    assert await client.engine_calls() <= AT_ONCE + 1
    await records.require_balance(client.promised)


@pytest.mark.parametrize(("service", "step"), STEPS)
async def test_in_hand_it_is_cancelled_and_nothing_of_it_is_left(
    service: str, step: str, client: Client, stack: Stack, records: Records
) -> None:
    async with frozen_at(stack, service, step):
        document_id = await client.hand_in(invoice())
        await eventually(lambda: stack.is_frozen(service), within_s=30)
        await require_cancelled(client, document_id)
    await require_gone(client, records, document_id)

    again = await cancel(client, document_id)
    assert (again.status_code, again.json()["type"]) == (409, "/problems/already-ended")
    await records.require_balance(client.promised)


@asynccontextmanager
async def told_nothing(stack: Stack, records: Records) -> AsyncIterator[None]:
    """Whatever happens to documents, ingest hears of it with the end of the block."""
    await records.rows(PAUSE, STATUS.name)
    try:
        await eventually(lambda: is_deaf(stack), every_s=0.1)
        yield
    finally:
        await records.rows(RESUME, STATUS.name)


async def is_processing(client: Client, document_id: UUID) -> bool:
    return bool((await client.document(document_id))["status"] == "processing")


async def is_read_after_a_thaw(stack: Stack, records: Records, document_id: UUID) -> bool:
    # Asked again and again: a signal that comes before the reading is held releases nothing.
    stack.thaw("extractor")
    return bool(await records.rows(KEPT, document_id))


async def is_deaf(stack: Stack) -> bool:
    return not await stack.is_consumed(STATUS.name)


async def test_stored_and_before_a_person_it_is_taken_back_while_nobody_has_told_the_client(
    client: Client, stack: Stack, records: Records
) -> None:
    async with told_nothing(stack, records):
        document_id = await client.hand_in(invoice())
        assert (await client.review_item(document_id)).json()["status"] == "pending"
        await eventually(lambda: records.files(document_id, "parquet"))
        await require_cancelled(client, document_id)

    await require_gone(client, records, document_id)
    await records.require_balance(client.promised)


async def test_a_copy_that_waits_is_cancelled_alone(
    client: Client, stack: Stack, records: Records
) -> None:
    content, name = invoice(), token_hex(6)

    async with frozen_at(stack, "extractor", "extractor.engine_answered"):
        original = await client.hand_in(content, filename=f"{name}-1")
        await eventually(lambda: stack.is_frozen("extractor"), within_s=30)
        copy = await client.hand_in(content, filename=f"{name}-2")
        await require_cancelled(client, copy)

    assert (await client.ends(original))["status"] == "completed"
    await require_gone(client, records, copy)


async def test_its_copy_is_read_when_the_original_is_cancelled(
    client: Client, stack: Stack, records: Records
) -> None:
    content, name = invoice(), token_hex(6)

    # Only the reading is held, so that the extractor has heard of the cancel when it goes on:
    # frozen as a whole, it could keep the answer first, and the copy would rightly be one.
    async with stack.armed("extractor", "extractor.engine_answered:hold"):
        original = await client.hand_in(content, filename=f"{name}-1")
        await eventually(lambda: is_processing(client, original), within_s=30)
        copy = await client.hand_in(content, filename=f"{name}-2")
        await require_cancelled(client, original)
        await eventually(lambda: records.rows(WITHDRAWN, original), within_s=30)
        await eventually(lambda: is_read_after_a_thaw(stack, records, copy), within_s=60)

    # Not as the duplicate of nothing.
    assert (await client.ends(copy, within_s=60))["status"] == "completed"
    await require_gone(client, records, original)


async def test_what_waits_for_a_person_or_was_decided_keeps_its_end(
    client: Client, records: Records
) -> None:
    document_id = await client.hand_in(invoice())
    await client.ends(document_id)
    await client.review_item(document_id)

    waiting = await cancel(client, document_id)
    assert (await client.approve(document_id)).status_code == HTTPStatus.OK
    decided = await cancel(client, document_id)

    for refused in (waiting, decided):
        assert refused.status_code == HTTPStatus.CONFLICT
        assert refused.headers["Content-Type"] == "application/problem+json"
        assert refused.json()["type"] == "/problems/already-ended"
    await eventually(records.is_quiet, within_s=60, every_s=0.25)
    assert (await client.document(document_id))["status"] == "completed"
    assert (await client.review_item(document_id)).json()["status"] == "approved"
    assert len(records.files(document_id, "json")) == 1
    assert "document.cancelled" not in await client.events(document_id)

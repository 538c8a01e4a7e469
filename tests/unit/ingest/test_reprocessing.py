"""Beginning a document anew: what failed, and by force what has a result."""

from collections.abc import AsyncIterator
from uuid import UUID, uuid4

import pytest

from services.ingest.domain.turns import Newcomer
from services.ingest.handlers import reextract_document
from services.ingest.handlers.release import release_documents
from shared.bus.jobs import AlreadyHandled
from shared.contracts.body import Priority
from shared.contracts.facts import DocumentEndedV1
from shared.contracts.orders import ExtractDocumentV1
from tests import builders
from tests.fakes.keys import key_of
from tests.fakes.ledger import FakeUnit
from tests.unit.ingest.desk import SUBMITTER, Desk, is_problem

ADMIN = key_of("root", "admin")
FORCE = {"force": True}


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    desk = Desk()
    async with desk.client:
        yield desk


async def reprocessed(desk: Desk, document_id: str, **body: object) -> int:
    path = f"/v1/documents/{document_id}/reprocess"
    answer = await desk.client.post(path, headers=ADMIN, json=body or None)
    return answer.status_code


async def status_of(desk: Desk, document_id: str) -> dict[str, object]:
    answer = await desk.get(f"/v1/documents/{document_id}/status")
    return dict(answer.json())


async def result_version(desk: Desk, document_id: str) -> str:
    answer = await desk.get(f"/v1/documents/{document_id}/result")
    assert answer.status_code == 200
    return answer.headers["etag"]


async def completed(desk: Desk) -> str:
    document_id = await desk.accepted()
    for version in (1, 2):
        desk.blobs.objects[f"data/v{version}.json"] = b"{}"
    stored = builders.stored(document_id=document_id, result_key="data/v1.json")
    await desk.told(builders.started(document_id=document_id), stored)
    desk.ledger.messages.clear()
    return document_id


async def test_what_failed_begins_anew_in_a_run_of_its_own(desk: Desk) -> None:
    document_id = await desk.accepted()
    await desk.told(builders.started(document_id=document_id, attempt=3))
    await desk.told(builders.failed(document_id=document_id))

    assert await reprocessed(desk, document_id) == 202
    await desk.told(builders.failed(document_id=document_id))

    status = await status_of(desk, document_id)
    assert (status["status"], status["run"], status["attempts"]) == ("queued", 1, 0)
    assert (status["error_message"], status["completed_at"]) == (None, None)
    await desk.told(builders.stored(document_id=document_id), run=1)
    assert (await status_of(desk, document_id))["status"] == "completed"


async def test_a_result_is_read_anew_by_force_only(desk: Desk) -> None:
    document_id = await completed(desk)
    path = f"/v1/documents/{document_id}/reprocess"

    refused = await desk.client.post(path, headers=ADMIN)
    unforced = await desk.client.post(path, headers=ADMIN, json={"force": False})
    misspelt = await desk.client.post(path, headers=ADMIN, json={"forced": True})
    forced = await desk.client.post(path, headers=ADMIN, json=FORCE)

    is_problem(refused, 409, "has-result")
    assert '{"force": true}' in refused.json()["detail"]
    is_problem(unforced, 409, "has-result")
    is_problem(misspelt, 422, "invalid")
    is_problem(await desk.client.post(path, headers=SUBMITTER, json=FORCE), 403, "forbidden")
    assert forced.status_code == 202
    assert (forced.json()["status"], forced.json()["run"]) == ("queued", 1)


async def ordered(desk: Desk, document_id: str) -> ExtractDocumentV1:
    """What the releaser sends, now that there is room."""
    row = desk.documents.rows[UUID(document_id)]
    waits = Newcomer(row.document_id, row.owner_id, Priority(row.priority), row.created_at)
    desk.releases.window = 0
    await desk.releases.take_in(FakeUnit(), [], [waits])
    desk.releases.window = 1

    await release_documents(desk.use)

    message = desk.ledger.messages[-1]
    assert isinstance(message.body, ExtractDocumentV1)
    assert message.run == row.run
    return message.body


async def test_the_order_of_a_forced_run_says_what_it_replaces(desk: Desk) -> None:
    document_id = await completed(desk)
    await reprocessed(desk, document_id, force=True)

    order = await ordered(desk, document_id)

    assert (order.force, order.replaces_version, order.engine) == (True, 1, None)


async def test_the_engine_that_was_chosen_is_ordered_until_there_is_a_result(
    desk: Desk,
) -> None:
    document_id = await completed(desk)
    assert await reprocessed(desk, document_id, engine="offline") == 422
    assert await reprocessed(desk, document_id, force=True, engine="typewriter") == 422

    assert await reprocessed(desk, document_id, force=True, engine="offline") == 202
    assert (await ordered(desk, document_id)).engine == "offline"
    await desk.told(builders.failed(document_id=document_id), run=1)
    await reprocessed(desk, document_id)
    assert (await ordered(desk, document_id)).engine == "offline"
    newer = builders.stored(document_id=document_id, result_version=2)
    await desk.told(newer, run=2)
    await reprocessed(desk, document_id, force=True)
    assert (await ordered(desk, document_id)).engine is None


async def test_a_reviewers_wish_for_an_engine_is_passed_on(desk: Desk) -> None:
    document_id = await completed(desk)
    wish = builders.reextract_document(document_id=document_id, engine="gemini")

    await reextract_document(builders.job(wish), desk.use)

    assert (await ordered(desk, document_id)).engine == "gemini"


async def test_the_present_result_stays_until_there_is_a_newer_one(desk: Desk) -> None:
    document_id = await completed(desk)
    await reprocessed(desk, document_id, force=True)

    assert await result_version(desk, document_id) == '"1"'
    await desk.told(builders.started(document_id=document_id), run=1)
    assert await result_version(desk, document_id) == '"1"'
    await desk.told(builders.failed(document_id=document_id), run=1)
    assert await result_version(desk, document_id) == '"1"'
    await reprocessed(desk, document_id)
    newer = builders.stored(
        document_id=document_id, result_version=2, result_key="data/v2.json"
    )
    await desk.told(newer, run=2)
    assert await result_version(desk, document_id) == '"2"'


async def test_a_result_that_is_told_again_does_not_end_the_run_that_replaces_it(
    desk: Desk,
) -> None:
    document_id = await completed(desk)
    await reprocessed(desk, document_id, force=True)
    again = builders.stored(document_id=document_id, result_key="data/v1.json")

    await desk.told(again)
    assert (await status_of(desk, document_id))["status"] == "queued"
    await desk.told(again, builders.failed(document_id=document_id), run=1)

    assert (await status_of(desk, document_id))["status"] == "failed"
    assert [body.status for body in desk.ledger.sent if isinstance(body, DocumentEndedV1)] == [
        "failed"
    ]


async def test_what_was_failed_by_force_is_tried_again_by_force(desk: Desk) -> None:
    document_id = await completed(desk)
    await reprocessed(desk, document_id, force=True)
    await desk.told(builders.failed(document_id=document_id), run=1)

    assert await reprocessed(desk, document_id) == 202

    assert UUID(document_id) in desk.documents.forced
    assert desk.documents.replaces[UUID(document_id)] == 1


async def test_the_review_begins_again_with_what_was_read_anew(desk: Desk) -> None:
    document_id = await completed(desk)
    await desk.told(builders.review_decided(document_id=document_id, verdict="corrected"))
    await reprocessed(desk, document_id, force=True)

    await desk.told(builders.review_opened(document_id=document_id, result_version=3), run=1)
    await desk.told(builders.review_decided(document_id=document_id, verdict="approved"))

    assert (await status_of(desk, document_id))["review"] == "pending"


@pytest.mark.parametrize("fact", [None, builders.started], ids=["queued", "processing"])
async def test_what_is_under_way_is_not_begun_anew(desk: Desk, fact: object) -> None:
    document_id = await desk.accepted()
    if fact is not None:
        await desk.told(builders.started(document_id=document_id))
    path = f"/v1/documents/{document_id}/reprocess"

    is_problem(await desk.client.post(path, headers=ADMIN, json=FORCE), 409, "under-way")


async def test_what_was_withdrawn_is_not_begun_anew(desk: Desk) -> None:
    document_id = await desk.accepted()
    path = f"/v1/documents/{document_id}"
    await desk.client.post(f"{path}/cancel", headers=SUBMITTER)
    cancelled = await desk.client.post(f"{path}/reprocess", headers=ADMIN, json=FORCE)
    await desk.client.delete(path, headers=SUBMITTER)
    deleted = await desk.client.post(f"{path}/reprocess", headers=ADMIN, json=FORCE)

    is_problem(cancelled, 409, "cancelled")
    assert "hand it in again" in cancelled.json()["detail"]
    is_problem(deleted, 410, "deleted")


async def test_what_is_read_anew_is_not_cancelled_but_can_be_deleted(desk: Desk) -> None:
    document_id = await completed(desk)
    await reprocessed(desk, document_id, force=True)
    path = f"/v1/documents/{document_id}"

    is_problem(await desk.client.post(f"{path}/cancel", headers=SUBMITTER), 409, "has-result")
    assert await result_version(desk, document_id) == '"1"'
    assert (await desk.client.delete(path, headers=SUBMITTER)).status_code == 204


async def test_who_had_what_read_anew_is_written_down(desk: Desk) -> None:
    document_id = await completed(desk)

    await reprocessed(desk, document_id, force=True)
    await reprocessed(desk, document_id, force=True)

    [entry] = desk.trail.entries
    assert (entry.actor, entry.action) == ("root", "document_reprocessed")
    assert entry.resource == f"document/{document_id}"
    assert entry.before == {"status": "completed", "result_version": 1}
    assert entry.after == {"run": 1, "force": True, "engine": None}


async def test_a_reviewers_wish_reads_it_anew_by_force_and_is_on_record(desk: Desk) -> None:
    document_id = await completed(desk)
    job = builders.job(
        builders.reextract_document(document_id=document_id, reason="Half is missing.")
    )

    await reextract_document(job, desk.use)
    with pytest.raises(AlreadyHandled):
        await reextract_document(job, desk.use)

    status = await status_of(desk, document_id)
    assert (status["status"], status["run"]) == ("queued", 1)
    [entry] = desk.trail.entries
    assert (entry.actor, entry.action, entry.reason) == (
        "anna",
        "document_reprocessed",
        "Half is missing.",
    )


async def test_what_is_under_way_or_gone_is_not_begun_again_for_a_reviewer(desk: Desk) -> None:
    under_way = await desk.accepted()

    for document_id in (under_way, uuid4()):
        order = builders.reextract_document(document_id=document_id)
        await reextract_document(builders.job(order), desk.use)

    assert (await status_of(desk, under_way))["run"] == 0
    assert desk.trail.entries == []

"""Cancelling and deleting over HTTP, with everything behind it in memory."""

from collections.abc import AsyncIterator, Callable
from uuid import UUID, uuid4

import pytest

from services.ingest.handlers.erase import erase_deleted
from shared.contracts.body import DocumentFact
from shared.contracts.facts import (
    DocumentCancelledV1,
    DocumentDeletedV1,
    DocumentEndedV1,
)
from tests import builders
from tests.fakes.keys import key_of
from tests.unit.ingest.desk import REVIEWER, STRANGER, SUBMITTER, Desk, is_problem

ADMIN = key_of("root", "admin")
MakeFact = Callable[..., DocumentFact]


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    desk = Desk()
    async with desk.client:
        yield desk


STAGES: dict[str, list[MakeFact]] = {
    "queued": [],
    "started": [builders.started],
    "waiting": [builders.started, builders.waiting],
    "extracted": [builders.started, builders.extracted],
}
ENDS: dict[str, tuple[list[MakeFact], str]] = {
    "completed": ([builders.stored], "completed"),
    "failed": ([builders.failed], "failed"),
    "cancelled": ([], "cancelled"),
}


@pytest.mark.parametrize("facts", STAGES.values(), ids=STAGES.keys())
async def test_a_document_under_way_is_cancelled_and_everybody_is_told(
    desk: Desk, facts: list[MakeFact]
) -> None:
    document_id = await desk.accepted()
    await desk.told(*(fact(document_id=document_id) for fact in facts))
    desk.ledger.messages.clear()

    answer = await desk.client.post(f"/v1/documents/{document_id}/cancel", headers=SUBMITTER)

    assert (answer.status_code, answer.json()["status"]) == (200, "cancelled")
    assert answer.json()["waiting_for"] is None
    cancelled, ended = desk.ledger.sent
    assert isinstance(cancelled, DocumentCancelledV1)
    assert isinstance(ended, DocumentEndedV1)
    assert (cancelled.document_id, ended.status) == (UUID(document_id), "cancelled")
    events = (await desk.get(f"/v1/documents/{document_id}/events")).json()["items"]
    assert events[-1]["type"] == "document.cancelled"


@pytest.mark.parametrize(("facts", "status"), ENDS.values(), ids=ENDS.keys())
async def test_what_has_ended_cannot_be_cancelled(
    desk: Desk, facts: list[MakeFact], status: str
) -> None:
    document_id = await desk.accepted()
    await desk.told(*(fact(document_id=document_id) for fact in facts))
    path = f"/v1/documents/{document_id}/cancel"
    if not facts:
        await desk.client.post(path, headers=SUBMITTER)
    desk.ledger.messages.clear()

    answer = await desk.client.post(path, headers=SUBMITTER)

    is_problem(answer, 409, "already-ended")
    assert status in answer.json()["detail"]
    assert not desk.ledger.sent


async def test_no_late_fact_moves_a_cancelled_document(desk: Desk) -> None:
    document_id = await desk.accepted()
    await desk.client.post(f"/v1/documents/{document_id}/cancel", headers=SUBMITTER)
    before = desk.documents.rows[UUID(document_id)]

    await desk.told(
        builders.started(document_id=document_id),
        builders.extracted(document_id=document_id),
        builders.stored(document_id=document_id),
        builders.failed(document_id=document_id),
        builders.review_opened(document_id=document_id),
        builders.finalised(document_id=document_id),
        run=1,
    )

    assert desk.documents.rows[UUID(document_id)] == before
    is_problem(await desk.get(f"/v1/documents/{document_id}/result"), 409, "no-result")


async def test_a_cancel_names_the_run_that_it_ends(desk: Desk) -> None:
    document_id = await desk.accepted()
    await desk.told(builders.failed(document_id=document_id))
    await desk.told(builders.started(document_id=document_id), run=2)
    desk.ledger.messages.clear()

    await desk.client.post(f"/v1/documents/{document_id}/cancel", headers=SUBMITTER)

    assert [message.run for message in desk.ledger.messages] == [2, 2]


async def test_a_deleted_document_leaves_a_tombstone_that_says_nothing(desk: Desk) -> None:
    document_id = await desk.accepted()
    await desk.told(builders.stored(document_id=document_id))
    desk.ledger.messages.clear()
    desk.blobs.objects[f"logs/{document_id}/extract.log"] = b"read: invoice.pdf"
    path = f"/v1/documents/{document_id}"

    answer = await desk.client.delete(path, headers=SUBMITTER)
    again = await desk.client.delete(path, headers=SUBMITTER)

    assert (answer.status_code, again.status_code) == (204, 204)
    assert [type(body) for body in desk.ledger.sent] == [DocumentDeletedV1]
    [entry] = desk.trail.entries
    assert (entry.actor, entry.resource) == (builders.OWNER, f"document/{document_id}")
    for route in ("", "/status", "/events"):
        is_problem(await desk.get(path + route), 410, "deleted")
    for route in ("/content", "/result", "/logs"):
        is_problem(await desk.get(path + route), 404, "no-such-document")
    assert (await desk.get("/v1/documents")).json()["items"] == []
    told = repr(desk.documents.rows) + repr(desk.documents.events)
    for word in ("invoice.pdf", builders.SHA256, "Nordlicht", "R-2026-0815"):
        assert word not in told
    await erase_deleted(desk.use)
    assert not desk.blobs.objects


async def test_deleting_what_is_under_way_ends_it_too(desk: Desk) -> None:
    document_id = await desk.accepted()
    desk.ledger.messages.clear()

    await desk.client.delete(f"/v1/documents/{document_id}", headers=SUBMITTER)
    await desk.told(builders.stored(document_id=document_id))

    deleted, ended = desk.ledger.sent
    assert isinstance(deleted, DocumentDeletedV1)
    assert isinstance(ended, DocumentEndedV1)
    assert desk.documents.rows[UUID(document_id)].status == "deleted"
    [(_, event)] = desk.documents.events[UUID(document_id)]
    assert event.type == "document.deleted"


async def test_bytes_go_with_the_last_document_that_has_them(desk: Desk) -> None:
    first, second = await desk.accepted(), await desk.accepted()

    await desk.client.delete(f"/v1/documents/{first}", headers=SUBMITTER)
    await erase_deleted(desk.use)
    kept = await desk.get(f"/v1/documents/{second}/content")
    await desk.client.delete(f"/v1/documents/{second}", headers=SUBMITTER)
    await erase_deleted(desk.use)

    assert kept.content == builders.PDF
    assert builders.CONTENT_KEY not in desk.blobs.objects
    third = await desk.accepted()
    assert (await desk.get(f"/v1/documents/{third}/content")).content == builders.PDF


@pytest.mark.parametrize(("method", "route"), [("POST", "/cancel"), ("DELETE", "")])
async def test_only_its_owner_or_an_admin_ends_a_document(
    desk: Desk, method: str, route: str
) -> None:
    document_id = await desk.accepted()
    path = f"/v1/documents/{document_id}{route}"

    never = await desk.client.request(
        method, f"/v1/documents/{uuid4()}{route}", headers=SUBMITTER
    )
    is_problem(never, 404, "no-such-document")
    is_problem(
        await desk.client.request(method, path, headers=STRANGER), 404, "no-such-document"
    )
    is_problem(await desk.client.request(method, path, headers=REVIEWER), 403, "forbidden")
    assert (await desk.client.request(method, path, headers=ADMIN)).is_success

"""The documents API, spoken to over HTTP, with everything behind it in memory."""

from collections.abc import AsyncIterator
from urllib.parse import quote
from uuid import UUID

import pytest

from tests import builders
from tests.unit.ingest.desk import REVIEWER, SUBMITTER, Desk, is_problem
from tests.unit.ingest.test_formats import REFUSED


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    desk = Desk()
    async with desk.client:
        yield desk


async def test_an_upload_is_answered_with_where_to_look(desk: Desk) -> None:
    answer = await desk.upload(x_filename="R%C3%A9sum%C3%A9%202026.pdf")

    assert answer.status_code == 202
    document_id = answer.json()["document_id"]
    assert answer.headers["location"] == f"/v1/documents/{document_id}"
    assert answer.json()["links"]["status"] == f"/v1/documents/{document_id}/status"
    assert answer.json()["status"] == "queued"
    assert desk.documents.rows[UUID(document_id)].filename == "Résumé 2026.pdf"


async def test_a_form_is_an_upload_too(desk: Desk) -> None:
    answer = await desk.client.post(
        "/v1/documents",
        files={"file": ("one.pdf", builders.PDF, "text/html")},
        data={"priority": "urgent"},
        headers=SUBMITTER,
    )

    assert answer.status_code == 202
    row = desk.documents.rows[UUID(answer.json()["document_id"])]
    assert (row.filename, row.priority, row.sha256) == ("one.pdf", 5, builders.SHA256)
    assert row.media_type == "application/pdf"


@pytest.mark.parametrize("kind", ["application/pdf", "image/svg+xml", "text/html"])
@pytest.mark.parametrize("content", REFUSED.values(), ids=REFUSED.keys())
async def test_what_is_none_of_our_formats_is_refused_whatever_it_calls_itself(
    desk: Desk, content: bytes, kind: str
) -> None:
    raw = await desk.client.post(
        "/v1/documents",
        content=content,
        headers={**SUBMITTER, "Content-Type": kind, "X-Filename": "invoice.pdf"},
    )
    form = {"file": ("invoice.pdf", content, kind)}
    in_a_form = await desk.client.post("/v1/documents", files=form, headers=SUBMITTER)

    for answer in (raw, in_a_form):
        is_problem(answer, 415, "unsupported-type")
    assert not desk.blobs.objects
    assert not desk.documents.rows


@pytest.mark.parametrize("priority", ["", "soon", "URGENT,"])
async def test_a_priority_that_is_none_is_refused_and_nothing_kept(
    desk: Desk, priority: str
) -> None:
    answer = await desk.client.post(
        "/v1/documents",
        content=builders.PDF,
        params={"priority": priority},
        headers=SUBMITTER,
    )

    is_problem(answer, 422, "invalid")
    assert answer.json()["errors"][0]["pointer"] == "/query/priority"
    assert not desk.blobs.objects


async def test_a_repeated_request_gets_the_same_answer(desk: Desk) -> None:
    first = await desk.upload(idempotency_key='"key-1"')
    again = await desk.upload(idempotency_key="key-1")
    other = await desk.upload(idempotency_key="key-1", x_filename="b.pdf")

    assert again.content == first.content
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    is_problem(other, 422, "idempotency-mismatch")


async def test_the_short_addresses_answer_as_well(desk: Desk) -> None:
    answer = await desk.client.post("/documents", content=builders.PDF, headers=SUBMITTER)
    document_id = answer.json()["document_id"]

    status = await desk.get(f"/documents/{document_id}/status")

    assert answer.status_code == 202
    assert status.json() == (await desk.get(f"/v1/documents/{document_id}/status")).json()


async def test_a_status_is_sent_only_when_it_changed(desk: Desk) -> None:
    document_id = await desk.accepted()
    path = f"/v1/documents/{document_id}/status"
    etag = (await desk.get(path)).headers["etag"]

    same = await desk.get(path, SUBMITTER | {"If-None-Match": etag})
    await desk.told(builders.started(document_id=document_id))
    changed = await desk.get(path, SUBMITTER | {"If-None-Match": etag})

    assert (same.status_code, same.content) == (304, b"")
    assert same.headers["etag"] == etag
    assert (changed.status_code, changed.json()["status"]) == (200, "processing")
    assert changed.headers["etag"] != etag


async def test_a_document_is_followed_to_its_result(desk: Desk) -> None:
    document_id = await desk.accepted()
    desk.blobs.objects["data/one.json"] = b'{"document_id": "one"}'
    early = await desk.get(f"/v1/documents/{document_id}/result")

    await desk.told(
        builders.started(document_id=document_id),
        builders.stored(document_id=document_id, result_key="data/one.json"),
        builders.review_opened(document_id=document_id),
    )

    is_problem(early, 409, "not-ready")
    shown = (await desk.get(f"/v1/documents/{document_id}")).json()
    assert (shown["status"], shown["progress"], shown["review"]) == (
        "completed",
        100,
        "pending",
    )
    assert shown["summary"]["invoice_number"] == builders.SUMMARY.invoice_number
    result = await desk.get(f"/v1/documents/{document_id}/result")
    assert result.json() == {"document_id": "one"}
    assert result.headers["content-type"] == "application/json"
    again = SUBMITTER | {"If-None-Match": result.headers["etag"]}
    assert (await desk.get(f"/v1/documents/{document_id}/result", again)).status_code == 304


async def test_a_failed_document_has_no_result_and_says_why(desk: Desk) -> None:
    document_id = await desk.accepted()
    await desk.told(builders.failed(document_id=document_id, detail="no text"))

    status = (await desk.get(f"/v1/documents/{document_id}/status")).json()

    assert (status["status"], status["error_message"]) == ("failed", "unreadable: no text")
    is_problem(await desk.get(f"/v1/documents/{document_id}/result"), 409, "no-result")


async def test_a_lost_result_is_our_failure(desk: Desk) -> None:
    document_id = await desk.accepted()
    await desk.told(builders.stored(document_id=document_id))

    answer = await desk.get(f"/v1/documents/{document_id}/result")

    is_problem(answer, 500, "source-missing")


async def test_the_timeline_is_read_in_pages(desk: Desk) -> None:
    document_id = await desk.accepted()
    await desk.told(
        builders.started(document_id=document_id, attempt=2),
        builders.stored(document_id=document_id),
    )

    first = (await desk.get(f"/v1/documents/{document_id}/events?limit=2")).json()
    rest = (await desk.get(first["next"])).json()

    assert [event["type"] for event in first["items"]] == [
        "document.accepted",
        "document.started",
    ]
    assert first["items"][1]["body"] == {"attempt": 2}
    assert [event["seq"] for event in rest["items"]] == [3]
    assert rest["next"] is None
    single = (await desk.get(f"/v1/documents/{document_id}/events?limit=1")).json()
    assert len((await desk.get(single["next"])).json()["items"]) == 1


async def test_the_list_is_paged_newest_first(desk: Desk) -> None:
    ids = []
    for _ in range(5):
        ids.append(await desk.accepted())
        desk.clock.advance(1)
    seen: list[str] = []
    path: str | None = "/v1/documents?limit=2"

    while path is not None:
        page = await desk.get(path)
        seen += [item["document_id"] for item in page.json()["items"]]
        path = page.json()["next"]
        assert page.headers.get("link") == (f'<{path}>; rel="next"' if path else None)

    assert seen == ids[::-1]


async def test_the_original_is_handed_out_to_be_kept_and_never_shown(desk: Desk) -> None:
    answer = await desk.upload(x_filename=quote('Übersicht "1".pdf'))
    document_id = answer.json()["document_id"]

    content = await desk.get(f"/v1/documents/{document_id}/content", REVIEWER)

    assert content.content == builders.PDF
    disposition = content.headers["content-disposition"]
    assert disposition.startswith('attachment; filename="')
    assert '"1"' not in disposition
    assert content.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
    assert content.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "header",
    ["Rück.pdf".encode(), quote("Rück.pdf").encode(), "Rück.pdf".encode("latin-1")],
    ids=["plain UTF-8", "percent-encoded", "Latin-1"],
)
async def test_a_name_in_a_header_is_read_however_it_is_written(
    desk: Desk, header: bytes
) -> None:
    await desk.client.post(
        "/v1/documents",
        content=builders.PDF,
        headers={**_as_bytes(SUBMITTER), b"X-Filename": header},
    )

    [row] = desk.documents.rows.values()
    assert row.filename == "Rück.pdf"


async def test_the_description_says_what_an_upload_takes(desk: Desk) -> None:
    described = (await desk.get("/openapi.json")).json()["paths"]["/v1/documents"]["post"]

    names = {one["name"] for one in described["parameters"]}
    assert names >= {"priority", "tags", "metadata", "due_at", "Idempotency-Key", "X-Filename"}
    assert {*described["requestBody"]["content"]} == {
        "application/octet-stream",
        "multipart/form-data",
    }


def _as_bytes(headers: dict[str, str]) -> dict[bytes, bytes]:
    return {name.encode(): value.encode() for name, value in headers.items()}

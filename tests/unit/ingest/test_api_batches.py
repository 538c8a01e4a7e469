"""The routes of batches: files and references in, progress and results out."""

import json
from collections.abc import AsyncIterator, Mapping
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from tests import builders
from tests.unit.ingest.desk import OPERATOR, REVIEWER, STRANGER, SUBMITTER, Desk, is_problem

ITEM = {"content_key": builders.CONTENT_KEY, "filename": "invoice.pdf"}
PDF = builders.PDF
Json = Mapping[str, Any]


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    desk = Desk()
    async with desk.client:
        await desk.upload()
        yield desk


async def _post(desk: Desk, items: list[Json], **headers: str) -> httpx.Response:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return await desk.client.post(
        "/v1/batches", json={"items": items}, headers=SUBMITTER | names
    )


async def send(
    desk: Desk, *files: tuple[str, bytes], manifest: Json | None = None, **fields: str
) -> httpx.Response:
    told = {**fields, **({"manifest": json.dumps(manifest)} if manifest is not None else {})}
    return await desk.client.post(
        "/v1/batches",
        files=[("files", (name, data, "application/pdf")) for name, data in files],
        data=told,
        headers=SUBMITTER,
    )


async def done(desk: Desk, batch: Json) -> None:
    key = f"data/json/{batch['batch_id']}.json"
    desk.blobs.objects[key] = b'{\n "total": "119.00"\n}\n'
    for one in batch["items"]:
        stored = builders.stored(document_id=one["document_id"], result_key=key)
        await desk.told(stored)


async def test_a_batch_is_accepted_looked_at_and_fetched(desk: Desk) -> None:
    answer = await _post(desk, [ITEM, ITEM | {"priority": "urgent"}])

    assert answer.status_code == 202
    batch = answer.json()
    assert (batch["counts"], batch["documents"]) == ({"queued": 2}, 2)
    is_problem(await desk.get(batch["links"]["result"]), 409, "not-ready")
    await done(desk, batch)

    shown = (await desk.get(answer.headers["location"])).json()
    assert (shown["status"], shown["progress"], shown["revision"]) == ("completed", 100, 1)
    result = (await desk.get(batch["links"]["result"])).json()
    assert {one["total"] for one in result["items"]} == {builders.SUMMARY.total}


async def test_many_files_of_one_form_are_a_batch(desk: Desk) -> None:
    answer = await send(
        desk,
        ("a.pdf", PDF),
        ("b.pdf", b"no document"),
        ("c.pdf", PDF + b"\n"),
        manifest={"tags": ["2026"], "files": {"c.pdf": {"priority": "bulk", "tags": []}}},
        priority="high",
        metadata='{"cost_centre": 7}',
    )

    assert answer.status_code == 202
    batch = answer.json()
    assert [one["filename"] for one in batch["items"]] == ["a.pdf", "c.pdf"]
    [rejected] = batch["rejected"]
    assert (rejected["position"], rejected["filename"]) == (1, "b.pdf")
    assert rejected["reason"] == "unsupported_type"
    first, second = (desk.documents.rows[UUID(one["document_id"])] for one in batch["items"])
    assert (first.priority, list(first.tags), first.metadata) == (
        4,
        ["2026"],
        {"cost_centre": 7},
    )
    assert (second.priority, list(second.tags), second.metadata) == (1, [], {"cost_centre": 7})


@pytest.mark.parametrize(
    "manifest",
    [
        {"files": {"d.pdf": {}}},
        {"files": {"a.pdf": {"prority": "high"}}},
        {"due_at": "tomorrow"},
        {"due_at": "9999-12-31T23:59:59Z"},
        {"metadata": {"a": "x" * 5000}},
        {"tags": ["x" * 65]},
        [],
    ],
    ids=["no file", "misspelt", "no moment", "too late", "too much", "too long", "no object"],
)
async def test_a_manifest_that_cannot_be_meant_is_refused(desk: Desk, manifest: Json) -> None:
    answer = await send(desk, ("a.pdf", PDF), manifest=manifest)

    is_problem(answer, 422, "invalid")
    assert answer.json()["errors"][0]["pointer"].startswith("/body/manifest")
    assert len(desk.documents.rows) == 1


async def test_words_are_said_of_all_items_or_of_one(desk: Desk) -> None:
    items = [ITEM, ITEM | {"tags": ["own"], "due_at": "2026-03-01T12:00:00+01:00"}]
    answer = await desk.client.post(
        "/v1/batches?priority=bulk",
        json={"items": items, "tags": ["all"], "metadata": {"of": "all"}},
        headers=SUBMITTER,
    )

    rows = [desk.documents.rows[UUID(one["document_id"])] for one in answer.json()["items"]]
    assert [list(row.tags) for row in rows] == [["all"], ["own"]]
    assert [row.metadata for row in rows] == [{"of": "all"}] * 2
    assert [row.priority for row in rows] == [1, 1]
    assert [str(row.due_at) for row in rows] == ["None", "2026-03-01 11:00:00+00:00"]


async def test_a_batch_of_refusals_says_why_item_by_item(desk: Desk) -> None:
    answer = await send(desk, ("a.pdf", b""), ("b.pdf", b"no document"))

    is_problem(answer, 422, "nothing-accepted")
    errors = answer.json()["errors"]
    assert [one["pointer"] for one in errors] == ["/items/0", "/items/1"]
    assert errors[0]["detail"].startswith("empty")
    unknown = {"content_key": "sha256/00/" + "0" * 64}
    is_problem(await _post(desk, [unknown]), 422, "nothing-accepted")


async def test_a_form_larger_than_a_batch_may_be_is_cut_off(desk: Desk) -> None:
    announced = {"Content-Length": str(1 << 31), "Content-Type": "multipart/form-data"}
    answer = await desk.client.post("/v1/batches", content=b"x", headers=SUBMITTER | announced)

    is_problem(answer, 413, "too-large")


async def test_references_are_never_as_large_as_files_may_be(desk: Desk) -> None:
    body = b'{"items": [' + b" " * (1 << 20) + b"]}"
    answer = await desk.client.post("/v1/batches", content=body, headers=SUBMITTER)

    is_problem(answer, 413, "too-large")


async def test_what_is_neither_a_form_nor_json_is_refused(desk: Desk) -> None:
    answer = await desk.client.post(
        "/v1/batches", content=PDF, headers=SUBMITTER | {"Content-Type": "text/plain"}
    )

    is_problem(answer, 415, "unsupported-type")


async def test_a_repeated_batch_says_so(desk: Desk) -> None:
    first = await _post(desk, [ITEM], idempotency_key="night-1")
    again = await _post(desk, [ITEM], idempotency_key="night-1")

    assert again.json()["batch_id"] == first.json()["batch_id"]
    assert (again.status_code, again.headers["idempotency-replayed"]) == (202, "true")
    assert "idempotency-replayed" not in first.headers
    is_problem(
        await _post(desk, [ITEM] * 2, idempotency_key="night-1"), 422, "idempotency-mismatch"
    )


async def test_a_batch_is_sent_only_when_it_changed(desk: Desk) -> None:
    batch = (await _post(desk, [ITEM, ITEM])).json()
    path, document_id = batch["links"]["self"], batch["items"][0]["document_id"]
    etag = (await desk.get(path)).headers["etag"]

    same = await desk.get(path, SUBMITTER | {"If-None-Match": etag})
    await desk.told(builders.started(document_id=document_id))
    changed = await desk.get(path, SUBMITTER | {"If-None-Match": etag})

    assert (same.status_code, same.content) == (304, b"")
    assert changed.json()["counts"] == {"processing": 1, "queued": 1}
    assert changed.json()["completed_at"] is None
    assert changed.headers["etag"] != etag


async def test_the_own_batches_are_listed_page_by_page(desk: Desk) -> None:
    made = [(await _post(desk, [ITEM])).json()["batch_id"] for _ in range(3)]
    first = await desk.get("/v1/batches?limit=2")
    second = await desk.get(first.json()["next"])

    assert first.headers["link"] == f'<{first.json()["next"]}>; rel="next"'
    shown = [*first.json()["items"], *second.json()["items"]]
    assert {one["batch_id"] for one in shown} == {*made}
    assert second.json()["next"] is None
    assert (await desk.get("/v1/batches", STRANGER)).json()["items"] == []
    assert len((await desk.get("/v1/batches", OPERATOR)).json()["items"]) == 3
    cursor = first.json()["next"].partition("cursor=")[2]
    is_problem(await desk.get(f"/v1/batches?cursor={cursor}", STRANGER), 422, "invalid")


async def test_a_batch_can_be_cancelled_by_its_owner(desk: Desk) -> None:
    batch = (await _post(desk, [ITEM, ITEM])).json()
    path = batch["links"]["cancel"]

    is_problem(await desk.client.post(path, headers=STRANGER), 404, "no-such-batch")
    answers = [await desk.client.post(path, headers=SUBMITTER) for _ in range(2)]

    assert [answer.json()["cancelled"] for answer in answers] == [2, 0]
    assert (await desk.get(batch["links"]["self"])).json()["counts"] == {"cancelled": 2}


async def test_a_deleted_batch_is_gone(desk: Desk) -> None:
    batch = (await _post(desk, [ITEM, ITEM])).json()
    path = batch["links"]["self"]

    is_problem(await desk.client.delete(path, headers=STRANGER), 404, "no-such-batch")
    for _ in range(2):
        assert (await desk.client.delete(path, headers=SUBMITTER)).status_code == 204

    for one in (path, batch["links"]["result"], batch["links"]["events"]):
        is_problem(await desk.get(one), 410, "deleted")
    assert (await desk.get("/v1/batches")).json()["items"] == []
    document = await desk.get(f"/v1/documents/{batch['items'][0]['document_id']}")
    assert document.status_code == 410


async def test_only_those_who_see_all_documents_see_the_batches_of_others(desk: Desk) -> None:
    links = (await _post(desk, [ITEM])).json()["links"]

    assert (await desk.get(links["self"], OPERATOR)).status_code == 200
    for path in (links["self"], links["result"], links["events"]):
        is_problem(await desk.get(path, STRANGER), 404, "no-such-batch")
    is_problem(await desk.get(f"/v1/batches/{uuid4()}"), 404, "no-such-batch")
    refused = await desk.client.post("/v1/batches", json={"items": [ITEM]}, headers=REVIEWER)
    assert refused.status_code == 403


@pytest.mark.parametrize(
    "items",
    [[], [{"content_key": "data/json/1.json"}], [ITEM] * 1001, [ITEM | {"priority": "now"}]],
    ids=["none", "another place", "too many", "no priority"],
)
async def test_what_is_no_batch_is_refused(desk: Desk, items: list[Json]) -> None:
    answer = await _post(desk, items)

    is_problem(answer, 422, "invalid")
    assert answer.json()["errors"][0]["pointer"].startswith("/body/items")
    assert len(desk.documents.rows) == 1

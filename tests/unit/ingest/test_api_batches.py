"""The routes of batches."""

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests import builders
from tests.unit.ingest.desk import OPERATOR, REVIEWER, STRANGER, SUBMITTER, Desk, is_problem

ITEM = {"content_key": builders.CONTENT_KEY, "filename": "invoice.pdf"}


@pytest.fixture
async def desk() -> Desk:
    desk = Desk()
    await desk.upload()
    return desk


async def _post(desk: Desk, items: list[Mapping[str, Any]], **headers: str) -> httpx.Response:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return await desk.client.post(
        "/v1/batches", json={"items": items}, headers=SUBMITTER | names
    )


async def test_a_batch_is_accepted_looked_at_and_fetched(desk: Desk) -> None:
    answer = await _post(desk, [ITEM, ITEM | {"priority": "urgent"}])

    assert answer.status_code == 202
    batch = answer.json()
    assert batch["counts"] == {"queued": 2}
    is_problem(await desk.get(batch["links"]["result"]), 409, "not-ready")
    await desk.told(
        *(builders.stored(document_id=one["document_id"]) for one in batch["items"])
    )

    shown = (await desk.get(answer.headers["location"])).json()
    assert (shown["status"], shown["progress"], shown["revision"]) == ("completed", 100, 1)
    result = (await desk.get(batch["links"]["result"])).json()
    assert {one["total"] for one in result["items"]} == {builders.SUMMARY.total}


async def test_a_repeated_batch_says_so(desk: Desk) -> None:
    first = await _post(desk, [ITEM], idempotency_key="night-1")
    again = await _post(desk, [ITEM], idempotency_key="night-1")

    assert again.json()["batch_id"] == first.json()["batch_id"]
    assert again.headers["idempotency-replayed"] == "true"
    is_problem(
        await _post(desk, [ITEM] * 2, idempotency_key="night-1"), 422, "idempotency-mismatch"
    )


async def test_a_batch_can_be_cancelled_by_its_owner(desk: Desk) -> None:
    batch = (await _post(desk, [ITEM, ITEM])).json()
    path = batch["links"]["cancel"]

    is_problem(await desk.client.post(path, headers=STRANGER), 404, "no-such-batch")
    answer = await desk.client.post(path, headers=SUBMITTER)

    assert answer.json()["cancelled"] == 2
    assert (await desk.get(batch["links"]["self"])).json()["counts"] == {"cancelled": 2}


async def test_only_those_who_see_all_documents_see_the_batches_of_others(desk: Desk) -> None:
    path = (await _post(desk, [ITEM])).json()["links"]["self"]

    assert (await desk.get(path, OPERATOR)).status_code == 200
    is_problem(await desk.get(path, STRANGER), 404, "no-such-batch")
    is_problem(await desk.get(f"/v1/batches/{uuid4()}"), 404, "no-such-batch")
    refused = await desk.client.post("/v1/batches", json={"items": [ITEM]}, headers=REVIEWER)
    assert refused.status_code == 403


@pytest.mark.parametrize(
    "items",
    [[], [{"content_key": "data/json/1.json"}], [ITEM] * 1001, [ITEM | {"priority": "now"}]],
    ids=["none", "another place", "too many", "no priority"],
)
async def test_what_is_no_batch_is_refused(desk: Desk, items: list[Mapping[str, Any]]) -> None:
    assert (await _post(desk, items)).status_code == 422
    assert len(desk.documents.rows) == 1


async def test_a_batch_of_unknown_contents_is_refused(desk: Desk) -> None:
    unknown = {"content_key": "sha256/00/" + "0" * 64}

    is_problem(await _post(desk, [unknown]), 422, "nothing-accepted")

"""Who may use which route of the documents API, and how everybody else is answered."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests import builders
from tests.fakes.keys import key_of
from tests.unit.ingest.desk import OPERATOR, REVIEWER, STRANGER, SUBMITTER, Desk, is_problem


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    desk = Desk()
    async with desk.client:
        yield desk


ROUTES_WITH_AN_ID = ("", "/status", "/result", "/events", "/content", "/logs")


@pytest.mark.parametrize("route", ROUTES_WITH_AN_ID)
async def test_a_strangers_document_is_as_absent_as_one_that_never_was(
    desk: Desk, route: str
) -> None:
    document_id = await desk.accepted()

    theirs = await desk.get(f"/v1/documents/{document_id}{route}", STRANGER)
    never = await desk.get(f"/v1/documents/{uuid4()}{route}", STRANGER)

    is_problem(theirs, 404, "no-such-document")
    assert _without_trace(theirs) == _without_trace(never)
    assert (await desk.get("/v1/documents", STRANGER)).json()["items"] == []


@pytest.mark.parametrize("headers", [REVIEWER, OPERATOR], ids=["reviewer", "operator"])
async def test_some_roles_see_the_documents_of_all(desk: Desk, headers: dict[str, str]) -> None:
    document_id = await desk.accepted()

    shown = await desk.get(f"/v1/documents/{document_id}", headers)
    listed = await desk.get("/v1/documents", headers)

    assert shown.json()["owner_id"] == builders.OWNER
    assert [item["document_id"] for item in listed.json()["items"]] == [document_id]


async def test_seeing_a_document_is_not_having_its_bytes(desk: Desk) -> None:
    document_id = await desk.accepted()
    path = f"/v1/documents/{document_id}"

    sees_all = key_of("globex", "submitter+operator")

    assert (await desk.get(path, sees_all)).status_code == 200
    is_problem(await desk.get(f"{path}/content", sees_all), 404, "no-such-document")
    is_problem(await desk.get(f"{path}/content", OPERATOR), 403, "forbidden")
    for headers in (SUBMITTER, REVIEWER):
        assert (await desk.get(f"{path}/content", headers)).content == builders.PDF


ROUTES = [
    ("POST", "/v1/documents"),
    ("POST", "/documents"),
    ("GET", "/v1/documents"),
    *(("GET", f"/v1/documents/{uuid4()}{route}") for route in ROUTES_WITH_AN_ID),
    ("GET", f"/documents/{uuid4()}/status"),
    ("POST", f"/v1/documents/{uuid4()}/cancel"),
    ("POST", f"/v1/documents/{uuid4()}/reprocess"),
    ("DELETE", f"/v1/documents/{uuid4()}"),
    ("GET", "/v1/me"),
    ("GET", "/openapi.json"),
]


@pytest.mark.parametrize(("method", "path"), ROUTES)
@pytest.mark.parametrize(
    "headers",
    [{}, {"Authorization": "Bearer nobody"}, {"Authorization": "Basic YTpi"}],
    ids=["no key", "an unknown key", "another scheme"],
)
async def test_no_route_opens_without_a_key(
    desk: Desk, method: str, path: str, headers: dict[str, str]
) -> None:
    answer = await desk.client.request(method, path, headers=headers)

    is_problem(answer, 401, "unauthenticated")
    assert answer.headers["www-authenticate"].startswith("Bearer")


@pytest.mark.parametrize(
    ("method", "path", "headers"),
    [
        ("POST", "/v1/documents", REVIEWER),
        ("POST", "/documents", OPERATOR),
        ("GET", f"/v1/documents/{uuid4()}/content", OPERATOR),
        ("GET", "/v1/documents", key_of("x", "nothing")),
    ],
)
async def test_a_key_opens_only_what_its_role_allows(
    desk: Desk, method: str, path: str, headers: dict[str, str]
) -> None:
    is_problem(await desk.client.request(method, path, headers=headers), 403, "forbidden")


REFUSED: dict[str, tuple[dict[str, Any], int, str]] = {
    "no bytes": ({"content": b""}, 422, "empty"),
    "a page": ({"content": b"<html>"}, 415, "unsupported-type"),
    "too much": ({"content": builders.PDF + bytes(200_000)}, 413, "too-large"),
    "an unknown priority": ({"params": {"priority": "asap"}}, 422, "invalid"),
    "an unusable key": ({"headers": {"Idempotency-Key": "a b"}}, 422, "invalid"),
    "a form without a boundary": (
        {"headers": {"Content-Type": "multipart/form-data"}},
        400,
        "malformed-form",
    ),
    "a form without a file": ({"files": {"other": b"x"}}, 400, "malformed-form"),
    "a form with two files": (
        {"files": [("file", builders.PDF), ("file", builders.PDF)]},
        400,
        "malformed-form",
    ),
}


@pytest.mark.parametrize(("given", "status", "name"), REFUSED.values(), ids=REFUSED.keys())
async def test_a_bad_upload_is_refused_with_a_reason(
    desk: Desk, given: dict[str, Any], status: int, name: str
) -> None:
    request = {"content": builders.PDF} if "files" not in given else {}
    headers = SUBMITTER | given.get("headers", {})

    answer = await desk.client.post("/v1/documents", **{**request, **given, "headers": headers})

    is_problem(answer, status, name)
    assert not desk.documents.rows
    assert not desk.ledger.sent


async def test_an_unreadable_question_is_answered_with_where_it_is_wrong(desk: Desk) -> None:
    bad_id = await desk.get("/v1/documents/not-an-id")
    bad_cursor = await desk.get("/v1/documents?cursor=!!")
    bad_limit = await desk.get("/v1/documents?limit=201")

    for answer, pointer in (
        (bad_id, "/path/document_id"),
        (bad_cursor, "/query/cursor"),
        (bad_limit, "/query/limit"),
    ):
        is_problem(answer, 422, "invalid")
        assert [error["pointer"] for error in answer.json()["errors"]] == [pointer]


async def test_while_the_store_is_away_the_client_is_asked_to_come_back(desk: Desk) -> None:
    desk.blobs.away = True

    answer = await desk.upload()

    is_problem(answer, 503, "unavailable")
    assert answer.json()["retryable"] is True
    assert int(answer.headers["retry-after"]) > 0


async def test_a_caller_learns_what_its_key_opens(desk: Desk) -> None:
    mine = (await desk.get("/v1/me")).json()
    theirs = (await desk.get("/v1/me", REVIEWER)).json()

    assert (mine["owner_id"], mine["roles"]) == (builders.OWNER, ["submitter"])
    assert {"method": "POST", "path": "/v1/documents"} in mine["routes"]
    assert {"method": "POST", "path": "/v1/documents"} not in theirs["routes"]
    assert {"method": "GET", "path": "/v1/documents"} in theirs["routes"]


def _without_trace(answer: httpx.Response) -> dict[str, Any]:
    return {name: value for name, value in answer.json().items() if name != "trace_id"}

"""What every request passes: limits that hold while a body arrives, headers, errors."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from fastapi import Request
from pydantic import BaseModel, ConfigDict
from starlette.responses import StreamingResponse
from starlette.types import ASGIApp, Message

from shared.errors import Rejected, Retryable
from shared.observability.metrics import REGISTRY
from shared.web.app import build_app
from shared.web.gate import Limits
from shared.web.guard import guarded_router, needs, public
from tests.eventually import eventually
from tests.fakes.keys import SpeakingKeys, key_of

ANNA, BEN = key_of("anna", "submitter"), key_of("ben", "submitter")
LIMITS = Limits(body_bytes_max=100, upload_bytes_max=1000, upload_paths=frozenset({"/upload"}))

router = guarded_router()


class Note(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: str


@router.get("/open", openapi_extra=public())
async def read_open() -> str:
    return "open"


@router.post("/notes", openapi_extra=needs("documents:own:create"))
async def write_note(note: Note) -> str:
    return note.text


@router.post("/upload", openapi_extra=public())
async def upload(request: Request) -> int:
    return sum([len(chunk) async for chunk in request.stream()])


@router.get("/fails/{kind}", openapi_extra=public())
async def fail(kind: str) -> None:
    if kind == "away":
        raise Retryable("postgres at db-7 is down", after_s=7)
    if kind == "refused":
        raise Rejected("source_corrupt", "sha256/ab/secret")
    raise KeyError("password=hunter2")


@router.get("/stream", openapi_extra=public())
async def stream() -> StreamingResponse:
    async def silence() -> AsyncIterator[bytes]:
        yield b": "
        await asyncio.Event().wait()

    return StreamingResponse(silence(), media_type="text/event-stream")


def _app(limits: Limits = LIMITS) -> ASGIApp:
    return build_app("Test", [router], authenticator=SpeakingKeys(), state={}, limits=limits)


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(_app(), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        yield client


PROBLEMS: dict[str, tuple[str, str, dict[str, Any], int]] = {
    "no such address": ("GET", "/nowhere", {}, 404),
    "no such method": ("DELETE", "/open", {}, 405),
    "not JSON": ("POST", "/notes", {"content": b"{"}, 422),
    "an unknown field": ("POST", "/notes", {"json": {"text": "a", "status": "done"}}, 422),
    "a body too large": ("POST", "/notes", {"json": {"text": "a" * 200}}, 413),
    "no key": ("POST", "/notes", {"json": {"text": "a"}, "headers": {}}, 401),
    "a dependency away": ("GET", "/fails/away", {}, 503),
    "something refused inside": ("GET", "/fails/refused", {}, 500),
    "a bug": ("GET", "/fails/bug", {}, 500),
}


@pytest.mark.parametrize(
    ("method", "path", "given", "status"), PROBLEMS.values(), ids=PROBLEMS.keys()
)
async def test_every_error_is_a_problem_document_and_tells_no_secret(
    client: httpx.AsyncClient, method: str, path: str, given: dict[str, Any], status: int
) -> None:
    headers = {"headers": {**ANNA, "Content-Type": "application/json"}}

    answer = await client.request(method, path, **{**headers, **given})

    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == status
    assert not any(word in answer.text for word in ("db-7", "hunter2", "secret", "done"))


@pytest.mark.parametrize("path", ["/open", "/nowhere", "/fails/bug"])
async def test_every_answer_carries_the_security_headers(
    client: httpx.AsyncClient, path: str
) -> None:
    answer = await client.get(path)

    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert "server" not in answer.headers


async def test_a_stranger_is_refused_before_the_body_is_looked_at(
    client: httpx.AsyncClient,
) -> None:
    answer = await client.post(
        "/notes", content=b"{", headers={"Content-Type": "application/json"}
    )

    assert answer.status_code == 401


async def test_a_trace_goes_on_through_a_request(client: httpx.AsyncClient) -> None:
    trace_id = "0af7651916cd43dd8448eb211c80319c"
    parent = {"traceparent": f"00-{trace_id}-b7ad6b7169203331-01"}

    answer = await client.get("/nowhere", headers=parent)

    assert answer.json()["trace_id"] == trace_id


async def test_a_description_is_for_known_callers_and_names_what_each_route_needs(
    client: httpx.AsyncClient,
) -> None:
    unknown = await client.get("/openapi.json")
    known = await client.get("/openapi.json", headers=ANNA)

    assert unknown.status_code == 401
    operation = known.json()["paths"]["/notes"]["post"]
    assert operation["x-permissions"] == ["documents:own:create"]


def test_a_route_without_a_policy_cannot_be_made() -> None:
    careless = guarded_router()

    with pytest.raises(TypeError, match="no policy"):
        careless.get("/careless")(read_open)


class Exchange:
    """One request, spoken to the app chunk by chunk."""

    def __init__(
        self, path: str, chunks: list[bytes], headers: dict[str, str], method: str = "POST"
    ) -> None:
        self.scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "root_path": "",
            "scheme": "http",
            "headers": [(k.lower().encode(), v.encode()) for k, v in headers.items()],
            "server": ("test", 80),
            "client": ("test", 1),
        }
        self._chunks = chunks
        self.taken = 0
        self.status = 0
        self.body = b""

    async def receive(self) -> Message:
        if self.taken < len(self._chunks):
            self.taken += 1
            chunk = self._chunks[self.taken - 1]
            return {"type": "http.request", "body": chunk, "more_body": True}
        await asyncio.Event().wait()
        raise AssertionError("unreachable")

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            assert not self.status, "answered twice"
            self.status = message["status"]
        else:
            self.body += message.get("body", b"")


async def _exchange(exchange: Exchange, limits: Limits = LIMITS) -> Exchange:
    await _app(limits)(exchange.scope, exchange.receive, exchange.send)
    return exchange


async def test_a_body_without_a_length_is_cut_at_the_limit() -> None:
    exchange = await _exchange(Exchange("/upload", [bytes(400)] * 1000, {}))

    assert exchange.status == 413
    assert json.loads(exchange.body)["type"] == "/problems/too-large"
    assert exchange.taken == 3


async def test_an_announced_length_over_the_limit_is_refused_before_reading() -> None:
    exchange = await _exchange(Exchange("/upload", [b"x"], {"Content-Length": "300000000"}))

    assert (exchange.status, exchange.taken) == (413, 0)


async def test_a_body_that_drips_is_given_up() -> None:
    limits = Limits(upload_paths=frozenset({"/upload"}), upload_s=0.05)

    exchange = await _exchange(Exchange("/upload", [b"x"], {}), limits)

    assert exchange.status == 408
    assert json.loads(exchange.body)["retryable"] is True


async def test_many_uploads_in_one_request_have_limits_of_their_own() -> None:
    limits = Limits(
        bulk_paths=frozenset({"/upload"}), bulk_bytes_max=2000, bulk_s=0.05, body_s=60
    )
    large = Exchange("/upload", [b"x"], {"Content-Length": "2001"})

    assert (await _exchange(large, limits)).status == 413
    assert (await _exchange(Exchange("/upload", [b"x" * 2000], {}), limits)).status == 408


async def test_more_requests_at_once_than_can_be_served_are_told_so() -> None:
    limits = Limits(upload_paths=frozenset({"/upload"}), upload_s=0.2, requests_max=1)
    app = _app(limits)
    first, second = (Exchange("/upload", [b"x"], {}) for _ in range(2))

    await asyncio.gather(*(app(e.scope, e.receive, e.send) for e in (first, second)))

    assert (first.status, second.status) == (408, 503)


async def test_one_key_leaves_room_for_the_others() -> None:
    app = _app(Limits(requests_max=4, body_s=0.3))
    drips = [Exchange("/notes", [b"{"], ANNA) for _ in range(3)]
    dripping = [asyncio.ensure_future(app(e.scope, e.receive, e.send)) for e in drips]
    await eventually(lambda: drips[2].status == 429)
    other = Exchange("/notes", [b'{"text": "a"}'], BEN | {"Content-Type": "application/json"})

    # His body never ends, so that only the limit of all could keep him out.
    await app(other.scope, other.receive, other.send)
    await asyncio.gather(*dripping)

    assert json.loads(drips[2].body)["type"] == "/problems/too-many-at-once"
    assert [e.status for e in (*drips[:2], other)] == [408, 408, 408]
    later = Exchange("/notes", [b"{"], ANNA)
    await app(later.scope, later.receive, later.send)
    assert later.status == 408, "what is over takes no place"


async def test_an_open_event_stream_takes_no_place_of_a_request() -> None:
    app = _app(Limits(requests_max=1))
    listener, other = (Exchange(path, [], {}, "GET") for path in ("/stream", "/open"))
    listening = asyncio.ensure_future(app(listener.scope, listener.receive, listener.send))
    await eventually(lambda: listener.body == b": ")

    await app(other.scope, other.receive, other.send)

    assert (listener.status, other.status) == (200, 200)
    listening.cancel()
    await asyncio.wait({listening})


def test_an_error_of_ours_is_counted_from_zero() -> None:
    _app()

    labels = {"route": "/notes", "method": "POST", "status": "503"}
    assert REGISTRY.get_sample_value("paperline_http_requests_total", labels) is not None

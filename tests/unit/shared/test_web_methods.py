"""HEAD goes with every GET, and whoever comes with another method is told which there are."""

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest
from starlette.responses import StreamingResponse
from starlette.types import Message

from shared.web.app import build_app
from shared.web.guard import guarded_router, public
from tests.fakes.keys import SpeakingKeys

reading, writing = guarded_router(), guarded_router()


@reading.get("/things/{name}", openapi_extra=public())
async def read(name: str) -> str:
    return name


@writing.delete("/things/{name}", openapi_extra=public(), status_code=204)
async def remove(name: str) -> None:
    """Forgets the name."""


@reading.get("/endless", openapi_extra=public())
async def follow() -> StreamingResponse:
    async def silence() -> AsyncIterator[bytes]:
        while True:
            yield b": still here\n\n"
            await asyncio.Event().wait()

    return StreamingResponse(silence(), media_type="text/event-stream")


APP = build_app("things", [reading, writing], authenticator=SpeakingKeys(), state={})


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(APP)
    async with httpx.AsyncClient(transport=transport, base_url="http://things") as client:
        yield client


async def test_head_is_get_without_its_body(client: httpx.AsyncClient) -> None:
    whole = await client.get("/things/one")
    head = await client.head("/things/one")

    assert (whole.content, head.content) == (b'"one"', b"")
    assert (head.status_code, head.headers) == (whole.status_code, whole.headers)


async def test_the_headers_of_an_endless_stream_have_an_end() -> None:
    sent: list[Message] = []
    answered = asyncio.Event()
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "HEAD",
        "path": "/endless",
        "raw_path": b"/endless",
        "query_string": b"",
        "root_path": "",
        "scheme": "http",
        "headers": [],
        "server": ("things", 80),
        "client": ("things", 1),
    }

    async def receive() -> Message:
        await answered.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)
        if message["type"] == "http.response.body" and not message.get("more_body"):
            answered.set()

    async with asyncio.timeout(5):
        await APP(scope, receive, send)

    assert [one["type"] for one in sent] == ["http.response.start", "http.response.body"]
    assert not sent[1].get("body")


async def test_a_refusal_names_the_methods_of_all_routes_of_the_path(
    client: httpx.AsyncClient,
) -> None:
    refused = await client.put("/things/one")
    elsewhere = await client.put("/nowhere")

    assert (refused.status_code, refused.headers["allow"]) == (405, "GET, HEAD, DELETE")
    assert refused.headers["content-type"] == "application/problem+json"
    assert elsewhere.status_code == 404

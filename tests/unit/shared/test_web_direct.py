"""What the busiest routes do without the framework's layers, they must not lose."""

from collections.abc import AsyncIterator

import httpx
import pytest
from fastapi import Request
from pydantic import BaseModel
from starlette.responses import Response, StreamingResponse

from shared.errors import Retryable
from shared.web.app import build_app
from shared.web.guard import caller_of, direct_router, needs
from tests.fakes.keys import SpeakingKeys, key_of

ANNA = key_of("anna", "submitter")
STRANGER = key_of("anna", "nobody")

router = direct_router()


class Note(BaseModel):
    owner: str


@router.post("/notes", response_model=Note, openapi_extra=needs("documents:own:create"))
async def write_note(request: Request) -> Response:
    note = Note(owner=caller_of(request).owner_id)
    return Response(note.model_dump_json(), media_type="application/json")


@router.post("/breaks", openapi_extra=needs("documents:own:create"))
async def break_off(_: Request) -> Response:
    async def half() -> AsyncIterator[bytes]:
        yield b"half of it"
        raise Retryable("the disk is away")

    return StreamingResponse(half())


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    app = build_app("Direct", [router], authenticator=SpeakingKeys(), state={})
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://direct") as client:
        yield client


async def test_a_direct_route_is_guarded_like_any_other(client: httpx.AsyncClient) -> None:
    assert (await client.post("/notes")).status_code == 401
    refused = await client.post("/notes", headers=STRANGER)
    assert refused.status_code == 403
    assert refused.headers["content-type"] == "application/problem+json"
    assert (await client.post("/notes", headers=ANNA)).json() == {"owner": "anna"}


async def test_a_direct_route_is_described_by_its_model(client: httpx.AsyncClient) -> None:
    description = (await client.get("/openapi.json", headers=ANNA)).json()
    told = description["paths"]["/notes"]["post"]["responses"]["200"]["content"]
    assert told["application/json"]["schema"] == {"$ref": "#/components/schemas/Note"}


async def test_an_answer_that_has_begun_is_broken_off_and_not_made_another(
    client: httpx.AsyncClient,
) -> None:
    with pytest.raises(Retryable):
        await client.post("/breaks", headers=ANNA)

"""Spans over OTLP to a receiver that others made, and read back from it."""

from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from subprocess import Popen
from typing import Any
from uuid import UUID

import httpx
import pytest

from deploy.local.phoenix import ADVICE, phoenix_program
from tests.eventually import eventually
from tests.prometheus import free_port
from tests.system.client import Client
from tests.system.invoices import invoice
from tests.system.stack import Stack
from tests.system.test_when_a_document_is_traced import WAY

pytestmark = pytest.mark.slow

OF_EACH_SERVICE = {
    "POST",
    "process extractor.extract",
    "process storage.store",
    "process review.open",
    "process monitor.watch",
}
Spans = list[dict[str, Any]]


@pytest.fixture(scope="module")
async def phoenix(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[httpx.AsyncClient]:
    program = phoenix_program()
    if program is None:
        pytest.skip(f"no Phoenix: {ADVICE}")
    port = free_port()
    process = _started(program, port, tmp_path_factory.mktemp("phoenix"))
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as http:
            await eventually(lambda: _answers(http), within_s=120, every_s=1)
            yield http
    finally:
        process.terminate()
        process.wait()


def _started(program: Path, port: int, folder: Path) -> Popen[bytes]:
    told = {
        "PHOENIX_WORKING_DIR": str(folder),
        "PHOENIX_HOST": "127.0.0.1",
        "PHOENIX_PORT": str(port),
        "PHOENIX_GRPC_PORT": str(free_port()),
        "PHOENIX_TELEMETRY_ENABLED": "false",
    }
    with pytest.MonkeyPatch.context() as surroundings, (folder / "log").open("w") as log:
        for name, text in told.items():
            surroundings.setenv(name, text)
        return Popen([program, "serve"], stdout=log, stderr=log)


@pytest.fixture
async def told_to_phoenix(phoenix: httpx.AsyncClient, stack: Stack) -> AsyncIterator[None]:
    """The services send their spans there, and afterwards where they did before."""
    with pytest.MonkeyPatch.context() as surroundings:
        surroundings.setenv("PAPERLINE_OTLP_ENDPOINT", str(phoenix.base_url))
        await stack.up()
        yield
    await stack.up()


@pytest.mark.usefixtures("told_to_phoenix")
async def test_it_shows_one_trace_through_all_services_in_order(
    phoenix: httpx.AsyncClient, client: Client
) -> None:
    trace_id = token_hex(16)
    answer = await client.upload(invoice(), traceparent=f"00-{trace_id}-{token_hex(8)}-01")
    document_id = UUID(answer.json()["document_id"])
    await client.ends(document_id)
    await client.review_item(document_id)
    await client.approve(document_id)

    async def all_told() -> bool:
        return {one["name"] for one in await _spans(phoenix, trace_id)} >= {
            *WAY,
            *OF_EACH_SERVICE,
        }

    await eventually(all_told, within_s=60, every_s=1)
    spans = await _spans(phoenix, trace_id)
    began = {one["name"]: one["start_time"] for one in reversed(spans)}
    assert sorted(WAY, key=began.__getitem__) == list(WAY)
    known = {one["context"]["span_id"] for one in spans}
    assert [one["name"] for one in spans if one["parent_id"] not in known] == ["POST"]


async def _spans(phoenix: httpx.AsyncClient, trace_id: str) -> Spans:
    """In the order in which they began."""
    answer = await phoenix.get("/v1/projects/default/spans", params={"limit": 1000})
    if answer.is_error:
        # The project is there with its first span.
        return []
    found: Spans = answer.json()["data"]
    ours = [one for one in found if one["context"]["trace_id"] == trace_id]
    return sorted(ours, key=lambda one: str(one["start_time"]))


async def _answers(http: httpx.AsyncClient) -> bool:
    with suppress(httpx.TransportError):
        return (await http.get("/healthz")).is_success
    return False

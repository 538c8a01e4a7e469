"""Requests that nobody in their right mind sends: no 5xx, and every error in the one format.

What a description allows and what it forbids is made up by schemathesis from the description
itself; what no description knows, such as bytes that are not HTTP, is written down here.
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from deploy.local.state import REPOSITORY
from tests.eventually import eventually
from tests.system.client import Client
from tests.system.every_error import PROBLEM
from tests.system.stack import Stack

EXAMPLES, MANY_EXAMPLES = 15, 400
SEED = 20
# How long a machine takes says nothing about what it answers.
PATIENCE_S = "30"
# Random bytes are no document, so that what is well formed is refused all the same.
LEFT_OUT = {
    "ingest": "positive_data_acceptance",
    # `GET /v1/items/next` is a document of a malformed id, and no missing method.
    "review": "positive_data_acceptance,unsupported_method,allow_header_conformance",
    "monitor": "positive_data_acceptance",
}

# Daily the one that strangers reach.
services = pytest.mark.parametrize(
    "service",
    [pytest.param(one, marks=() if one == "ingest" else pytest.mark.slow) for one in LEFT_OUT],
)


@services
async def test_every_answer_is_one_that_is_described(
    service: str, client: Client, stack: Stack, tmp_path: Path
) -> None:
    # The largest batch is a thousand documents, which are then read.
    short = ("--phases=examples,coverage,fuzzing", "--exclude-name=POST /v1/batches")
    options = (f"--max-examples={EXAMPLES}", f"--seed={SEED}", *short)

    await _require_conformance(service, stack, tmp_path, options)

    await client.note_all()
    if service == "monitor":
        await _let_everything_run(client)


@pytest.mark.slow
@services
async def test_every_answer_is_one_that_is_described_however_long_one_tries(
    service: str, client: Client, stack: Stack, tmp_path: Path
) -> None:
    # Below the rate of one key, or most answers would say no more than that.
    options = (f"--max-examples={MANY_EXAMPLES}", "--rate-limit=190/s")

    await _require_conformance(service, stack, tmp_path, options)

    await client.note_all()
    if service == "monitor":
        await _let_everything_run(client)


HUGE = "a" * 60_000
REQUESTS: dict[str, tuple[bytes, int]] = {
    "a NUL in a query": (b"GET /v1/documents?q=%00", 422),
    "a NUL in a path": (b"GET /v1/documents/%00", 422),
    "bytes that are no text in a query": (b"GET /v1/documents?q=%ff%fe", 200),
    "half a character in a query": (b"GET /v1/documents?tag=%ed%a0%80", 200),
    "bytes that are no text in a path": (b"GET /v1/documents/%ff", 422),
    "raw bytes in a query": (b"GET /v1/documents?q=\xff\xfe", 400),
    "a huge query value": (f"GET /v1/documents?q={HUGE}".encode(), 422),
    "a number beyond any": (b"GET /v1/documents?limit=" + b"9" * 400, 422),
    "a moment before time": (
        b"GET /v1/documents?accepted_after=0001-01-01T00:00:00%2B14:00",
        422,
    ),
    "a cursor of rubbish": (b"GET /v1/documents?cursor=%ff%00", 422),
    "a path that leads nowhere": (b"GET /nothing", 404),
    "a path that climbs": (b"GET /v1/documents/../../etc/passwd", 404),
    "a page that climbs": (b"GET /page/%2e%2e%2fpages.py", 404),
    "a star": (b"OPTIONS *", 404),
    "another method": (b"PUT /v1/documents", 405),
    "a tunnel": (b"CONNECT /v1/documents", 405),
    "an echo": (b"TRACE /v1/documents", 405),
    "a method that is none": (b"MAKE /v1/documents", 400),
}
HEADERS: dict[str, tuple[bytes, int]] = {
    "a header that is none": (b"Bad Header: x", 400),
    "a NUL in a header": (b"X-Nul: a\x00b", 400),
    "raw bytes in a header": (b"X-Raw: \xff\xfe", 200),
    "raw bytes in a tag": (b"If-None-Match: \xff", 200),
    "raw bytes in a cookie": (b"Cookie: paperline_session=\xff\xfe", 200),
    "a trace that is none": (b"traceparent: 00-zz-\xff-01", 200),
    "a negative length": (b"Content-Length: -1", 400),
    "a length beyond any": (b"Content-Length: " + b"9" * 40, 400),
    "an encoding that is none": (b"Transfer-Encoding: foo", 400),
    "more headers than anybody needs": (b"X-Many: a\r\n" * 20_000 + b"X: y", 431),
}
SENT = {
    **{what: (line, b"X: y", status) for what, (line, status) in REQUESTS.items()},
    **{what: (b"GET /v1/documents", more, status) for what, (more, status) in HEADERS.items()},
}


@pytest.mark.parametrize(("line", "header", "status"), SENT.values(), ids=SENT.keys())
async def test_nonsense_is_refused_in_the_one_format(
    line: bytes, header: bytes, status: int, stack: Stack
) -> None:
    login = f"Host: x\r\nConnection: close\r\nAuthorization: Bearer {stack.key}".encode()
    request = b"\r\n".join([line + b" HTTP/1.1", login, header, b"", b""])

    head, _, body = (await _answer_to(request, stack)).partition(b"\r\n\r\n")

    assert int(head.split()[1]) == status
    if status >= 400:
        assert f"content-type: {PROBLEM}".encode() in head.lower()
        assert json.loads(body)["status"] == status


async def test_what_may_be_done_instead_is_told(client: Client, stack: Stack) -> None:
    address = stack.address("ingest_api")
    answer = await client.http.put(f"{address}/v1/documents")

    assert answer.headers["Allow"] == "GET, HEAD, POST"


async def _answer_to(request: bytes, stack: Stack) -> bytes:
    address = urlsplit(stack.address("ingest_api"))
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    try:
        writer.write(request)
        async with asyncio.timeout(10):
            return await reader.read()
    finally:
        writer.close()


async def _let_everything_run(client: Client) -> None:
    """What anybody may send includes pauses of queues that others need."""
    for queue in await _queues(client):
        if queue["pausable"]:
            path = f"/ops/v1/queues/{queue['name']}/resume"
            answer = await client.post("monitor", path, json={"reason": "It was tried."})
            assert answer.is_success, answer.text

    async def is_running() -> bool:
        return not any(queue["pauses"] for queue in await _queues(client))

    await eventually(is_running, within_s=30, every_s=0.25)


async def _queues(client: Client) -> list[dict[str, Any]]:
    queues: list[dict[str, Any]] = (await client.get("monitor", "/ops/v1/queues"))["queues"]
    return queues


async def _require_conformance(
    service: str, stack: Stack, folder: Path, options: tuple[str, ...]
) -> None:
    address, login = stack.address(f"{service}_api"), f"Authorization: Bearer {stack.key}"
    described = folder / "openapi.json"
    described.write_text(await _description(address, login))
    process = await asyncio.create_subprocess_exec(
        *(str(Path(sys.executable).with_name("schemathesis")), "run", str(described)),
        *("--url", address, "--header", login, "--request-timeout", PATIENCE_S),
        *("--max-response-time", PATIENCE_S),
        *("--checks", "all", "--exclude-checks", LEFT_OUT[service]),
        # One that exists is written to, wherever its address leads.
        *("--exclude-name", "POST /v1/webhooks"),
        *("--no-color", "--generation-database", "none", "--continue-on-failure", *options),
        cwd=folder,
        env={
            "PATH": os.defpath,
            "PYTHONPATH": str(REPOSITORY),
            "SCHEMATHESIS_HOOKS": "tests.system.every_error",
        },
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await process.communicate()
    assert process.returncode == 0, said.decode()


async def _description(address: str, login: str) -> str:
    name, _, value = login.partition(": ")
    async with httpx.AsyncClient() as http:
        answer = await http.get(f"{address}/openapi.json", headers={name: value})
    assert answer.status_code == 200
    return answer.text

"""Uploads that are too large, many at once, or without an end: bounded, refused, and gone.

A limit is worth what it holds against a client that lies about it: by a length that is false
or missing, by many at the same time, or by never finishing.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable
from contextlib import suppress
from http import HTTPStatus
from secrets import token_bytes, token_hex

import httpx
import pytest

from shared.blobs.filesystem import TEMP
from tests.eventually import eventually
from tests.system.client import Client, client_of
from tests.system.invoices import invoice
from tests.system.keys import issued_key
from tests.system.records import Records
from tests.system.replicas import replica_of
from tests.system.stack import Stack

log = logging.getLogger(__name__)

MEBIBYTE = 1 << 20
LIMIT_BYTES = 25 * MEBIBYTE
HUGE_BYTES = 300 * MEBIBYTE
AT_ONCE = 20
GROWTH_BYTES_MAX = 50 * MEBIBYTE
UPLOAD_S = 3
SLOW = 50
DRIPS_EVERY_S = 0.2
# Before they have said who they are, and all of them.
AT_THE_DOOR, CROWD, ASKED = 400, 500, 100
PROBLEM = "application/problem+json"
DOCUMENTS = "SELECT count(*) AS count FROM ingest.documents"


async def pieces(size: int) -> AsyncIterator[bytes]:
    """Different bytes each time, that begin as a PDF does."""
    yield b"%PDF-1.7\n" + token_bytes(MEBIBYTE - 9)
    filling = bytes(MEBIBYTE)
    for _ in range(size // MEBIBYTE - 1):
        yield filling


async def hand_in(client: Client, size: int, name: str, **headers: str) -> httpx.Response:
    return await client.http.post(
        client.stack.address("ingest_api") + "/v1/documents",
        content=pieces(size),
        headers={"Authorization": f"Bearer {client.stack.key}", "X-Filename": name, **headers},
        timeout=120,
    )


def kept(stack: Stack) -> set[str]:
    """Everything in the store, drafts as well."""
    folders = (stack.blobs / TEMP, stack.blobs / "sha256")
    return {str(one) for folder in folders for one in folder.rglob("*") if one.is_file()}


async def count_of(records: Records) -> int:
    [row] = await records.rows(DOCUMENTS)
    return int(row["count"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "declared", [{"Content-Length": str(HUGE_BYTES)}, {}], ids=["declared", "chunked"]
)
async def test_three_hundred_megabytes_are_cut_at_the_limit_and_leave_nothing(
    declared: dict[str, str], client: Client, stack: Stack, records: Records
) -> None:
    await eventually(records.is_quiet, within_s=60, every_s=0.25)
    before, count = kept(stack), await count_of(records)

    answer = await hand_in(client, HUGE_BYTES, "huge.pdf", **declared)

    assert answer.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    assert answer.headers["Content-Type"] == PROBLEM
    assert answer.json()["type"] == "/problems/too-large"
    await eventually(lambda: kept(stack) == before)
    assert await count_of(records) == count


@pytest.mark.slow
async def test_twenty_at_once_take_next_to_no_memory(
    client: Client, stack: Stack, records: Records
) -> None:
    # Nobody is to read them: they are about ingest.
    await stack.stop("extractor")
    try:
        # What is loaded, opened and allocated once is no growth.
        await accepted(hand_in(client, LIMIT_BYTES, "first.pdf"), client)
        before = peak = stack.resident_bytes("ingest")
        uploads = asyncio.gather(
            *(
                accepted(hand_in(client, LIMIT_BYTES, f"{nth}.pdf"), client)
                for nth in range(AT_ONCE)
            )
        )

        def are_in() -> bool:
            nonlocal peak
            peak = max(peak, stack.resident_bytes("ingest"))
            return uploads.done()

        await eventually(are_in, within_s=180)
        await uploads
    finally:
        await stack.start("extractor")

    log.info("%.1f MB before, %.1f MB at most", before / 1e6, peak / 1e6)
    assert peak - before < GROWTH_BYTES_MAX
    await eventually(records.is_quiet, within_s=60, every_s=0.25)


async def accepted(answering: Awaitable[httpx.Response], client: Client) -> None:
    """And deleted, so that neither the reader nor the disk has to do with it."""
    answer = await answering
    assert answer.status_code == HTTPStatus.ACCEPTED, answer.text
    path = f"/v1/documents/{answer.json()['document_id']}"
    assert (await client.delete("ingest", path)).status_code == HTTPStatus.NO_CONTENT


@pytest.mark.slow
async def test_who_drips_is_cut_off_in_time_and_the_others_are_served(
    client: Client, stack: Stack, records: Records
) -> None:
    await eventually(records.is_quiet, within_s=60, every_s=0.25)
    before, count = kept(stack), await count_of(records)
    async with (
        replica_of(stack, "ingest", 2, PAPERLINE_UPLOAD_S=str(UPLOAD_S)) as slow,
        client_of(slow) as other,
    ):
        dripping = asyncio.gather(*(drip(slow) for _ in range(SLOW)))
        healthy = await other.hand_in(invoice(), filename=token_hex(6))
        answers = await dripping
        ended = await other.ends(healthy)
        client.promised |= other.promised

    assert ended["status"] == "completed"
    for head, _, body in (answer.partition(b"\r\n\r\n") for answer in answers):
        assert head.startswith(b"HTTP/1.1 408 ")
        assert f"content-type: {PROBLEM}".encode() in head.lower()
        assert b"/problems/request-timeout" in body
    left = {one for one in kept(stack) - before if TEMP in one}
    assert not left
    assert await count_of(records) == count + 1


@pytest.mark.slow
async def test_five_hundred_who_drip_leave_room_for_the_others(
    client: Client, stack: Stack
) -> None:
    # Those at the door have not said who they are; of one key more than its half is refused.
    key = await issued_key(stack, f"drips-{token_hex(3)}", "submitter")
    head = b"GET /v1/documents HTTP/1.1\r\nHost: x\r\nX-Slow: "
    crowd = Crowd(stack)
    dripping = [
        *(asyncio.create_task(crowd.drips_on(head)) for _ in range(AT_THE_DOOR)),
        *(
            asyncio.create_task(crowd.drips(_upload_of(key)))
            for _ in range(CROWD - AT_THE_DOOR)
        ),
    ]
    try:
        await eventually(lambda: crowd.begun >= CROWD, within_s=30)
        took_s = [await _asked(client) for _ in range(ASKED)]
        healthy = await client.hand_in(invoice(), filename=token_hex(6))
        there = crowd.there
    finally:
        for one in dripping:
            one.cancel()
        await asyncio.gather(*dripping, return_exceptions=True)

    log.info("p99 %.0f ms beside %d", 1e3 * sorted(took_s)[int(0.99 * ASKED)], there)
    assert (await client.ends(healthy))["status"] == "completed"
    assert crowd.there == 0 < there


async def _asked(client: Client) -> float:
    began = time.monotonic()
    answer = await client.ask("ingest", "/v1/documents?limit=1")
    assert answer.status_code == HTTPStatus.OK
    return time.monotonic() - began


def _upload_of(key: str) -> bytes:
    return (
        f"POST /v1/documents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n"
        f"Content-Length: {MEBIBYTE}\r\n\r\n%PDF-1.7\n"
    ).encode()


class Crowd:
    """Clients that say a byte now and then."""

    def __init__(self, stack: Stack) -> None:
        self._address = stack.address("ingest_api").removeprefix("http://").split(":")
        self.begun = self.there = 0

    async def drips_on(self, beginning: bytes) -> None:
        """Whoever is cut off comes again."""
        while True:
            await self.drips(beginning)

    async def drips(self, beginning: bytes) -> None:
        reader, writer = await asyncio.open_connection(*self._address)
        self.begun += 1
        self.there += 1
        writer.write(beginning)
        answer = asyncio.ensure_future(reader.read())
        try:
            while not answer.done():
                writer.write(b".")
                await asyncio.wait({answer}, timeout=DRIPS_EVERY_S)
        finally:
            self.there -= 1
            answer.cancel()
            writer.close()


async def drip(stack: Stack) -> bytes:
    """Enough for a draft on the disk, then a byte now and then; what is answered in the end."""
    host, _, port = stack.address("ingest_api").removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    head = (
        f"POST /v1/documents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {stack.key}\r\n"
        f"Content-Length: {LIMIT_BYTES}\r\n\r\n%PDF-1.7\n"
    )
    writer.write(head.encode() + bytes(2 * MEBIBYTE))
    answer = asyncio.ensure_future(reader.read())
    try:
        async with asyncio.timeout(10 * UPLOAD_S):
            while not answer.done():
                writer.write(b".")
                await asyncio.wait({answer}, timeout=DRIPS_EVERY_S)
        return answer.result()
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

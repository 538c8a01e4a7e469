"""Uploads as cheap as a client can make them: ready bytes on kept connections.

A client library would cost more than the server it measures, and on a small machine the two
share the processors.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from http import HTTPStatus
from secrets import token_bytes

CONNECTIONS = 32
ANSWER_BYTES_MAX = 64 * 1024


def contents(count: int, size_bytes: int) -> list[bytes]:
    """Different ones that begin as a PDF does: what they hold is nobody's concern here."""
    filling = token_bytes(size_bytes - 64)
    return [b"%PDF-1.7\n" + token_bytes(55) + filling for _ in range(count)]


async def upload_all(
    port: int, path: str, bodies: Sequence[bytes], *, key: str = "", priority: str = ""
) -> None:
    """Every one is accepted, or this raises."""
    left = iter(bodies)

    async def one_after_the_other() -> None:
        async with sender(port, path, key=key, priority=priority) as send:
            for body in left:
                await send(body)

    async with asyncio.TaskGroup() as group:
        for _ in range(CONNECTIONS):
            group.create_task(one_after_the_other())


@asynccontextmanager
async def sender(
    port: int, path: str, *, key: str = "", priority: str = ""
) -> AsyncIterator[Callable[[bytes], Awaitable[bytes]]]:
    """One kept connection; what is sent over it is accepted, or this raises."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=ANSWER_BYTES_MAX)
    head = _head(path, key, priority)

    async def send(body: bytes) -> bytes:
        writer.writelines((f"{head}{len(body)}\r\n\r\n".encode(), body))
        await writer.drain()
        status, text = await _answer(reader)
        if status != HTTPStatus.ACCEPTED:
            raise RuntimeError(f"an upload was answered with {status}: {text[:300]!r}")
        return text

    try:
        yield send
    finally:
        writer.close()
        await writer.wait_closed()


def _head(path: str, key: str, priority: str) -> str:
    urgency = f"X-Priority: {priority}\r\n" if priority else ""
    return (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/pdf\r\n"
        f"{urgency}Authorization: Bearer {key}\r\nContent-Length: "
    )


async def _answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").lower().split("\r\n")
    names = dict(line.split(": ", 1) for line in lines if ": " in line)
    if "content-length" in names:
        return int(first.split()[1]), await reader.readexactly(int(names["content-length"]))
    return int(first.split()[1]), await _chunks(reader)


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    text = b""
    while size := int(await reader.readline(), 16):
        text += await reader.readexactly(size)
        await reader.readline()
    await reader.readline()
    return text

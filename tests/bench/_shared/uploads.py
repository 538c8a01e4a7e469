"""Uploads as cheap as a client can make them: ready bytes on kept connections.

A client library would cost more than the server it measures, and on a small machine the two
share the processors.
"""

import asyncio
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from secrets import token_bytes

CONNECTIONS = 32
ANSWER_BYTES_MAX = 64 * 1024


def contents(count: int, size_bytes: int) -> list[bytes]:
    """Different ones that begin as a PDF does: what they hold is nobody's concern here."""
    filling = token_bytes(size_bytes - 64)
    return [b"%PDF-1.7\n" + token_bytes(55) + filling for _ in range(count)]


async def upload_all(port: int, path: str, bodies: Sequence[bytes], *, key: str = "") -> None:
    """Every one is accepted, or this raises."""
    left = iter(bodies)
    async with asyncio.TaskGroup() as group:
        for _ in range(CONNECTIONS):
            group.create_task(_one_after_the_other(port, _head(path, key), left))


def _head(path: str, key: str) -> str:
    return (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/pdf\r\n"
        f"Authorization: Bearer {key}\r\nContent-Length: "
    )


async def _one_after_the_other(port: int, head: str, bodies: Iterator[bytes]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=ANSWER_BYTES_MAX)
    try:
        for body in bodies:
            writer.writelines((f"{head}{len(body)}\r\n\r\n".encode(), body))
            await writer.drain()
            status, text = await _answer(reader)
            if status != HTTPStatus.ACCEPTED:
                raise RuntimeError(f"an upload was answered with {status}: {text[:300]!r}")
    finally:
        writer.close()
        await writer.wait_closed()


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

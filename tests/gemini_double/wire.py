"""As much of HTTP/1.1 as a client of the API speaks, and the ways in which it can go wrong."""

import asyncio
import socket
import struct
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

HEAD_BYTES_MAX = 64 * 1024
BODY_BYTES_MAX = 64 * 1024 * 1024
DRIP_S = 0.5
REASONS = {200: "OK", 400: "Bad Request", 403: "Forbidden", 404: "Not Found"}


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Response:
    status: int
    body: bytes
    media_type: str = "application/json; charset=UTF-8"
    headers: Mapping[str, str] = field(default_factory=dict)

    def head(self) -> bytes:
        reason = REASONS.get(self.status, "Said")
        return (
            f"HTTP/1.1 {self.status} {reason}\r\ncontent-type: {self.media_type}\r\n"
            f"content-length: {len(self.body)}\r\n"
            + "".join(f"{name}: {value}\r\n" for name, value in self.headers.items())
            + "\r\n"
        ).encode()


async def read_request(reader: asyncio.StreamReader) -> Request | None:
    """None when the client has left between two requests."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    except asyncio.IncompleteReadError:
        return None
    method, path, _ = head[0].split(" ", 2)
    headers = {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition(":") for line in head[1:] if line)
    }
    length = int(headers.get("content-length", "0"))
    if length > BODY_BYTES_MAX:
        raise ValueError("more than the double reads")
    return Request(method, path, headers, await reader.readexactly(length))


async def send(writer: asyncio.StreamWriter, response: Response) -> None:
    writer.write(response.head() + response.body)
    await writer.drain()


async def pause(seconds: float) -> None:
    """A server that takes its time; no test waits for it to pass."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await asyncio.get_running_loop().create_future()


async def hang(reader: asyncio.StreamReader) -> None:
    """Until the other side gives up."""
    await reader.read()


async def drip(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, response: Response
) -> None:
    """Each byte comes in time, the whole never does."""
    writer.write(response.head())
    for at in range(len(response.body)):
        if reader.at_eof():
            return
        writer.write(response.body[at : at + 1])
        await writer.drain()
        await pause(DRIP_S)


async def reset(writer: asyncio.StreamWriter, sent: bytes = b"") -> None:
    """A closed socket that still lingers zero seconds says RST instead of FIN."""
    writer.write(sent)
    await writer.drain()
    connection = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()

"""Somebody else's web server, on loopback: keeps what it was told, answers as it is told.

Raw sockets, because the interesting receivers are those that no web framework would make.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

Say = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Heard:
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(slots=True)
class Receiver:
    port: int = 0
    heard: list[Heard] = field(default_factory=list)
    connections: int = 0
    # In turn, the last one for ever.
    answers: list[bytes | Say] = field(default_factory=lambda: [status(200)])
    _serving: list[asyncio.Task[None] | None] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._serving.append(asyncio.current_task())
        try:
            await self._answer(reader, writer)
        except (OSError, EOFError, asyncio.CancelledError):
            # The other side left, or the test is over.
            return
        finally:
            writer.close()

    async def end(self) -> None:
        tasks = [one for one in self._serving if one is not None]
        for one in tasks:
            one.cancel()
        await asyncio.gather(*tasks)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ")
        headers = {
            name.lower(): value
            for name, _, value in (line.partition(": ") for line in head[1:] if line)
        }
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        self.heard.append(Heard(method, path, headers, body))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, bytes):
            writer.write(answer)
            await writer.drain()
        else:
            await answer(reader, writer)


def status(code: int, text: str = "", **headers: str) -> bytes:
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    body = text.encode()
    head = [f"HTTP/1.1 {code} Said", f"Content-Length: {len(body)}", *lines, "", ""]
    return "\r\n".join(head).encode() + body


async def silence(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
    """Until the other side gives up."""
    await reader.read()


async def dripping_head(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while not reader.at_eof():
        writer.write(b"X-More: 1\r\n")
        with suppress(TimeoutError):
            async with asyncio.timeout(0.02):
                await reader.read(1)


async def unfinished(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nthe beginning")
    await reader.read()


@asynccontextmanager
async def receiver(trust: ssl.SSLContext | None = None) -> AsyncIterator[Receiver]:
    one = Receiver()
    server = await asyncio.start_server(one.serve, "127.0.0.1", 0, ssl=trust)
    one.port = server.sockets[0].getsockname()[1]
    try:
        yield one
    finally:
        server.close()
        await one.end()
        await server.wait_closed()

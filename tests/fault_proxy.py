"""A network that misbehaves on purpose, between one of our processes and a real server.

It forwards real bytes over real sockets, on loopback, until it is told to do something else;
what it is told holds for the connections that are open too, as with a real outage.
"""

import asyncio
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

CHUNK_BYTES = 64 * 1024
# Closed like this, a socket says at once and rudely that it is gone.
_RESET = struct.pack("ii", 1, 0)


@dataclass(frozen=True, slots=True)
class Forward:
    """Everything passes, after a while if one is given."""

    latency_s: float = 0


@dataclass(frozen=True, slots=True)
class Cut:
    """Each connection is reset once so many bytes went this way, so many times."""

    towards: str  # "server" or "client"
    after_bytes: int
    times: int = 1_000_000


@dataclass(frozen=True, slots=True)
class Hang:
    """Taken in and never answered."""


@dataclass(frozen=True, slots=True)
class Answer:
    """HTTP requests are answered with this instead of by the server, so many times."""

    status: int
    code: str
    times: int


Fault = Forward | Cut | Hang | Answer


@dataclass(slots=True)
class FaultProxy:
    target: tuple[str, int]
    port: int = 0
    fault: Fault = field(default_factory=Forward)
    # How many connections or requests met what the proxy was told.
    struck: int = 0
    _server: asyncio.Server | None = None
    _told: list[asyncio.Task[None]] = field(default_factory=list)
    _writers: list[asyncio.StreamWriter] = field(default_factory=list)
    _answered: int = 0

    def do(self, fault: Fault) -> None:
        self.fault, self.struck, self._answered = fault, 0, 0

    async def admit(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def refuse(self) -> None:
        """Nobody listens any more, and whoever was connected is thrown out."""
        if self._server is not None:
            self._server.close()
            self._server = None
        for writer in self._writers:
            _reset(writer)
        self._writers.clear()

    async def end(self) -> None:
        await self.refuse()
        for task in self._told:
            task.cancel()
        await asyncio.gather(*self._told, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._told.append(task)
        self._writers.append(writer)
        try:
            theirs, ours = await asyncio.open_connection(*self.target)
            self._writers.append(ours)
            async with asyncio.TaskGroup() as group:
                group.create_task(self._carry(reader, ours, writer, "server"))
                group.create_task(self._carry(theirs, writer, ours, "client"))
        except* (OSError, EOFError):
            # One of the two left, which is what they do in a network like this.
            _reset(writer)

    async def _carry(
        self,
        source: asyncio.StreamReader,
        sink: asyncio.StreamWriter,
        other: asyncio.StreamWriter,
        towards: str,
    ) -> None:
        cut, passed = None, 0
        while chunk := await source.read(CHUNK_BYTES):
            fault = self.fault
            if fault is not cut:
                cut, passed = fault, 0
            match fault:
                case Forward(latency_s):
                    await _nothing_for(latency_s)
                case Hang():
                    self.struck += 1
                    await asyncio.Event().wait()
                case Answer() if towards == "server" and self._answered < fault.times:
                    self._answered += 1
                    self.struck += 1
                    await _say(other, fault)
                    raise ConnectionResetError
                case Cut(direction, after_bytes, times) if (
                    direction == towards and self.struck < times
                ):
                    chunk = chunk[: after_bytes - passed]
                    passed += len(chunk)
                    sink.write(chunk)
                    await sink.drain()
                    if passed >= after_bytes:
                        self.struck += 1
                        _reset(sink)
                        _reset(other)
                        raise ConnectionResetError
                    continue
            sink.write(chunk)
            await sink.drain()
        sink.close()


@asynccontextmanager
async def fault_proxy(host: str, port: int) -> AsyncIterator[FaultProxy]:
    proxy = FaultProxy((host, port))
    await proxy.admit()
    try:
        yield proxy
    finally:
        await proxy.end()


async def _say(writer: asyncio.StreamWriter, answer: Answer) -> None:
    body = f"<Error><Code>{answer.code}</Code><Message>not now</Message></Error>".encode()
    head = (
        f"HTTP/1.1 {answer.status} Not Now\r\nContent-Type: application/xml\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    writer.write(head.encode() + body)
    await writer.drain()


def _reset(writer: asyncio.StreamWriter) -> None:
    connection = writer.get_extra_info("socket")
    if connection is not None and not writer.transport.is_closing():
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
    writer.transport.abort()


async def _nothing_for(seconds: float) -> None:
    if seconds:
        happened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_later(seconds, _end, happened)
        await happened


def _end(happened: "asyncio.Future[None]") -> None:
    if not happened.done():
        happened.set_result(None)

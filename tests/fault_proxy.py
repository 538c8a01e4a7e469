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
from typing import TypeGuard

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
class Silence:
    """Nothing gets through, or nothing this way, until something else is told: then it does, or
    what was held is lost, and the connection with it."""

    towards: str = ""  # both ways; or "server" or "client"
    loses: bool = False


@dataclass(frozen=True, slots=True)
class Flip:
    """Of each connection one bit that goes this way is another, and of none the same as of the
    one before: what is wrong in the same way twice would be wrong where it comes from."""

    towards: str


@dataclass(frozen=True, slots=True)
class Answer:
    """HTTP requests are answered with this instead of by the server, so many times."""

    status: int
    code: str
    times: int


Fault = Forward | Cut | Hang | Silence | Flip | Answer


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
    _told_anew: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def connected(self) -> int:
        """How many ends of connections are open."""
        return sum(not one.transport.is_closing() for one in self._writers)

    def do(self, fault: Fault) -> None:
        self.fault, self.struck, self._answered = fault, 0, 0
        self._told_anew.set()
        self._told_anew = asyncio.Event()

    async def admit(self) -> None:
        """Once more, if need be."""
        if self._server is not None:
            return
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def refuse(self) -> None:
        """Nobody listens any more, and whoever was connected is thrown out."""
        if self._server is not None:
            self._server.close()
            self._server = None
        self.struck += self.connected
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
        told: Fault | None = None
        passed = 0
        while chunk := await source.read(CHUNK_BYTES):
            fault, is_lost = await self._not_silent(towards)
            if is_lost:
                _reset(sink)
                _reset(other)
                raise ConnectionResetError
            if fault is not told:
                told, passed = fault, 0
            if self._is_answered_here(fault, towards):
                await _say(other, fault)
                raise ConnectionResetError
            cut = self._cut(fault, towards)
            if cut is not None:
                chunk = chunk[: cut.after_bytes - passed]
            else:
                chunk = await self._met(chunk, fault, towards, passed)
            passed += len(chunk)
            sink.write(chunk)
            await sink.drain()
            if cut is not None and passed >= cut.after_bytes:
                self.struck += 1
                _reset(sink)
                _reset(other)
                raise ConnectionResetError
        sink.close()

    async def _met(self, chunk: bytes, fault: Fault, towards: str, passed: int) -> bytes:
        """What is left of it, when it is its turn."""
        match fault:
            case Forward(latency_s):
                self.struck += bool(latency_s) and not passed
                await _nothing_for(latency_s)
            case Hang():
                self.struck += 1
                await asyncio.Event().wait()
            case Flip(direction) if direction == towards and not passed:
                self.struck += 1
                return _with_another_bit(chunk, self.struck)
        return chunk

    def _is_answered_here(self, fault: Fault, towards: str) -> TypeGuard[Answer]:
        if not isinstance(fault, Answer) or towards != "server":
            return False
        if self._answered >= fault.times:
            return False
        self._answered += 1
        self.struck += 1
        return True

    def _cut(self, fault: Fault, towards: str) -> Cut | None:
        if isinstance(fault, Cut) and fault.towards == towards and self.struck < fault.times:
            return fault
        return None

    async def _not_silent(self, towards: str) -> tuple[Fault, bool]:
        """What is told once bytes may go this way again, and whether these are lost."""
        held = is_lost = False
        while isinstance(self.fault, Silence) and self.fault.towards in ("", towards):
            self.struck += not held
            held, is_lost = True, is_lost or self.fault.loses
            await self._told_anew.wait()
        return self.fault, is_lost


@asynccontextmanager
async def fault_proxy(host: str, port: int) -> AsyncIterator[FaultProxy]:
    proxy = FaultProxy((host, port))
    await proxy.admit()
    try:
        yield proxy
    finally:
        await proxy.end()


def _with_another_bit(chunk: bytes, which: int) -> bytes:
    """From the middle on, where a body rather stands than a head."""
    at = len(chunk) // 2 + which % max(len(chunk) // 4, 1)
    return chunk[:at] + bytes([chunk[at] ^ 1 << which % 8]) + chunk[at + 1 :]


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

"""The bad network itself: what it is told is what happens to real bytes, and then no more.

A fault that did nothing would let every test that uses it pass for nothing.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from tests.eventually import eventually
from tests.fault_proxy import (
    Answer,
    Cut,
    Fault,
    FaultProxy,
    Flip,
    Forward,
    Hang,
    Silence,
    fault_proxy,
)

SILENT_S = 0.3


@dataclass(slots=True)
class Echo:
    """Says back what it hears, and remembers it."""

    heard: bytearray = field(default_factory=bytearray)
    left: int = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while chunk := await reader.read(65_536):
                self.heard += chunk
                writer.write(chunk)
                await writer.drain()
        except ConnectionError:
            # As whoever is cut off is told.
            pass
        finally:
            self.left += 1
            writer.transport.abort()


@dataclass(slots=True)
class World:
    echo: Echo
    proxy: FaultProxy

    @asynccontextmanager
    async def client(self) -> AsyncIterator["Client"]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.proxy.port)
        try:
            yield Client(reader, writer)
        finally:
            writer.transport.abort()


@dataclass(slots=True)
class Client:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    def say(self, words: bytes) -> None:
        self.writer.write(words)

    async def hears(self, count: int) -> bytes:
        async with asyncio.timeout(5):
            return await self.reader.readexactly(count)

    async def hears_nothing(self) -> bool:
        try:
            async with asyncio.timeout(SILENT_S):
                await self.reader.readexactly(1)
        except TimeoutError:
            return True
        return False

    async def asks(self, words: bytes) -> bytes:
        self.say(words)
        return await self.hears(len(words))


@pytest.fixture
async def world() -> AsyncIterator[World]:
    echo = Echo()
    server = await asyncio.start_server(echo.serve, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    async with fault_proxy(host, port) as proxy:
        yield World(echo, proxy)
    server.close()


async def test_without_a_fault_every_byte_passes_both_ways(world: World) -> None:
    words = bytes(range(256)) * 1_000

    async with world.client() as client:
        assert await client.asks(words) == words

    assert (bytes(world.echo.heard), world.proxy.struck) == (words, 0)


async def test_who_leaves_is_missed_at_the_other_end(world: World) -> None:
    async with world.client() as client:
        await client.asks(b"here")

    await eventually(lambda: world.echo.left == 1)


async def test_latency_is_waited_for_in_each_direction(world: World) -> None:
    async with world.client() as client:
        await client.asks(b"quick")
        world.proxy.do(Forward(latency_s=0.2))
        began = time.monotonic()

        await client.asks(b"slow")

    assert 0.4 <= time.monotonic() - began < 4


async def test_silence_holds_back_what_the_open_connection_says_until_it_is_over(
    world: World,
) -> None:
    async with world.client() as client:
        await client.asks(b"before")
        world.proxy.do(Silence())
        client.say(b"meanwhile")

        assert await client.hears_nothing()
        assert bytes(world.echo.heard) == b"before"

        world.proxy.do(Forward())
        assert await client.hears(9) == b"meanwhile"


@pytest.mark.parametrize(
    ("towards", "arrives"), [("client", b"beforeasked"), ("server", b"before")], ids=str
)
async def test_one_way_of_silence_leaves_the_other_open(
    world: World, towards: str, arrives: bytes
) -> None:
    async with world.client() as client:
        await client.asks(b"before")
        world.proxy.do(Silence(towards))
        client.say(b"asked")

        assert await client.hears_nothing()
        assert bytes(world.echo.heard) == arrives
        assert world.proxy.struck == 1

        world.proxy.do(Forward())
        assert await client.hears(5) == b"asked"


async def test_a_silence_that_loses_ends_what_was_held_and_nothing_else(world: World) -> None:
    async with world.client() as client, world.client() as quiet:
        await client.asks(b"before")
        world.proxy.do(Silence(loses=True))
        client.say(b"meanwhile")
        assert await client.hears_nothing()

        world.proxy.do(Forward())

        with pytest.raises((ConnectionResetError, asyncio.IncompleteReadError)):
            await client.hears(9)
        assert bytes(world.echo.heard) == b"before"
        await quiet.asks(b"after")


@pytest.mark.parametrize("towards", ["server", "client"])
async def test_a_cut_lets_so_many_bytes_through_and_resets_both_ends(
    world: World, towards: str
) -> None:
    world.proxy.do(Cut(towards, after_bytes=300))
    passed = bytearray()

    async with world.client() as client:
        client.say(b"x" * 1_000)
        with pytest.raises(ConnectionResetError):
            while chunk := await client.reader.read(1_000):
                passed += chunk

    await eventually(lambda: world.echo.left == 1)
    assert len(world.echo.heard if towards == "server" else passed) == 300
    assert world.proxy.struck == 1


async def test_a_cut_ends_so_many_connections_and_leaves_the_next_alone(world: World) -> None:
    world.proxy.do(Cut("server", after_bytes=0, times=2))

    for _ in range(2):
        async with world.client() as client:
            client.say(b"x")
            with pytest.raises(ConnectionResetError):
                await client.reader.read(1)
    async with world.client() as client:
        assert await client.asks(b"whole") == b"whole"


@pytest.mark.parametrize("towards", ["server", "client"])
async def test_one_bit_of_one_direction_is_another(world: World, towards: str) -> None:
    world.proxy.do(Flip(towards))
    words = b"of each connection one bit"

    async with world.client() as client:
        said_back = await client.asks(words)

    assert _bits_apart(words, said_back) == 1
    assert _bits_apart(words, bytes(world.echo.heard)) == (1 if towards == "server" else 0)
    assert world.proxy.struck == 1


async def test_no_two_connections_are_wronged_in_the_same_way(world: World) -> None:
    world.proxy.do(Flip("client"))
    heard = set()

    for _ in range(2):
        async with world.client() as client:
            heard.add(await client.asks(b"of each connection one bit"))

    assert len(heard) == 2


async def test_what_is_hung_up_on_is_taken_in_and_never_answered(world: World) -> None:
    world.proxy.do(Hang())

    async with world.client() as client:
        client.say(b"anybody?")

        assert await client.hears_nothing()
    assert (bytes(world.echo.heard), world.proxy.struck) == (b"", 1)


async def test_so_many_requests_are_answered_in_place_of_the_server(world: World) -> None:
    world.proxy.do(Answer(503, "SlowDown", times=1))

    async with world.client() as client:
        client.say(b"GET / HTTP/1.1\r\n\r\n")
        head = await client.hears(12)
    async with world.client() as client:
        through = await client.asks(b"GET / HTTP/1.1\r\n\r\n")

    assert head == b"HTTP/1.1 503"
    assert through == bytes(world.echo.heard) == b"GET / HTTP/1.1\r\n\r\n"


async def test_who_refuses_throws_out_whoever_is_there_and_admits_nobody(world: World) -> None:
    async with world.client() as client:
        await client.asks(b"in")
        await world.proxy.refuse()

        with pytest.raises(ConnectionResetError):
            await client.reader.read(1)
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", world.proxy.port)

    await world.proxy.admit()
    async with world.client() as client:
        assert await client.asks(b"back") == b"back"


@pytest.mark.parametrize(
    "fault", [Silence(), Silence("client"), Flip("client"), Cut("server", 0)], ids=str
)
async def test_healed_it_does_nothing_to_whoever_comes(world: World, fault: Fault) -> None:
    world.proxy.do(fault)
    async with world.client() as client:
        client.say(b"x")
        await eventually(lambda: world.proxy.struck)
    world.proxy.do(Forward())

    async with world.client() as client:
        assert await client.asks(b"as it was") == b"as it was"


def _bits_apart(one: bytes, other: bytes) -> int:
    assert len(one) == len(other)
    return sum((a ^ b).bit_count() for a, b in zip(one, other, strict=True))

"""What arrives before there is a request is limited too, and refused as a problem."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from shared.web.server import listen, serve_on
from shared.web.wire import Wire

REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n"
END = b"Connection: close\r\n\r\n"
UPLOAD = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 400000000\r\n\r\n"
CHUNKED = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
PIECE = bytes(1 << 20)
HERE = PlainTextResponse("here")
REFUSED = PlainTextResponse("no", 413, headers={"Connection": "close"})


class Length:
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await Request(scope, receive).body()
        await PlainTextResponse(str(len(body)))(scope, receive, send)


class Strict(Wire):
    head_bytes_max = 2_000


class Hasty(Wire):
    head_s = 0.05


class Abreast(Wire):
    ahead_max = 3


class Curt(Wire):
    listen_s = 0.05


@asynccontextmanager
async def _connected(protocol: type[Wire], app: ASGIApp = HERE) -> AsyncIterator["Line"]:
    stopping = asyncio.Event()
    with listen("127.0.0.1", 0) as listener:
        async with asyncio.TaskGroup() as group:
            group.create_task(serve_on(app, listener, stopping, protocol=protocol))
            reader, writer = await asyncio.open_connection(*listener.getsockname())
            try:
                yield Line(reader, writer)
            finally:
                writer.close()
                stopping.set()


class Line:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def say(self, *pieces: bytes) -> None:
        for piece in pieces:
            self._writer.write(piece)
            await self._writer.drain()

    async def breaks(self) -> None:
        """While more and more is said."""
        async with asyncio.timeout(5):
            with pytest.raises(ConnectionError):
                while True:
                    await self.say(PIECE)

    async def hear(self) -> tuple[int, bytes, bytes]:
        """Status, headers and body of all that comes until the other end hangs up."""
        async with asyncio.timeout(5):
            heard = await self._reader.read()
        head, _, body = heard.partition(b"\r\n\r\n")
        return int(head.split()[1]) if head else 0, head.lower(), body


def _is_problem(heard: tuple[int, bytes, bytes], status: int, name: str) -> None:
    assert heard[0] == status
    assert b"content-type: application/problem+json" in heard[1]
    assert b"x-content-type-options: nosniff" in heard[1]
    assert b"connection: close" in heard[1]
    told = json.loads(heard[2])
    assert (told["type"], told["status"]) == (f"/problems/{name}", status)


@pytest.mark.parametrize(
    "noise", [b"\x16\x03\x01\x02\x00", b"MAKE / HTTP/1.1\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n"]
)
async def test_what_is_not_http_is_told_so(noise: bytes) -> None:
    async with _connected(Wire) as line:
        await line.say(noise)

        _is_problem(await line.hear(), 400, "malformed-request")


async def test_headers_have_a_limit_however_they_are_cut() -> None:
    async with _connected(Strict) as line:
        await line.say(REQUEST, *[b"X-More: 0123456789\r\n"] * 200)

        _is_problem(await line.hear(), 431, "headers-too-large")


async def test_headers_have_a_limit_when_they_come_all_at_once() -> None:
    async with _connected(Strict) as line:
        await line.say(REQUEST + b"X-More: 0123456789\r\n" * 200 + END)

        _is_problem(await line.hear(), 431, "headers-too-large")


async def test_the_limit_is_that_of_each_request_and_not_of_its_connection() -> None:
    request = REQUEST + b"X-More: " + b"a" * 1_500 + b"\r\n"
    async with _connected(Strict) as line:
        await line.say(request[:100], request[100:], b"\r\n", request[:100], request[100:], END)

        _, head, body = await line.hear()

    assert head.startswith(b"http/1.1 200")
    assert body.count(b"here") == 2


async def test_headers_behind_a_body_have_the_same_limit() -> None:
    async with _connected(Strict) as line:
        await line.say(CHUNKED, b"0\r\n", *[b"X-More: 0123456789\r\n"] * 200)
        _, _, body = await line.hear()

    assert b"/problems/headers-too-large" in body


async def test_what_a_chunk_says_of_itself_has_the_same_limit() -> None:
    async with _connected(Strict) as line:
        await line.say(CHUNKED, b"1;", *[b"more" * 5] * 200)
        _, _, body = await line.hear()

    assert b"/problems/headers-too-large" in body


async def test_a_body_that_comes_with_the_end_of_its_head_is_no_part_of_it() -> None:
    begun = asyncio.Event()

    class Watched(Strict):
        def on_message_begin(self) -> None:
            begun.set()
            super().on_message_begin()

    async with _connected(Watched, Length()) as line:
        await line.say(b"POST / HTTP/1.1\r\nHost: x\r\n")
        await begun.wait()
        await line.say(b"Connection: close\r\nContent-Length: 9000\r\n\r\n" + bytes(9_000))

        status, _, body = await line.hear()

    assert (status, body) == (200, b"9000")


async def test_the_rest_of_what_was_answered_is_not_waited_for() -> None:
    async with _connected(Hasty) as line:
        await line.say(CHUNKED, *[b"1\r\na\r\n"] * 3)

        status, _, body = await line.hear()

    assert (status, body) == (200, b"here")


async def test_an_answer_that_was_given_up_leaves_no_error_behind(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with _connected(Wire) as line:
        # In one piece: the route answers after the connection was given up.
        await line.say(CHUNKED + b"no number\r\n")

        _is_problem(await line.hear(), 400, "malformed-request")
    assert [one for one in caplog.records if one.levelname == "ERROR"] == []


@pytest.mark.parametrize(("number", "answered"), [(4, True), (5, False)])
async def test_requests_sent_ahead_are_kept_up_to_a_limit(number: int, answered: bool) -> None:
    async with _connected(Abreast) as line:
        await line.say((REQUEST + b"\r\n") * (number - 1) + REQUEST + END)

        _, _, heard = await line.hear()

    assert (heard.count(b"here") == number) is answered


async def test_headers_that_drip_are_given_up() -> None:
    async with _connected(Hasty) as line:
        await line.say(REQUEST)

        _is_problem(await line.hear(), 408, "request-timeout")


async def test_a_connection_that_says_nothing_is_closed() -> None:
    async with _connected(Hasty) as line:
        assert await line.hear() == (0, b"", b"")


async def test_who_still_sends_what_was_refused_hears_the_refusal() -> None:
    async with _connected(Wire, REFUSED) as line:
        # More than any buffer on the way holds; nothing is read before all of it is sent.
        await line.say(UPLOAD, *[PIECE] * 100)

        assert (await line.hear())[0] == 413


async def test_who_never_stops_sending_is_hung_up_on() -> None:
    async with _connected(Curt, REFUSED) as line:
        await line.say(UPLOAD)

        await line.breaks()


async def test_who_has_said_all_of_it_is_hung_up_on_at_once() -> None:
    async with _connected(Wire, REFUSED) as line:
        await line.say(REQUEST, b"\r\n")

        assert (await line.hear())[0] == 413
        await line.breaks()

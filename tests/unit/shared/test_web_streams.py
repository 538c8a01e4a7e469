"""A place among the streams comes back, however a stream ends."""

import asyncio
from collections.abc import AsyncGenerator
from http import HTTPStatus

import pytest
from starlette.types import Message, Scope

from shared.errors import Rejected
from shared.web.problems import Problem
from shared.web.streams import Streams

# Of the protocol between server and app, in which a client that is gone is told of.
SCOPE: Scope = {"type": "http", "asgi": {"spec_version": "2.3"}, "method": "GET", "path": "/"}


class Pieces:
    """A file that is never whole, and whether somebody has closed it."""

    def __init__(self) -> None:
        self.is_closed = False

    async def stream(self, *, pieces: int = 1) -> AsyncGenerator[bytes, None]:
        try:
            for _ in range(pieces):
                yield b"piece"
            await asyncio.Event().wait()
        finally:
            self.is_closed = True


async def begin(streams: Streams, pieces: AsyncGenerator[bytes, None]) -> asyncio.Task[None]:
    """Until its client is gone, which this one is as soon as the first piece is out."""
    sent = asyncio.Event()

    async def receive() -> Message:
        await sent.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.body":
            sent.set()

    response = await streams.begin(pieces, "text/csv", {})
    return asyncio.ensure_future(response(SCOPE, receive, send))


async def test_when_the_client_is_gone_its_place_is_free_and_the_file_closed() -> None:
    streams, file = Streams(1), Pieces()

    await (await begin(streams, file.stream()))

    assert file.is_closed
    await (await begin(streams, Pieces().stream()))


async def test_beyond_the_last_place_a_client_is_told_to_come_back() -> None:
    streams = Streams(1)
    first = await streams.begin(Pieces().stream(), "text/csv", {})

    with pytest.raises(Problem) as refused:
        await streams.begin(Pieces().stream(), "text/csv", {})

    assert refused.value.status == HTTPStatus.SERVICE_UNAVAILABLE
    assert refused.value.headers["Retry-After"]
    assert first.status_code == HTTPStatus.OK


async def test_what_fails_before_it_begins_takes_no_place() -> None:
    async def lost(pieces: int = 0) -> AsyncGenerator[bytes, None]:
        for _ in range(pieces):
            yield b"piece"
        raise Rejected("source_missing")

    streams = Streams(1)

    for _ in range(2):
        with pytest.raises(Problem) as failed:
            await streams.begin(lost(), "text/csv", {})
        assert failed.value.reason == "source_missing"


async def test_a_client_that_takes_nothing_more_ends_it_too() -> None:
    streams, file = Streams(1), Pieces()
    response = await streams.begin(file.stream(pieces=3), "text/csv", {})

    async def receive() -> Message:
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: Message) -> None:
        if message["type"] == "http.response.body":
            raise OSError("the connection is gone")

    with pytest.raises(BaseException):  # noqa: B017 -- whatever the framework makes of it
        await response(SCOPE, receive, send)

    assert file.is_closed
    await (await begin(streams, Pieces().stream()))

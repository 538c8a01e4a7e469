"""Files that leave as they are made, and how many of them may do so at a time.

What is sent for minutes costs a processor for minutes: beyond a number of streams a client is
told to come back, or to order its export in the background.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import aclosing, contextmanager
from http import HTTPStatus

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from shared.errors import Rejected
from shared.web.problems import Problem, unavailable

AGAIN_S = 30


class Streams:
    def __init__(self, streams_max: int) -> None:
        self._free = streams_max

    async def begin(
        self, pieces: AsyncGenerator[bytes, None], media_type: str, headers: Mapping[str, str]
    ) -> StreamingResponse:
        """The first piece is made before the first header is sent: an error is still a 5xx."""
        if self._free <= 0:
            raise unavailable(AGAIN_S)
        self._free -= 1
        has_begun = False
        try:
            first = await first_of(pieces)
            has_begun = True
        finally:
            if not has_begun:
                self.end()
        return _Stream(first, pieces, media_type, headers, on_end=self)

    @contextmanager
    def taking(self) -> Iterator[None]:
        """A place for what is not sent bit by bit, but costs as much."""
        if self._free <= 0:
            raise unavailable(AGAIN_S)
        self._free -= 1
        try:
            yield
        finally:
            self.end()

    def end(self) -> None:
        self._free += 1


class _Stream(StreamingResponse):
    """Gives its place back however it ends, also when the client goes away."""

    def __init__(
        self,
        first: bytes,
        pieces: AsyncGenerator[bytes, None],
        media_type: str,
        headers: Mapping[str, str],
        *,
        on_end: Streams,
    ) -> None:
        self._pieces = pieces
        self._on_end = on_end
        super().__init__(rest(first, pieces), media_type=media_type, headers=dict(headers))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            async with aclosing(self._pieces):
                await super().__call__(scope, receive, send)
        finally:
            self._on_end.end()


async def first_of(pieces: AsyncIterator[bytes]) -> bytes:
    try:
        return await anext(pieces, b"")
    except Rejected as error:
        raise Problem(HTTPStatus.INTERNAL_SERVER_ERROR, error.reason) from error


async def rest(first: bytes, pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for piece in pieces:
        yield piece

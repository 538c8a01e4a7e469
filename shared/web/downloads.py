"""Objects of the store as answers: streamed, never whole in memory, never run in a browser."""

from collections.abc import AsyncIterator
from http import HTTPStatus
from urllib.parse import quote

from starlette.responses import StreamingResponse

from shared.blobs.port import Blobs, TooLarge
from shared.errors import Rejected
from shared.web.problems import Problem

# An original may be anything that looks like one of our formats, so it is only ever kept.
SANDBOX = "sandbox; default-src 'none'; frame-ancestors 'none'"
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_. ")


async def stream_object(
    blobs: Blobs, key: str, media_type: str, headers: dict[str, str]
) -> StreamingResponse:
    pieces = blobs.stream(key)
    try:
        # The first piece is read before the first header is sent: an error is still a 5xx.
        first = await anext(pieces, b"")
    except Rejected as error:
        raise Problem(HTTPStatus.INTERNAL_SERVER_ERROR, error.reason) from error
    return StreamingResponse(_rest(first, pieces), media_type=media_type, headers=headers)


async def read_small(blobs: Blobs, key: str, limit_bytes: int) -> bytes | None:
    """Whole, or None when it is larger than that."""
    if not limit_bytes:
        return None
    try:
        return await blobs.read(key, limit_bytes=limit_bytes)
    except TooLarge:
        return None
    except Rejected as error:
        raise Problem(HTTPStatus.INTERNAL_SERVER_ERROR, error.reason) from error


def attachment(filename: str) -> str:
    """RFC 6266: a plain name for old clients, the true one for the others."""
    plain = "".join(one if one in _PLAIN else "_" for one in filename) or "document"
    true = quote(filename or plain, safe="")
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{true}"


async def _rest(first: bytes, pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for piece in pieces:
        yield piece

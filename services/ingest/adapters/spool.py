"""A stream kept on the disk for as long as somebody works with it, and never by a name.

What has to be read from its end, or twice, cannot be read from the network; in memory it
would be as many bytes as there are clients. A crash leaves nothing: the file has no name.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from tempfile import TemporaryFile
from typing import BinaryIO, cast

from shared.blobs.pieces import in_pieces
from shared.errors import Retryable


@asynccontextmanager
async def spooled(chunks: AsyncIterator[bytes], *, limit_bytes: int) -> AsyncIterator[BinaryIO]:
    """The whole stream, at its beginning. Raises TooLarge."""
    with cast(BinaryIO, await asyncio.to_thread(TemporaryFile)) as file:
        async for piece in in_pieces(chunks, limit_bytes=limit_bytes):
            await asyncio.to_thread(_append, file, piece)
        file.seek(0)
        yield file


def _append(file: BinaryIO, piece: bytes) -> None:
    try:
        file.write(piece)
        file.flush()
    except OSError as error:
        raise Retryable(f"there is no room for an upload: {error}") from error

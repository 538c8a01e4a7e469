"""Streams cut into pieces worth a thread: large enough to pay for it, small enough to hold.

A network gives chunks of a few kilobytes; a hop into a thread for each would cost more than
the disk. The limit is enforced here, while streaming: an upload without end must not fill the
disk before somebody counts it.
"""

from collections.abc import AsyncIterator

from shared.blobs.port import TooLarge

PIECE_BYTES = 256 * 1024


async def in_pieces(
    chunks: AsyncIterator[bytes], *, limit_bytes: int | None
) -> AsyncIterator[bytes]:
    parts: list[bytes] = []
    held = total = 0
    async for chunk in chunks:
        total += len(chunk)
        within(total, limit_bytes)
        parts.append(chunk)
        held += len(chunk)
        del chunk
        if held >= PIECE_BYTES:
            held = 0
            yield _taken(parts)
    if held:
        yield _taken(parts)


def _taken(parts: list[bytes]) -> bytes:
    """Emptied before it is passed on: while one is written there must not be two of it."""
    taken = b"".join(parts)
    parts.clear()
    return taken


async def in_one_piece(data: bytes) -> AsyncIterator[bytes]:
    """Bytes already in hand, for a caller who wants them stored under their digest."""
    yield data


def within(size: int, limit_bytes: int | None) -> None:
    if limit_bytes is not None and size > limit_bytes:
        raise TooLarge(limit_bytes)


def checked_range(start: int, length: int | None) -> None:
    if start < 0 or (length is not None and length < 0):
        raise ValueError(f"not a range of bytes: start {start}, length {length}")

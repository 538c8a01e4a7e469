"""Reading what an earlier stage left for this one."""

from shared.blobs.port import Blobs
from shared.errors import Rejected, Retryable

MISSING = "source_missing"


async def read_kept(blobs: Blobs, key: str, *, limit_bytes: int) -> bytes:
    """Missing is no verdict yet: whoever withdraws a document erases what was read of it, and
    the news of that may still be on its way to whoever was to go on with it."""
    try:
        return await blobs.read(key, limit_bytes=limit_bytes)
    except Rejected as error:
        if error.reason != MISSING:
            raise
        raise Retryable(f"nothing lies under {key}") from error

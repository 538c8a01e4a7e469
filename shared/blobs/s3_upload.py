"""A file into a bucket: in one request while it is small, in parts when it is not.

Each part is repeated for itself, so a network that stumbles costs one part. Parts that were
never completed are invisible to readers; what cannot be taken back now is swept later.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from os import SEEK_END
from typing import IO, TYPE_CHECKING, ParamSpec, Protocol, TypeVar

from shared.blobs.s3_bucket import Bucket
from shared.errors import Rejected, Retryable

if TYPE_CHECKING:
    from mypy_boto3_s3.type_defs import CompletedPartTypeDef

PART_BYTES = 8 << 20

log = logging.getLogger(__name__)

_Args = ParamSpec("_Args")
_Result = TypeVar("_Result")


class Calling(Protocol):
    """One call in a thread, with its errors translated, and repeated if that is safe."""

    def __call__(
        self, key: str, work: Callable[_Args, _Result], *args: _Args.args, **kw: _Args.kwargs
    ) -> Awaitable[_Result]: ...


async def upload(
    bucket: Bucket, key: str, file: IO[bytes], calling: Calling, once: Calling
) -> None:
    """`once` is for what must not be repeated when the store may have done it."""
    size = await asyncio.to_thread(_rewound, file)
    if size <= PART_BYTES:
        await calling(key, bucket.put, key, await asyncio.to_thread(file.read))
        return
    upload_id = await calling(key, bucket.begin_upload, key)
    ended = False
    try:
        parts = await _send_parts(bucket, key, upload_id, file, calling)
        await once(key, bucket.end_upload, key, upload_id, parts)
        ended = True
    finally:
        if not ended:
            await _drop(bucket, key, upload_id, once)


def _rewound(file: IO[bytes]) -> int:
    size = file.seek(0, SEEK_END)
    file.seek(0)
    return size


async def _send_parts(
    bucket: Bucket, key: str, upload_id: str, file: IO[bytes], calling: Calling
) -> "list[CompletedPartTypeDef]":
    parts: list[CompletedPartTypeDef] = []
    while piece := await asyncio.to_thread(file.read, PART_BYTES):
        number = len(parts) + 1
        parts.append(await calling(key, bucket.put_part, key, upload_id, number, piece))
    return parts


async def _drop(bucket: Bucket, key: str, upload_id: str, once: Calling) -> None:
    try:
        await once(key, bucket.drop_upload, key, upload_id)
    except (Retryable, Rejected) as error:
        # What went wrong before is what the caller has to hear of.
        log.info("upload_left_to_sweep", extra={"key": key, "cause": str(error)})

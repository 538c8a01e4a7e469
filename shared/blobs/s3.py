"""Blobs in an S3 bucket, for everything that runs on more than one machine.

The SDK blocks, so each call is one hop into a thread, with a timeout and no retry of its own:
what is repeated is our decision (`s3_retries.py`). The digest is the key, and it is known only
when the last byte came; so a stream is spooled first, in memory up to one piece and beyond that
on disk.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from hashlib import sha256
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from botocore.exceptions import BotoCoreError, ClientError
from urllib3.exceptions import HTTPError

from shared.at_once import at_once
from shared.blobs.keys import content_key, digest_of, valid_key, valid_prefix
from shared.blobs.pieces import PIECE_BYTES, checked_range, in_pieces
from shared.blobs.port import Blob
from shared.blobs.s3_bucket import Bucket, Encryption, Opened
from shared.blobs.s3_errors import Corrupt, translated
from shared.blobs.s3_retries import Retries, may_pass, was_refused
from shared.blobs.s3_upload import upload
from shared.errors import Rejected, Retryable

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

VENDOR_ERRORS = (BotoCoreError, ClientError, HTTPError, OSError)
RETRIES = Retries()

_Args = ParamSpec("_Args")
_Result = TypeVar("_Result")


class S3Blobs:
    def __init__(
        self,
        client: "S3Client",
        bucket: str,
        prefix: str = "",
        *,
        spool_folder: Path | None = None,
        encryption: Encryption | None = None,
        retries: Retries = RETRIES,
    ) -> None:
        self._bucket = Bucket(client, bucket, prefix, encryption)
        self._spool_folder = str(spool_folder) if spool_folder else None
        self._retries = retries

    async def write(
        self, chunks: AsyncIterator[bytes], *, limit_bytes: int | None = None
    ) -> Blob:
        digest, size = sha256(), 0
        spool = SpooledTemporaryFile(  # noqa: SIM115 -- closed in a thread
            max_size=PIECE_BYTES, dir=self._spool_folder
        )
        try:
            async for piece in in_pieces(chunks, limit_bytes=limit_bytes):
                digest.update(piece)
                size += len(piece)
                await self._once("the spool", spool.write, piece)
            key = content_key(digest.hexdigest())
            await upload(self._bucket, key, spool, self._calling, self._once)
        finally:
            await asyncio.to_thread(spool.close)
        return Blob(key, size, digest.hexdigest())

    async def put(self, key: str, data: bytes, *, durable: bool = True) -> None:
        await self._calling(key, self._bucket.put, valid_key(key), data)

    async def put_new(self, key: str, data: bytes) -> bool:
        return await self._once(key, self._bucket.put_new, valid_key(key), data)

    async def put_all(self, items: Mapping[str, bytes]) -> None:
        await at_once(self.put(key, data) for key, data in items.items())

    async def copy_all(self, copies: Mapping[str, str]) -> set[str]:
        done = await at_once(self._copied(key, source) for key, source in copies.items())
        return {key for key, copied in zip(copies, done, strict=True) if not copied}

    async def put_file(self, key: str, path: Path) -> None:
        file = await asyncio.to_thread(path.open, "rb")
        try:
            await upload(self._bucket, valid_key(key), file, self._calling, self._once)
        finally:
            await asyncio.to_thread(file.close)

    async def read(self, key: str, *, limit_bytes: int | None = None) -> bytes:
        try:
            return await self._calling(key, self._bucket.get, valid_key(key), limit_bytes)
        except Corrupt as error:
            found = error.found
        # The wire may have damaged it, which is no reason to condemn a document.
        try:
            return await self._calling(key, self._bucket.get, key, limit_bytes)
        except Corrupt as error:
            if error.found == found:
                raise
            # What lies there would be the same at every look.
            told = f"{key} comes damaged, each time otherwise"
            raise Retryable(told, dependency="blobs") from error

    async def stream(
        self, key: str, *, start: int = 0, length: int | None = None
    ) -> AsyncIterator[bytes]:
        checked_range(start, length)
        valid_key(key)
        etag, given, cuts, digest = "", 0, 0, sha256()
        while True:
            left = None if length is None else length - given
            opened = await self._calling(key, self._bucket.open, key, start + given, left, etag)
            if opened is None:
                break
            etag = opened.etag
            try:
                while piece := await self._once(key, opened.body.read, PIECE_BYTES):
                    digest.update(piece)
                    given += len(piece)
                    yield piece
                break
            except Retryable:
                # Gone on with where it was cut off, in the same version of the object.
                cuts += 1
                if cuts >= self._retries.attempts:
                    raise
            finally:
                await _closed(opened)
        whole = start == 0 and length is None
        if whole and digest_of(key) not in (None, digest.hexdigest()):
            raise Rejected("source_corrupt", key)

    async def size(self, key: str) -> int | None:
        try:
            return await self._calling(key, self._bucket.size, valid_key(key))
        except Rejected:
            # An answer to HEAD has no body: a missing bucket looks like a missing object.
            await self.check()
            return None

    async def delete(self, key: str) -> None:
        await self._calling(key, self._bucket.delete, valid_key(key))

    async def list(self, prefix: str) -> AsyncIterator[str]:
        valid_prefix(prefix)
        token: str | None = ""
        while token is not None:
            keys, token = await self._calling(prefix, self._bucket.page, prefix, token)
            for key in keys:
                yield key

    async def check(self) -> None:
        await self._once(self._bucket.name, self._bucket.look)

    async def sweep_temp(self, *, older_than_s: float) -> int:
        return await self._once(self._bucket.name, self._bucket.sweep_uploads, older_than_s)

    async def _copied(self, key: str, source: str) -> bool:
        try:
            await self._calling(source, self._bucket.copy, valid_key(key), valid_key(source))
        except Rejected as error:
            if error.reason != "source_missing":
                raise
            return False
        return True

    async def _calling(
        self, key: str, work: Callable[_Args, _Result], *args: _Args.args, **kw: _Args.kwargs
    ) -> _Result:
        return await self._repeating(may_pass, key, work, *args, **kw)

    async def _once(
        self, key: str, work: Callable[_Args, _Result], *args: _Args.args, **kw: _Args.kwargs
    ) -> _Result:
        """Not to be repeated, unless the store surely did nothing of it."""
        return await self._repeating(was_refused, key, work, *args, **kw)

    async def _repeating(
        self,
        repeatable: Callable[[Exception], bool],
        key: str,
        work: Callable[_Args, _Result],
        *args: _Args.args,
        **kw: _Args.kwargs,
    ) -> _Result:
        began, failed = time.monotonic(), 0
        while True:
            try:
                return await asyncio.to_thread(work, *args, **kw)
            except VENDOR_ERRORS as error:
                failed += 1
                lasted_s = time.monotonic() - began
                pause_s = self._retries.pause_s(error, failed=failed, lasted_s=lasted_s)
                if pause_s is None or not repeatable(error):
                    raise translated(error, key) from error
            await asyncio.sleep(pause_s)


async def _closed(opened: Opened) -> None:
    await asyncio.to_thread(opened.body.close)

"""Blobs in an S3 bucket, for everything that runs on more than one machine.

The SDK blocks, so each call is one hop into a thread, with a timeout and no retry of its own:
there is one retry policy, ours. The digest is the key, and it is known only when the last byte
came; so a stream is spooled first, in memory up to one piece and beyond that on disk.
"""

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import closing
from email.utils import parsedate_to_datetime
from hashlib import sha256
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, TYPE_CHECKING, ParamSpec, TypeVar

from botocore.exceptions import BotoCoreError, ClientError
from botocore.response import StreamingBody
from urllib3.exceptions import HTTPError

from shared.blobs.keys import content_key, digest_of, keeps_promise, valid_key, valid_prefix
from shared.blobs.pieces import PIECE_BYTES, checked_range, in_pieces, within
from shared.blobs.port import Blob
from shared.blobs.s3_errors import key_taken, past_the_end, translated
from shared.blobs.s3_upload import upload
from shared.errors import Rejected

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

VENDOR_ERRORS = (BotoCoreError, ClientError, HTTPError, OSError)

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
    ) -> None:
        self._client = client
        self._bucket = bucket
        self._prefix = f"{valid_key(prefix)}/" if prefix else ""
        self._spool_folder = str(spool_folder) if spool_folder else None

    async def write(
        self, chunks: AsyncIterator[bytes], *, limit_bytes: int | None = None
    ) -> Blob:
        digest, size = sha256(), 0
        with SpooledTemporaryFile(max_size=PIECE_BYTES, dir=self._spool_folder) as spool:
            async for piece in in_pieces(chunks, limit_bytes=limit_bytes):
                digest.update(piece)
                size += len(piece)
                await self._calling("the spool", spool.write, piece)
            key = content_key(digest.hexdigest())
            await self._calling(key, self._upload, key, spool, digest.digest())
        return Blob(key, size, digest.hexdigest())

    async def put(self, key: str, data: bytes) -> None:
        await self._calling(key, self._put, valid_key(key), data)

    async def put_new(self, key: str, data: bytes) -> bool:
        return await self._calling(key, self._put_new, valid_key(key), data)

    async def put_all(self, items: Mapping[str, bytes]) -> None:
        await asyncio.gather(*(self.put(key, data) for key, data in items.items()))

    async def read(self, key: str, *, limit_bytes: int | None = None) -> bytes:
        try:
            return await self._calling(key, self._get, valid_key(key), limit_bytes)
        except Rejected as error:
            if error.reason != "source_corrupt":
                raise
            # The wire may have damaged it, which is no reason to condemn a document.
            return await self._calling(key, self._get, key, limit_bytes)

    async def stream(
        self, key: str, *, start: int = 0, length: int | None = None
    ) -> AsyncIterator[bytes]:
        checked_range(start, length)
        body = await self._calling(key, self._open, valid_key(key), start, length)
        if body is None:
            return
        digest = sha256()
        with closing(body):
            while piece := await self._calling(key, body.read, PIECE_BYTES):
                digest.update(piece)
                yield piece
        whole = start == 0 and length is None
        if whole and digest_of(key) not in (None, digest.hexdigest()):
            raise Rejected("source_corrupt", key)

    async def size(self, key: str) -> int | None:
        try:
            return await self._calling(key, self._size, valid_key(key))
        except Rejected:
            # An answer to HEAD has no body: a missing bucket looks like a missing object.
            await self.check()
            return None

    async def delete(self, key: str) -> None:
        await self._calling(key, self._delete, valid_key(key))

    async def list(self, prefix: str) -> AsyncIterator[str]:
        start = self._name(valid_prefix(prefix))
        token: str | None = ""
        while token is not None:
            names, token = await self._calling(prefix, self._page, start, token)
            for name in names:
                yield name.removeprefix(self._prefix)

    async def check(self) -> None:
        await self._calling(self._bucket, self._look)

    async def sweep_temp(self, *, older_than_s: float) -> int:
        return await self._calling(self._bucket, self._sweep, older_than_s)

    async def _calling(
        self, key: str, work: Callable[_Args, _Result], *args: _Args.args, **kw: _Args.kwargs
    ) -> _Result:
        try:
            return await asyncio.to_thread(work, *args, **kw)
        except VENDOR_ERRORS as error:
            raise translated(error, key) from error

    def _name(self, key: str) -> str:
        return self._prefix + key

    def _upload(self, key: str, spool: IO[bytes], digest: bytes) -> None:
        upload(self._client, self._bucket, self._name(key), spool, digest)

    def _put(self, key: str, data: bytes) -> None:
        self._client.put_object(
            Bucket=self._bucket, Key=self._name(key), Body=data, ChecksumSHA256=_checksum(data)
        )

    def _put_new(self, key: str, data: bytes) -> bool:
        try:
            self._client.put_object(
                Bucket=self._bucket,
                Key=self._name(key),
                Body=data,
                ChecksumSHA256=_checksum(data),
                IfNoneMatch="*",
            )
        except ClientError as error:
            if key_taken(error):
                return False
            raise
        return True

    def _get(self, key: str, limit_bytes: int | None) -> bytes:
        answer = self._client.get_object(
            Bucket=self._bucket, Key=self._name(key), ChecksumMode="ENABLED"
        )
        with closing(answer["Body"]) as body:
            within(answer["ContentLength"], limit_bytes)
            data = body.read()
        if not keeps_promise(key, data):
            raise Rejected("source_corrupt", key)
        return data

    def _open(self, key: str, start: int, length: int | None) -> StreamingBody | None:
        name = self._name(key)
        if start == 0 and length is None:
            return self._client.get_object(Bucket=self._bucket, Key=name)["Body"]
        if length == 0:
            return None
        end = "" if length is None else start + length - 1
        try:
            answer = self._client.get_object(
                Bucket=self._bucket, Key=name, Range=f"bytes={start}-{end}"
            )
        except ClientError as error:
            if past_the_end(error):
                return None
            raise
        return answer["Body"]

    def _size(self, key: str) -> int:
        answer = self._client.head_object(Bucket=self._bucket, Key=self._name(key))
        return answer["ContentLength"]

    def _delete(self, key: str) -> None:
        self._client.delete_object(Bucket=self._bucket, Key=self._name(key))

    def _page(self, start: str, token: str) -> tuple[tuple[str, ...], str | None]:
        answer = (
            self._client.list_objects_v2(
                Bucket=self._bucket, Prefix=start, ContinuationToken=token
            )
            if token
            else self._client.list_objects_v2(Bucket=self._bucket, Prefix=start)
        )
        names = tuple(item["Key"] for item in answer.get("Contents", ()))
        return names, answer.get("NextContinuationToken")

    def _look(self) -> None:
        self._client.list_objects_v2(Bucket=self._bucket, Prefix=self._prefix, MaxKeys=1)

    def _sweep(self, older_than_s: float) -> int:
        answer = self._client.list_multipart_uploads(Bucket=self._bucket, Prefix=self._prefix)
        # Both times are the store's own: our clock may be minutes away from it.
        now = parsedate_to_datetime(answer["ResponseMetadata"]["HTTPHeaders"]["date"])
        stale = [
            one
            for one in answer.get("Uploads", ())
            if (now - one["Initiated"]).total_seconds() >= older_than_s
        ]
        for one in stale:
            self._client.abort_multipart_upload(
                Bucket=self._bucket, Key=one["Key"], UploadId=one["UploadId"]
            )
        return len(stale)


def _checksum(data: bytes) -> str:
    return b64encode(sha256(data).digest()).decode()

"""A bucket as a source, or the part of it below a prefix, with our store's own credentials.

One request reads one version of an object, so what is replaced meanwhile is read whole, as it
was or as it is. A transfer that was cut short is noticed by its length.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from botocore.exceptions import BotoCoreError, ClientError
from botocore.response import StreamingBody
from urllib3.exceptions import HTTPError

from shared.blobs.pieces import PIECE_BYTES
from shared.blobs.s3_errors import code_of
from shared.blobs.source import away, source_key
from shared.errors import Deferred, Rejected

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_MISSING = frozenset({"NoSuchKey", "NoSuchVersion", "InvalidArgument", "404", "NotFound"})
_REFUSED = frozenset({"AccessDenied", "NoSuchBucket", "InvalidObjectState", "403"})

_Args = ParamSpec("_Args")
_Result = TypeVar("_Result")


class BucketSource:
    def __init__(self, client: "S3Client", bucket: str, prefix: str = "") -> None:
        self._client = client
        self._bucket = bucket
        self._prefix = f"{prefix}/" if prefix else ""

    async def stream(self, key: str, *, version_id: str | None = None) -> AsyncIterator[bytes]:
        body = await self._reading(key, self._open, self._prefix + source_key(key), version_id)
        with closing(body):
            while piece := await self._reading(key, body.read, PIECE_BYTES):
                yield piece

    async def _reading(
        self, key: str, work: Callable[_Args, _Result], *args: _Args.args, **kw: _Args.kwargs
    ) -> _Result:
        try:
            return await asyncio.to_thread(work, *args, **kw)
        except (BotoCoreError, ClientError, HTTPError, OSError) as error:
            raise _translated(error, key) from error

    def _open(self, name: str, version_id: str | None) -> StreamingBody:
        if version_id is None:
            return self._client.get_object(Bucket=self._bucket, Key=name)["Body"]
        answer = self._client.get_object(Bucket=self._bucket, Key=name, VersionId=version_id)
        if answer.get("VersionId") != version_id:
            # A store that keeps no versions there may hand out what it has instead.
            answer["Body"].close()
            raise Rejected("source_missing", f"{name} has no version {version_id}")
        return answer["Body"]


def _translated(error: Exception, key: str) -> Rejected | Deferred:
    code = code_of(error) if isinstance(error, ClientError) else ""
    if code in _MISSING:
        return Rejected("source_missing", key)
    if code in _REFUSED:
        return Rejected("source_not_allowed", f"the store refuses {key}: {code}")
    return away(error)

"""One bucket, or the part of it below a prefix, one blocking call at a time.

The SDK blocks, so these run in threads, and none of them repeats itself: which call may be
repeated, and how often, is decided by whoever makes it. Each request that carries bytes carries
their SHA-256 too, so a store that received something else refuses it instead of keeping it.
"""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from hashlib import sha256
from typing import TYPE_CHECKING, TypedDict

from botocore.exceptions import ClientError
from botocore.response import StreamingBody

from shared.blobs.keys import keeps_promise, valid_key
from shared.blobs.pieces import within
from shared.blobs.s3_errors import Corrupt, key_taken, past_the_end

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.literals import ServerSideEncryptionType
    from mypy_boto3_s3.type_defs import CompletedPartTypeDef, MultipartUploadTypeDef


class _Encrypted(TypedDict, total=False):
    ServerSideEncryption: "ServerSideEncryptionType"
    SSEKMSKeyId: str


@dataclass(frozen=True, slots=True)
class Encryption:
    """How the store encrypts what it keeps: by a key of its own, or of its key service."""

    kind: "ServerSideEncryptionType"
    kms_key_id: str | None = None

    def arguments(self) -> _Encrypted:
        if self.kms_key_id is None:
            return {"ServerSideEncryption": self.kind}
        return {"ServerSideEncryption": self.kind, "SSEKMSKeyId": self.kms_key_id}


@dataclass(frozen=True, slots=True)
class Opened:
    """An answer that is still being read, and which version of the object it is of."""

    body: StreamingBody
    etag: str


class Bucket:
    def __init__(
        self, client: "S3Client", bucket: str, prefix: str, encryption: Encryption | None
    ) -> None:
        self.name = bucket
        self._client = client
        self._prefix = f"{valid_key(prefix)}/" if prefix else ""
        self._encrypted = encryption.arguments() if encryption else _Encrypted()

    def put(self, key: str, data: bytes) -> None:
        self._client.put_object(
            Bucket=self.name,
            Key=self._prefix + key,
            Body=data,
            ChecksumSHA256=_checksum(data),
            **self._encrypted,
        )

    def put_new(self, key: str, data: bytes) -> bool:
        try:
            self._client.put_object(
                Bucket=self.name,
                Key=self._prefix + key,
                Body=data,
                ChecksumSHA256=_checksum(data),
                IfNoneMatch="*",
                **self._encrypted,
            )
        except ClientError as error:
            if key_taken(error):
                return False
            raise
        return True

    def copy(self, key: str, source: str) -> None:
        """Within the store: the bytes do not travel, and what it knows of them goes along."""
        self._client.copy_object(
            Bucket=self.name,
            Key=self._prefix + key,
            CopySource={"Bucket": self.name, "Key": self._prefix + source},
            **self._encrypted,
        )

    def get(self, key: str, limit_bytes: int | None) -> bytes:
        answer = self._client.get_object(
            Bucket=self.name, Key=self._prefix + key, ChecksumMode="ENABLED"
        )
        with closing(answer["Body"]) as body:
            within(answer["ContentLength"], limit_bytes)
            data = body.read()
        if not keeps_promise(key, data):
            raise Corrupt(key, sha256(data).hexdigest())
        return data

    def open(self, key: str, start: int, length: int | None, etag: str) -> Opened | None:
        """None for a range that begins past the end. With an etag, of that version only."""
        if length == 0:
            return None
        end = "" if length is None else start + length - 1
        asked = {"Range": f"bytes={start}-{end}"} if start or length is not None else {}
        asked |= {"IfMatch": etag} if etag else {}
        try:
            answer = self._client.get_object(
                Bucket=self.name,
                Key=self._prefix + key,
                **asked,  # type: ignore[arg-type]  # each of them is a text
            )
        except ClientError as error:
            if past_the_end(error):
                return None
            raise
        return Opened(answer["Body"], answer["ETag"])

    def size(self, key: str) -> int:
        answer = self._client.head_object(Bucket=self.name, Key=self._prefix + key)
        return answer["ContentLength"]

    def delete(self, key: str) -> None:
        self._client.delete_object(Bucket=self.name, Key=self._prefix + key)

    def page(self, prefix: str, token: str) -> tuple[tuple[str, ...], str | None]:
        start = self._prefix + prefix
        answer = (
            self._client.list_objects_v2(
                Bucket=self.name, Prefix=start, ContinuationToken=token
            )
            if token
            else self._client.list_objects_v2(Bucket=self.name, Prefix=start)
        )
        keys = tuple(
            item["Key"].removeprefix(self._prefix) for item in answer.get("Contents", ())
        )
        return keys, answer.get("NextContinuationToken")

    def look(self) -> None:
        self._client.list_objects_v2(Bucket=self.name, Prefix=self._prefix, MaxKeys=1)

    def begin_upload(self, key: str) -> str:
        begun = self._client.create_multipart_upload(
            Bucket=self.name,
            Key=self._prefix + key,
            ChecksumAlgorithm="SHA256",
            **self._encrypted,
        )
        return begun["UploadId"]

    def put_part(
        self, key: str, upload_id: str, number: int, data: bytes
    ) -> "CompletedPartTypeDef":
        checksum = _checksum(data)
        sent = self._client.upload_part(
            Bucket=self.name,
            Key=self._prefix + key,
            UploadId=upload_id,
            PartNumber=number,
            Body=data,
            ChecksumSHA256=checksum,
        )
        return {"PartNumber": number, "ETag": sent["ETag"], "ChecksumSHA256": checksum}

    def end_upload(
        self, key: str, upload_id: str, parts: "Sequence[CompletedPartTypeDef]"
    ) -> None:
        self._client.complete_multipart_upload(
            Bucket=self.name,
            Key=self._prefix + key,
            UploadId=upload_id,
            MultipartUpload={"Parts": parts},
        )

    def drop_upload(self, key: str, upload_id: str) -> None:
        self._client.abort_multipart_upload(
            Bucket=self.name, Key=self._prefix + key, UploadId=upload_id
        )

    def sweep_uploads(self, older_than_s: float) -> int:
        """How many uploads were dropped that nobody has ended for so long."""
        stale = list(self._stale(older_than_s))
        for upload in stale:
            self._client.abort_multipart_upload(
                Bucket=self.name, Key=upload["Key"], UploadId=upload["UploadId"]
            )
        return len(stale)

    def _stale(self, older_than_s: float) -> "Iterator[MultipartUploadTypeDef]":
        key_marker, upload_marker, more = "", "", True
        while more:
            page = self._client.list_multipart_uploads(
                Bucket=self.name,
                Prefix=self._prefix,
                KeyMarker=key_marker,
                UploadIdMarker=upload_marker,
            )
            # Both times are the store's own: our clock may be minutes away from it.
            now = parsedate_to_datetime(page["ResponseMetadata"]["HTTPHeaders"]["date"])
            for upload in page.get("Uploads", ()):
                if (now - upload["Initiated"]).total_seconds() >= older_than_s:
                    yield upload
            key_marker = page.get("NextKeyMarker", "")
            upload_marker = page.get("NextUploadIdMarker", "")
            more = page["IsTruncated"]


def _checksum(data: bytes) -> str:
    return b64encode(sha256(data).digest()).decode()

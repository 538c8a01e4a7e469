"""A spooled file into a bucket: in one request while it is small, in parts when it is not.

Each request carries the SHA-256 of what it sends, so a store that received something else
refuses it instead of keeping it. Parts that were never completed are invisible to readers.
"""

from base64 import b64encode
from hashlib import sha256
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import CompletedPartTypeDef

PART_BYTES = 8 << 20


def upload(client: "S3Client", bucket: str, name: str, spool: IO[bytes], digest: bytes) -> None:
    size = spool.seek(0, 2)
    spool.seek(0)
    if size > PART_BYTES:
        _in_parts(client, bucket, name, spool)
        return
    client.put_object(
        Bucket=bucket, Key=name, Body=spool.read(), ChecksumSHA256=_encoded(digest)
    )


def _in_parts(client: "S3Client", bucket: str, name: str, spool: IO[bytes]) -> None:
    started = client.create_multipart_upload(
        Bucket=bucket, Key=name, ChecksumAlgorithm="SHA256"
    )
    upload_id = started["UploadId"]
    completed = False
    try:
        parts = _send_parts(client, bucket, name, upload_id, spool)
        client.complete_multipart_upload(
            Bucket=bucket, Key=name, UploadId=upload_id, MultipartUpload={"Parts": parts}
        )
        completed = True
    finally:
        if not completed:
            client.abort_multipart_upload(Bucket=bucket, Key=name, UploadId=upload_id)


def _send_parts(
    client: "S3Client", bucket: str, name: str, upload_id: str, spool: IO[bytes]
) -> "list[CompletedPartTypeDef]":
    parts: list[CompletedPartTypeDef] = []
    while piece := spool.read(PART_BYTES):
        number = len(parts) + 1
        checksum = _encoded(sha256(piece).digest())
        sent = client.upload_part(
            Bucket=bucket,
            Key=name,
            UploadId=upload_id,
            PartNumber=number,
            Body=piece,
            ChecksumSHA256=checksum,
        )
        parts.append({"PartNumber": number, "ETag": sent["ETag"], "ChecksumSHA256": checksum})
    return parts


def _encoded(digest: bytes) -> str:
    return b64encode(digest).decode()

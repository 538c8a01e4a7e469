"""Which store stands behind a URL: `file:///folder` or `s3://bucket/prefix`.

The SDK for S3 costs 30 MB of memory and a quarter of a second, so it is loaded only when a
bucket is named. Endpoint and credentials come from the operator's settings, never from a job.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias
from urllib.parse import unquote, urlsplit

from shared.blobs.filesystem import FilesystemBlobs
from shared.blobs.port import Blobs
from shared.blobs.source import Source
from shared.blobs.source_folder import FolderSource

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

    from shared.blobs.s3_bucket import Encryption
# Whose key encrypts what the store keeps: nobody's, the store's own, one of its key service.
S3Encryption: TypeAlias = Literal["none", "store", "kms"]


@dataclass(frozen=True, slots=True)
class BlobOptions:
    """Without an access key the SDK looks for the machine's own role, as it does on a cloud."""

    s3_endpoint: str | None = None
    s3_access_key: str | None = None
    s3_secret_key: str | None = field(default=None, repr=False)
    s3_region: str = "us-east-1"
    s3_encryption: S3Encryption = "none"
    s3_kms_key_id: str | None = None
    connect_timeout_s: float = 5.0
    read_timeout_s: float = 20.0
    free_bytes_min: int = 64 << 20
    spool_folder: Path | None = None
    # Whom the store at the endpoint has to be certified by; unset, those the SDK knows.
    ca_file: Path | None = None


DEFAULTS = BlobOptions()


def open_blobs(url: str, options: BlobOptions = DEFAULTS) -> Blobs:
    """Raises ValueError for a URL that names no store; the store itself is not asked yet."""
    parts = urlsplit(url)
    path = unquote(parts.path)
    match parts.scheme:
        case "file" if parts.netloc in ("", "localhost") and Path(path).is_absolute():
            blobs = FilesystemBlobs(Path(path), free_bytes_min=options.free_bytes_min)
            blobs.prepare()
            return blobs
        case "s3" if parts.netloc:
            return _s3(parts.netloc, path.strip("/"), options)
        case _:
            raise ValueError(f"{url!r} is neither file:///folder nor s3://bucket/prefix")


def open_sources(
    urls: Mapping[str, str], options: BlobOptions = DEFAULTS
) -> Mapping[str, Source]:
    """The same kinds of address, of places that are only read. None is asked yet."""
    buckets = {name: urlsplit(url) for name, url in urls.items() if url.startswith("s3://")}
    opened: dict[str, Source] = {
        name: FolderSource(Path(unquote(urlsplit(url).path)))
        for name, url in urls.items()
        if name not in buckets
    }
    if buckets:
        from shared.blobs.source_bucket import BucketSource  # noqa: PLC0415 -- as above

        client = s3_client(options)
        for name, parts in buckets.items():
            prefix = unquote(parts.path).strip("/")
            opened[name] = BucketSource(client, parts.netloc, prefix)
    return opened


def _s3(bucket: str, prefix: str, options: BlobOptions) -> Blobs:
    from shared.blobs.s3 import S3Blobs  # noqa: PLC0415 -- a disk needs no SDK

    return S3Blobs(
        s3_client(options),
        bucket,
        prefix,
        spool_folder=options.spool_folder,
        encryption=_encryption(options),
    )


def _encryption(options: BlobOptions) -> "Encryption | None":
    from shared.blobs.s3_bucket import Encryption  # noqa: PLC0415 -- as above

    match options.s3_encryption:
        case "none":
            return None
        case "store":
            return Encryption("AES256")
        case "kms":
            return Encryption("aws:kms", options.s3_kms_key_id)


def s3_client(options: BlobOptions) -> "S3Client":
    import boto3  # noqa: PLC0415 -- a disk needs no SDK
    from botocore.config import Config  # noqa: PLC0415

    return boto3.client(
        "s3",
        endpoint_url=options.s3_endpoint,
        aws_access_key_id=options.s3_access_key,
        aws_secret_access_key=options.s3_secret_key,
        region_name=options.s3_region,
        verify=str(options.ca_file) if options.ca_file and options.s3_endpoint else None,
        config=Config(
            connect_timeout=options.connect_timeout_s,
            read_timeout=options.read_timeout_s,
            # A repeated conditional put would be told that the key is taken, by itself.
            retries={"total_max_attempts": 1, "mode": "standard"},
            max_pool_connections=32,
            s3={"addressing_style": "path" if options.s3_endpoint else "auto"},
            # The checksums we send and verify are our own choice, not the SDK's default.
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        ),
    )

"""What lies in the object store, listed in the order of its keys, whatever store it is.

In order, because the tables tell their keys in the same order: both are read side by side, and
a million of them need no memory.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import unquote, urlsplit

from deploy.verify.promises import CannotJudge

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

PIECE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Lying:
    key: str
    size: int
    # Since the epoch.
    changed_at: float


class Objects(Protocol):
    def list(self, prefix: str) -> Iterator[Lying]:
        """Everything below it (a folder, ending with a slash), by the bytes of the key."""
        ...

    def digest(self, key: str) -> str | None:
        """The SHA-256 of what lies there; None when nothing does."""
        ...

    def lines(self, prefix: str) -> Iterator[tuple[str, bytes]]:
        """Each line of all that lies below it, with its key."""
        ...


@dataclass(frozen=True, slots=True)
class Folder:
    root: Path

    def list(self, prefix: str) -> Iterator[Lying]:
        folder = self.root / prefix
        if not self.root.is_dir():
            raise CannotJudge(f"the object store is no folder: {self.root}")
        yield from _walk(folder, prefix)

    def digest(self, key: str) -> str | None:
        digest = sha256()
        try:
            with (self.root / key).open("rb") as file:
                while piece := file.read(PIECE_BYTES):
                    digest.update(piece)
        except FileNotFoundError:
            return None
        return digest.hexdigest()

    def lines(self, prefix: str) -> Iterator[tuple[str, bytes]]:
        for one in self.list(prefix):
            try:
                with (self.root / one.key).open("rb") as file:
                    for line in file:
                        yield one.key, line
            except FileNotFoundError:
                continue


def _walk(folder: Path, prefix: str) -> Iterator[Lying]:
    try:
        with os.scandir(folder) as found:
            # What begins with a dot is being written.
            entries = [one for one in found if not one.name.startswith(".")]
    except FileNotFoundError:
        return
    # With its slash, or `a/b` would come before `a-b`, unlike in the tables.
    named = {f"{one.name}/" if one.is_dir() else one.name: one for one in entries}
    for name in sorted(named, key=str.encode):
        if name.endswith("/"):
            yield from _walk(folder / name, f"{prefix}{name}")
            continue
        try:
            told = named[name].stat()
        except FileNotFoundError:
            # Erased since it was listed.
            continue
        yield Lying(f"{prefix}{name}", told.st_size, told.st_mtime)


@dataclass(frozen=True, slots=True)
class Bucket:
    client: "S3Client"
    name: str
    # Of all keys; empty, or ending with a slash.
    prefix: str = ""

    def list(self, prefix: str) -> Iterator[Lying]:
        pages = self.client.get_paginator("list_objects_v2")
        for page in pages.paginate(Bucket=self.name, Prefix=self.prefix + prefix):
            for one in page.get("Contents", []):
                key = one["Key"].removeprefix(self.prefix)
                yield Lying(key, one["Size"], one["LastModified"].timestamp())

    def digest(self, key: str) -> str | None:
        digest = sha256()
        try:
            body = self.client.get_object(Bucket=self.name, Key=self.prefix + key)["Body"]
        except self.client.exceptions.NoSuchKey:
            return None
        for piece in body.iter_chunks(PIECE_BYTES):
            digest.update(piece)
        return digest.hexdigest()

    def lines(self, prefix: str) -> Iterator[tuple[str, bytes]]:
        for one in self.list(prefix):
            found = self.client.get_object(Bucket=self.name, Key=self.prefix + one.key)
            for line in found["Body"].iter_lines():
                yield one.key, line


@dataclass(frozen=True, slots=True)
class S3Account:
    """Without an access key the SDK looks for the machine's own role."""

    endpoint: str | None = None
    access_key: str | None = None
    secret_key: str | None = None
    region: str = "us-east-1"


def objects_at(url: str, account: S3Account) -> Objects:
    """`file:///folder` or `s3://bucket/prefix`."""
    parts = urlsplit(url)
    if parts.scheme == "file":
        return Folder(Path(unquote(parts.path)))
    if parts.scheme != "s3" or not parts.netloc:
        raise CannotJudge(f"{url!r} is neither file:///folder nor s3://bucket/prefix")
    import boto3  # noqa: PLC0415 -- a folder needs no SDK

    client = boto3.client(
        "s3",
        endpoint_url=account.endpoint,
        aws_access_key_id=account.access_key,
        aws_secret_access_key=account.secret_key,
        region_name=account.region,
    )
    prefix = unquote(parts.path).strip("/")
    return Bucket(client, parts.netloc, f"{prefix}/" if prefix else "")

"""What every source promises: in memory, in a folder, in a bucket of a real S3 server.

What lies beside the place the operator has named must not be reachable through it.
"""

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Protocol
from uuid import uuid4

import pytest

from shared.blobs.open import BlobOptions, open_sources, s3_client
from shared.blobs.pieces import PIECE_BYTES
from shared.blobs.source import Source
from shared.errors import Deferred, Rejected, Retryable
from tests.conformance.seaweed import BUCKET
from tests.fakes.sources import InMemorySource

INVOICE = b"%PDF-1.7 invoice 2024-117 " * 40
BOOK = bytes(range(256)) * (3 * PIECE_BYTES // 256) + b"the end"


class Place(Protocol):
    """A source, and somebody else who leaves files there."""

    @property
    def source(self) -> Source: ...

    def leave(self, key: str, data: bytes) -> None: ...


class Memory:
    def __init__(self) -> None:
        self.source = InMemorySource()

    def leave(self, key: str, data: bytes) -> None:
        self.source.objects[key] = data


class Folder:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.source = open_sources({"scans": f"file://{root}"})["scans"]

    def leave(self, key: str, data: bytes) -> None:
        path = self.root / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


class Bucket:
    def __init__(self, options: BlobOptions) -> None:
        self.options = options
        self.client = s3_client(options)
        self.prefix = f"inbox/{uuid4().hex}"
        url = f"s3://{BUCKET}/{self.prefix}"
        self.source = open_sources({"scans": url}, options)["scans"]

    def leave(self, key: str, data: bytes) -> None:
        self.client.put_object(Bucket=BUCKET, Key=f"{self.prefix}/{key}", Body=data)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    (tmp_path / "scans").mkdir()
    return Folder(tmp_path / "scans")


@pytest.fixture
def bucket(s3_server: BlobOptions) -> Bucket:
    return Bucket(s3_server)


@pytest.fixture(params=["memory", "folder", "bucket"])
def place(request: pytest.FixtureRequest) -> Place:
    if request.param == "memory":
        return Memory()
    found: Place = request.getfixturevalue(request.param)
    return found


async def _all(pieces: AsyncIterator[bytes]) -> bytes:
    return b"".join([piece async for piece in pieces])


async def _reason(reading: Awaitable[object]) -> str:
    with pytest.raises(Rejected) as refused:
        await reading
    return refused.value.reason


@pytest.mark.parametrize("data", [b"", INVOICE, BOOK], ids=["empty", "small", "in pieces"])
async def test_what_was_left_there_is_read_whole(place: Place, data: bytes) -> None:
    place.leave("2026/März/a b.pdf", data)

    assert await _all(place.source.stream("2026/März/a b.pdf")) == data


async def test_what_is_not_there_is_missing(place: Place) -> None:
    place.leave("2026/a.pdf", INVOICE)

    assert await _reason(_all(place.source.stream("2026/b.pdf"))) == "source_missing"
    assert await _reason(_all(place.source.stream("2026/a.pdf/b"))) == "source_missing"
    assert await _reason(_all(place.source.stream("2026"))) == "source_missing"


@pytest.mark.parametrize(
    "key",
    [
        "../secret.pdf",
        "2026/../../secret.pdf",
        "2026/./a.pdf",
        "/etc/passwd",
        "2026//a.pdf",
        "2026/",
        "..\\secret.pdf",
        "a\x00.pdf",
        "a\n.pdf",
        "https://example.org/a.pdf",
        "x" * 1025,
    ],
)
async def test_a_key_is_a_plain_path_and_leads_nowhere_else(place: Place, key: str) -> None:
    assert await _reason(_all(place.source.stream(key))) == "invalid_key"


async def test_a_version_that_nobody_keeps_is_missing(place: Place) -> None:
    place.leave("a.pdf", INVOICE)

    reading = _all(place.source.stream("a.pdf", version_id=uuid4().hex))

    assert await _reason(reading) == "source_missing"


def _link(outside: Path, inside: Path) -> None:
    (inside / "a.pdf").symlink_to(outside / "secret.pdf")


def _link_to_folder(outside: Path, inside: Path) -> None:
    (inside / "2026").symlink_to(outside)


def _pipe(_: Path, inside: Path) -> None:
    os.mkfifo(inside / "a.pdf")


@pytest.mark.parametrize(
    ("make", "key"),
    [
        pytest.param(_link, "a.pdf", id="a link to a file"),
        pytest.param(_link_to_folder, "2026/secret.pdf", id="a link to a folder"),
        pytest.param(_pipe, "a.pdf", id="a pipe that nobody writes to"),
    ],
)
async def test_only_a_regular_file_below_the_folder_is_read(
    folder: Folder, tmp_path: Path, make: Callable[[Path, Path], None], key: str
) -> None:
    (tmp_path / "secret.pdf").write_bytes(b"somebody else's")
    make(tmp_path, folder.root)

    assert await _reason(_all(folder.source.stream(key))) == "source_missing"


async def test_a_file_that_is_written_to_meanwhile_is_read_again_later(folder: Folder) -> None:
    folder.leave("a.pdf", BOOK)
    pieces = folder.source.stream("a.pdf")
    await anext(pieces)

    folder.leave("a.pdf", BOOK + b"and more")

    with pytest.raises(Retryable, match="written to"):
        await _all(pieces)


async def test_a_folder_that_is_not_mounted_stops_this_job_alone(folder: Folder) -> None:
    folder.root.rmdir()

    # No dependency: a queue that paused for it would stop everybody's submissions.
    with pytest.raises(Deferred, match="away"):
        await _all(folder.source.stream("a.pdf"))


async def test_a_store_that_does_not_answer_stops_this_job_alone() -> None:
    options = BlobOptions("http://127.0.0.1:9", "key", "secret", connect_timeout_s=1)
    source = open_sources({"scans": "s3://scans"}, options)["scans"]

    with pytest.raises(Deferred, match="away"):
        await _all(source.stream("a.pdf"))


async def test_a_bucket_that_is_not_there_is_not_allowed(s3_server: BlobOptions) -> None:
    source = open_sources({"scans": "s3://of-nobody"}, s3_server)["scans"]

    assert await _reason(_all(source.stream("a.pdf"))) == "source_not_allowed"


async def test_the_bucket_beside_the_prefix_is_out_of_reach(bucket: Bucket) -> None:
    bucket.client.put_object(Bucket=BUCKET, Key="secret.pdf", Body=b"somebody else's")

    assert await _reason(_all(bucket.source.stream("secret.pdf"))) == "source_missing"


async def test_a_version_is_read_as_it_was(bucket: Bucket) -> None:
    client, name = bucket.client, f"kept-{uuid4().hex[:8]}"
    client.create_bucket(Bucket=name)
    client.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
    old = client.put_object(Bucket=name, Key="a.pdf", Body=INVOICE)["VersionId"]
    client.put_object(Bucket=name, Key="a.pdf", Body=BOOK)
    source = open_sources({"kept": f"s3://{name}"}, bucket.options)["kept"]

    assert await _all(source.stream("a.pdf", version_id=old)) == INVOICE
    assert await _all(source.stream("a.pdf")) == BOOK

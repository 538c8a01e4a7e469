"""A disk that runs short turns writers away while there is still room for everything else."""

import asyncio
import shutil
from collections import namedtuple
from pathlib import Path

import pytest

from shared.blobs import room
from shared.blobs.filesystem import TEMP, FilesystemBlobs
from shared.blobs.pieces import PIECE_BYTES, in_one_piece
from shared.errors import Retryable
from shared.observability.metrics import REGISTRY
from tests.eventually import eventually

KEY = "data/json/2024/05/01/a.json"


@pytest.fixture(autouse=True)
def asked_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "SEEN_FOR_S", 0.0)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "blobs"


async def test_a_disk_with_too_little_room_fails_its_check(root: Path) -> None:
    blobs = FilesystemBlobs(root, free_bytes_min=1 << 62)
    blobs.prepare()

    with pytest.raises(Retryable, match="bytes are free") as raised:
        await blobs.check()

    assert raised.value.dependency == "blobs"


async def test_a_disk_with_too_little_room_takes_nothing_and_gives_back_everything(
    root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    blobs = FilesystemBlobs(root, free_bytes_min=1_000)
    blobs.prepare()
    await blobs.put(KEY, b"one")
    _free(monkeypatch, 999)
    (tmp_path / "file").write_bytes(b"two")

    for use in (
        blobs.put(KEY, b"two"), blobs.put_new("b", b"two"), blobs.put_all({KEY: b"two"}),
        blobs.write(in_one_piece(b"two")), blobs.write(in_one_piece(b"x" * 2 * PIECE_BYTES)),
        blobs.put_file(KEY, tmp_path / "file"), blobs.check(),
    ):  # fmt: skip
        with pytest.raises(Retryable, match="999 bytes are free") as raised:
            await use
        assert raised.value.dependency == "blobs"

    assert await blobs.read(KEY) == b"one"
    await blobs.delete(KEY)
    assert list((root / TEMP).iterdir()) == []


async def test_a_disk_that_was_short_needs_clearly_more_to_be_written_again(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blobs = FilesystemBlobs(root, free_bytes_min=1_000)
    blobs.prepare()
    _free(monkeypatch, 999)
    with pytest.raises(Retryable):
        await blobs.put(KEY, b"one")

    _free(monkeypatch, 1_249)
    with pytest.raises(Retryable):
        await blobs.put(KEY, b"one")
    _free(monkeypatch, 1_250)
    await blobs.put(KEY, b"one")
    _free(monkeypatch, 1_000)
    await blobs.put(KEY, b"two")

    assert await blobs.read(KEY) == b"two"


async def test_a_disk_is_not_asked_for_every_file(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "SEEN_FOR_S", 60.0)
    blobs = FilesystemBlobs(root, free_bytes_min=1_000)
    blobs.prepare()
    _free(monkeypatch, 999)
    for _ in range(2):
        # Short is looked at each time, or it would stay so for longer than it is.
        with pytest.raises(Retryable):
            await blobs.put(KEY, b"one")
    _free(monkeypatch, 1_250)
    await blobs.put(KEY, b"one")

    _free(monkeypatch, 999)
    await blobs.put(KEY, b"two")

    assert await blobs.read(KEY) == b"two"


async def test_the_room_is_measured_while_nobody_writes(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root.mkdir()
    _free(monkeypatch, 999)
    measuring = asyncio.create_task(room.keep_measuring_room(f"file://{root}", every_s=0.01))
    await eventually(lambda: _gauge("blobs_free_bytes") == 999)

    _free(monkeypatch, 777)

    await eventually(lambda: _gauge("blobs_free_bytes") == 777)
    assert _gauge("blobs_size_bytes") == 2_000
    measuring.cancel()


async def test_of_a_bucket_nobody_knows_the_room() -> None:
    await room.keep_measuring_room("s3://invoices/all")


def _gauge(name: str) -> float | None:
    return REGISTRY.get_sample_value(f"paperline_{name}")


def _free(monkeypatch: pytest.MonkeyPatch, free_bytes: int) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(2_000, 0, free_bytes))

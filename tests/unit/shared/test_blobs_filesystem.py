"""What the disk must have been told before a blob has its name, and what its errors mean.

A power cut cannot be staged here, so the order of the calls that survive one is the fact under
test; a killed writer can be staged, and is.
"""

import asyncio
import errno
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from threading import Event, Semaphore

import pytest

from shared.blobs import filesystem
from shared.blobs.filesystem import FilesystemBlobs
from shared.blobs.filesystem_errors import failed_read, failed_write
from shared.blobs.keys import BadKey
from shared.blobs.pieces import PIECE_BYTES, in_one_piece
from shared.errors import Rejected, Retryable
from tests.unit.shared.disk_calls import Calls, drafts, recorded

KEY = "data/json/2024/05/01/a.json"
WRITER = """
import asyncio, sys
from pathlib import Path
from shared.blobs.filesystem import FilesystemBlobs

async def endless():
    yield b"x" * 3_000_000
    print("written", flush=True)
    await asyncio.Event().wait()
    yield b""

asyncio.run(FilesystemBlobs(Path(sys.argv[1])).write(endless()))
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "blobs"


@pytest.fixture
def blobs(root: Path) -> FilesystemBlobs:
    blobs = FilesystemBlobs(root)
    blobs.prepare()
    return blobs


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, root: Path) -> Calls:
    return recorded(monkeypatch, root)


async def test_a_name_is_given_after_the_bytes_and_kept_by_its_folder(
    blobs: FilesystemBlobs, told: Calls
) -> None:
    for write in (
        blobs.put(KEY, b"one"), blobs.put_new(f"{KEY}.2", b"two"),
        blobs.write(in_one_piece(b"three")), blobs.write(in_one_piece(b"." * PIECE_BYTES)),
    ):  # fmt: skip
        told.clear()
        await write

        at, given = next(one for one in enumerate(told) if one[1][0] == "name")
        assert ("sync", "draft") in told[:at]
        assert ("sync", Path(given[1]).parent.as_posix()) in told[at:]


async def test_a_new_folder_is_kept_by_the_folders_above_it(
    blobs: FilesystemBlobs, told: Calls
) -> None:
    await blobs.put(KEY, b"one")

    folders = ["data/json/2024/05", "data/json/2024", "data/json", "data", "."]
    assert [("sync", folder) for folder in folders] == [
        call for call in told if call[1] in folders
    ]


async def test_what_need_not_be_durable_does_not_wait_and_its_folder_is_not_taken_for_kept(
    blobs: FilesystemBlobs, told: Calls
) -> None:
    await blobs.put("day/first", b".", durable=False)
    assert told == [("name", "day/first")]

    await blobs.put("day/second", b".")

    assert ("sync", "day") in told
    assert ("sync", ".") in told


async def test_many_puts_sync_their_folder_once_per_thread(
    blobs: FilesystemBlobs, told: Calls
) -> None:
    await blobs.put("day/first", b".")
    told.clear()

    await blobs.put_all({f"day/{n}": b"." for n in range(40)})

    assert told.count(("sync", "draft")) == 40
    assert told.count(("sync", "day")) <= filesystem.SYNC_THREADS


async def test_neighbours_in_a_folder_of_their_own_make_and_sync_it_once(
    blobs: FilesystemBlobs, told: Calls
) -> None:
    keys = [f"versions/{n}/{name}" for n in range(20) for name in ("v1.json", "v1.parquet")]

    await blobs.put_all(dict.fromkeys(keys, b"."))

    for n in range(20):
        assert told.count(("sync", f"versions/{n}")) == 1
    assert told.count(("sync", "versions")) <= filesystem.SYNC_THREADS


async def test_writers_wait_for_the_disk_together_and_nobody_behind_them(
    blobs: FilesystemBlobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    await blobs.put("day/known", b"known")
    waiting, disk, fsync = Semaphore(0), Event(), os.fsync

    def slow(descriptor: int) -> None:
        waiting.release()
        assert disk.wait(30)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", slow)
    async with asyncio.TaskGroup() as group:
        for n in range(filesystem.WRITERS_MAX + 1):
            group.create_task(blobs.write(in_one_piece(b"%d" % n)))
        try:
            for _ in range(filesystem.WRITERS_MAX):
                assert await asyncio.to_thread(waiting.acquire, timeout=30)
            assert await blobs.read("day/known") == b"known"
        finally:
            disk.set()


async def test_a_killed_writer_leaves_a_draft_that_is_swept(
    blobs: FilesystemBlobs, root: Path
) -> None:
    command = [sys.executable, "-c", WRITER, str(root)]
    writer = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE)
    assert writer.stdout is not None
    await writer.stdout.readline()
    writer.send_signal(signal.SIGKILL)
    await writer.wait()

    assert [key async for key in blobs.list("")] == []
    assert [draft.stat().st_size for draft in drafts(root)] == [3_000_000]
    assert await blobs.sweep_temp(older_than_s=3600) == 0
    assert await blobs.sweep_temp(older_than_s=-1) == 1
    assert drafts(root) == []


async def test_a_cancelled_write_leaves_nothing(blobs: FilesystemBlobs, root: Path) -> None:
    begun = asyncio.Event()

    async def slow() -> AsyncIterator[bytes]:
        yield b"x" * PIECE_BYTES
        begun.set()
        await asyncio.Event().wait()

    async with asyncio.TaskGroup() as group:
        write = group.create_task(blobs.write(slow()))
        await begun.wait()
        assert len(drafts(root)) == 1
        write.cancel()

    assert drafts(root) == []


async def test_a_full_disk_leaves_no_draft_behind(
    blobs: FilesystemBlobs, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_descriptor: int, _data: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(Retryable) as put:
        await blobs.put(KEY, b"one")
    with pytest.raises(Retryable) as write:
        await blobs.write(in_one_piece(b"one"))
    monkeypatch.undo()

    assert (put.value.dependency, write.value.dependency) == ("blobs", "blobs")
    assert drafts(root) == []


async def test_a_vanished_disk_is_an_outage_and_not_a_missing_document(
    blobs: FilesystemBlobs, root: Path
) -> None:
    await blobs.put(KEY, b"one")
    root.rename(root.with_name("unmounted"))
    root.mkdir()

    for use in (
        blobs.read(KEY), blobs.size(KEY), blobs.delete(KEY), blobs.check(),
        blobs.put(KEY, b"two"), blobs.write(in_one_piece(b"three")), anext(blobs.list("data/")),
        blobs.copy_all({"day/a": KEY}),
    ):  # fmt: skip
        with pytest.raises(Retryable) as raised:
            await use
        assert raised.value.dependency == "blobs"


async def test_a_folder_that_was_removed_is_made_again(
    blobs: FilesystemBlobs, root: Path
) -> None:
    await blobs.put("day/a", b"one")
    (root / "day/a").unlink()
    (root / "day").rmdir()

    await blobs.put("day/a", b"two")

    assert await blobs.read("day/a") == b"two"


async def test_a_folder_of_blobs_is_no_blob(blobs: FilesystemBlobs) -> None:
    await blobs.put("day/a", b"one")

    with pytest.raises(Rejected, match="source_missing"):
        await blobs.read("day")
    with pytest.raises(BadKey):
        await blobs.put("day", b"two")
    with pytest.raises(BadKey):
        await blobs.put("day/a/b", b"three")
    with pytest.raises(BadKey):
        await blobs.copy_all({"day": "day/a"})
    assert await blobs.copy_all({"other": "day"}) == {"other"}
    assert await blobs.size("day") is None
    await blobs.delete("day")


async def test_a_stored_file_is_not_for_everybody(blobs: FilesystemBlobs, root: Path) -> None:
    await blobs.put(KEY, b"one")

    assert (root / KEY).stat().st_mode & 0o007 == 0


NO_PLACE = {errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG}
NOT_THERE = NO_PLACE - {errno.EEXIST} | {errno.ENOENT}


@pytest.mark.parametrize("code", sorted(errno.errorcode), ids=errno.errorcode.__getitem__)
def test_every_error_of_a_disk_is_an_outage_or_a_missing_blob(code: int) -> None:
    error = OSError(code, os.strerror(code))

    read = failed_read(error, KEY, mounted=True)
    unmounted = failed_read(error, KEY, mounted=False)
    written = failed_write(error, KEY)

    assert isinstance(read, Rejected) == (code in NOT_THERE)
    assert isinstance(unmounted, Retryable)
    assert isinstance(written, BadKey) == (code in NO_PLACE)
    for outcome in (read, unmounted, written):
        if isinstance(outcome, Retryable):
            assert outcome.dependency == "blobs"

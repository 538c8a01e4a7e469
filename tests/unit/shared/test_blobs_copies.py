"""A second name on a disk costs no bytes; where a disk has no such names, they are written."""

import errno
import os
from pathlib import Path

import pytest

from shared.blobs.filesystem import TEMP, FilesystemBlobs
from tests.unit.shared.disk_calls import Calls, drafts, recorded


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


async def test_copies_are_kept_by_their_folder_which_is_synced_once(
    blobs: FilesystemBlobs, told: Calls
) -> None:
    await blobs.put_all({f"versions/{n}": b"." for n in range(40)})
    await blobs.put("day/0", b"old")
    for n in (0, 1):
        told.clear()
        await blobs.copy_all({f"day/{at}": f"versions/{at}" for at in range(n, 20 + n)})

        # Nothing is written: what lies there is on the disk already.
        assert told == [*(("name", f"day/{at}") for at in range(n, 20 + n)), ("sync", "day")]


async def test_a_copy_costs_no_bytes_and_leaves_no_draft(
    blobs: FilesystemBlobs, root: Path
) -> None:
    await blobs.put_all({"versions/1": b"one", "versions/2": b"two"})

    for source in ("versions/1", "versions/2", "versions/2"):
        await blobs.copy_all({"day/a": source})

        assert (root / "day/a").samefile(root / source)
        assert drafts(root) == []


@pytest.mark.parametrize("code", [errno.EXDEV, errno.EPERM, errno.EMLINK, errno.EOPNOTSUPP])
async def test_where_a_disk_has_no_second_names_the_bytes_are_written_again(
    blobs: FilesystemBlobs, root: Path, monkeypatch: pytest.MonkeyPatch, code: int,
    told: Calls,
) -> None:  # fmt: skip
    def refused(_source: str, _target: str) -> None:
        raise OSError(code, os.strerror(code))

    await blobs.put_all({"versions/1": b"one", "versions/2": b"two"})
    monkeypatch.setattr(os, "link", refused)
    for source, data in {"versions/1": b"one", "versions/2": b"two"}.items():
        told.clear()
        assert await blobs.copy_all({"day/a": source, "day/b": "none"}) == {"day/b"}

        assert await blobs.read("day/a") == data
        assert not (root / "day/a").samefile(root / source)
        assert told.index(("sync", "draft")) < told.index(("name", "day/a"))
        assert drafts(root) == []


async def test_a_second_name_on_its_way_is_no_draft_of_a_killed_writer(
    blobs: FilesystemBlobs, root: Path
) -> None:
    await blobs.put("versions/1", b"one")
    os.utime(root / "versions/1", (0, 0))
    (root / TEMP / "a").hardlink_to(root / "versions/1")

    assert await blobs.sweep_temp(older_than_s=3600) == 0
    assert await blobs.sweep_temp(older_than_s=-1) == 1
    assert await blobs.read("versions/1") == b"one"

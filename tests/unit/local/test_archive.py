"""A backup is whole or it is none, and what comes out of it is what went in."""

import subprocess
from pathlib import Path

import pytest

from deploy.local import archive
from deploy.local.archive import Archive, Gathering, Manifest
from deploy.local.errors import StackError

MANIFEST = Manifest(
    taken_at="2026-03-14T08:00:00.000+00:00",
    held_s=1.5,
    server_major=15,
    revisions={"ingest": ["ingest_0001"]},
    rows={"ingest.documents": 3},
    left={},
    dump_sha256="0" * 64,
    dump_bytes=1,
    index_sha256="0" * 64,
    objects=2,
    object_bytes=8,
)


class Store:
    """A folder of objects, as services write it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / ".temp").mkdir(parents=True)

    def put(self, key: str, text: str) -> None:
        path = self.root / key
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self.root / ".temp" / "draft"
        fresh.write_text(text)
        fresh.replace(path)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "blobs")


@pytest.fixture
def target(tmp_path: Path) -> Archive:
    made = Archive(tmp_path / "backup")
    made.create()
    return made


def test_a_second_look_takes_what_is_new_and_what_was_changed(
    store: Store, target: Archive
) -> None:
    store.put("data/json/one.json", "one")
    store.put("sha256/aa/aa1", "scan")
    gathering = Gathering(store.root, target.objects)
    assert gathering.look() == 2

    store.put("data/json/one.json", "one, corrected")
    store.put("data/json/two.json", "two")

    assert gathering.look() == 2
    assert (target.objects / "data/json/one.json").read_text() == "one, corrected"
    assert gathering.object_bytes == len("one, corrected" + "two" + "scan")


def test_what_is_erased_between_two_looks_stays_because_a_row_may_name_it(
    store: Store, target: Archive
) -> None:
    store.put("sha256/aa/aa1", "scan")
    gathering = Gathering(store.root, target.objects)
    gathering.look()

    (store.root / "sha256/aa/aa1").unlink()
    gathering.look()

    assert set(gathering.digests) == {"sha256/aa/aa1"}
    assert (target.objects / "sha256/aa/aa1").read_text() == "scan"


def test_drafts_are_no_objects(store: Store, target: Archive) -> None:
    (store.root / ".temp" / "half").write_text("ha")

    assert Gathering(store.root, target.objects).look() == 0


def test_the_index_is_what_sha256sum_reads(store: Store, target: Archive) -> None:
    store.put("data/json/one.json", "one")
    gathering = Gathering(store.root, target.objects)
    gathering.look()
    archive.write_index(target, gathering.digests)

    said = subprocess.run(
        ["sha256sum", "--check", "--strict", str(target.index)],
        cwd=target.objects,
        check=True,
        capture_output=True,
        text=True,
    )

    assert said.stdout == "data/json/one.json: OK\n"
    assert archive.read_index(target) == gathering.digests


def test_objects_come_back_with_their_bytes(
    store: Store, target: Archive, tmp_path: Path
) -> None:
    store.put("data/json/one.json", "one")
    gathering = Gathering(store.root, target.objects)
    gathering.look()

    archive.put_objects_back(target, gathering.digests, tmp_path / "back")

    assert (tmp_path / "back/data/json/one.json").read_text() == "one"


@pytest.mark.parametrize("damage", ["changed", "gone"])
def test_a_damaged_object_is_named_and_stops_the_restore(
    store: Store, target: Archive, tmp_path: Path, damage: str
) -> None:
    store.put("data/json/one.json", "one")
    gathering = Gathering(store.root, target.objects)
    gathering.look()
    if damage == "gone":
        (target.objects / "data/json/one.json").unlink()
    else:
        (target.objects / "data/json/one.json").write_text("two")

    with pytest.raises(StackError, match=r"one\.json is not what was backed up"):
        archive.put_objects_back(target, gathering.digests, tmp_path / "back")


def test_a_backup_is_never_mixed_with_what_lies_there(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")

    with pytest.raises(StackError, match="is not empty"):
        Archive(tmp_path).create()


def test_a_manifest_is_read_as_it_was_written(target: Archive) -> None:
    archive.write_manifest(target, MANIFEST)

    assert archive.read_manifest(target) == MANIFEST
    assert target.root.stat().st_mode & 0o077 == 0
    assert target.manifest.stat().st_mode & 0o077 == 0


def test_a_backup_that_was_cut_off_is_none(target: Archive) -> None:
    with pytest.raises(StackError, match="no finished backup"):
        archive.read_manifest(target)


def test_a_backup_of_another_format_is_left_to_who_made_it(target: Archive) -> None:
    target.manifest.write_text('{"format": 99}')

    with pytest.raises(StackError, match="format 99"):
        archive.read_manifest(target)

"""What a backup is: a folder with a dump, the objects as they lie in the store, and a digest of
everything.

The manifest is written last, so a folder without one is a backup that was cut off. Objects are
copied while the store is in use: a second look takes what has come since the first, and what is
erased between the two stays in the backup, because a row of the snapshot may still name it.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path

from deploy.local.errors import StackError
from deploy.local.state import read_json, write_json
from shared.blobs.walk import keys_under

FORMAT = 1
PIECE_BYTES = 1 << 20
# Of the stack's secrets those that the data is worth nothing without; all others are made anew.
KEPT_SECRETS = ("cursor_secret", "webhook_secret")


@dataclass(frozen=True, slots=True)
class Archive:
    """The paths of one backup."""

    root: Path

    @property
    def manifest(self) -> Path:
        return self.root / "backup.json"

    @property
    def dump(self) -> Path:
        return self.root / "database.dump"

    @property
    def objects(self) -> Path:
        return self.root / "objects"

    @property
    def index(self) -> Path:
        """As `sha256sum --check` reads it, from within `objects`."""
        return self.root / "objects.sha256"

    @property
    def secrets(self) -> Path:
        return self.root / "secrets.json"

    @property
    def key(self) -> Path:
        return self.root / "key"

    def create(self) -> None:
        try:
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            if any(self.root.iterdir()):
                raise StackError(
                    f"{self.root} is not empty, and a backup is never mixed with another: "
                    "name a new folder"
                )
            self.objects.mkdir(mode=0o700)
        except OSError as error:
            raise StackError(f"{self.root} cannot be written: {error.strerror}") from error


@dataclass(frozen=True, slots=True)
class Manifest:
    """`left` are messages that the broker still held at the moment of the snapshot."""

    taken_at: str
    held_s: float
    server_major: int
    revisions: dict[str, list[str]]
    rows: dict[str, int]
    left: dict[str, int]
    dump_sha256: str
    dump_bytes: int
    index_sha256: str
    objects: int
    object_bytes: int
    format: int = FORMAT


def write_manifest(archive: Archive, manifest: Manifest) -> None:
    # What it vouches for is on the disk before it is.
    os.sync()
    write_json(archive.manifest, asdict(manifest))
    os.sync()


def read_manifest(archive: Archive) -> Manifest:
    told = read_json(archive.manifest)
    if not told:
        raise StackError(
            f"{archive.root} holds no finished backup: there is no backup.json in it. "
            "One that was cut off cannot be restored; take another"
        )
    if told.get("format") != FORMAT:
        raise StackError(
            f"{archive.root} has format {told.get('format')}, and this version reads {FORMAT}: "
            "restore it with the version that made it, then update"
        )
    return Manifest(**told)


@dataclass(slots=True)
class Gathering:
    """Copies a store in use, in as many looks as it takes."""

    source: Path
    target: Path
    digests: dict[str, str] = field(default_factory=dict)
    bytes_copied: int = 0
    _marks: dict[str, tuple[int, int]] = field(default_factory=dict)

    def look(self) -> int:
        """How many objects are new or were changed since the look before."""
        copied = 0
        for key in keys_under(self.source, ""):
            try:
                found = (self.source / key).stat()
                mark = (found.st_size, found.st_mtime_ns)
                if self._marks.get(key) == mark:
                    continue
                digest = copied_with_digest(self.source / key, self.target / key)
            except FileNotFoundError:
                # Erased while we were on the way to it.
                continue
            self._marks[key], self.digests[key] = mark, digest
            self.bytes_copied += found.st_size
            copied += 1
        return copied

    @property
    def object_bytes(self) -> int:
        return sum(size for size, _ in self._marks.values())


def bytes_in(store: Path) -> int:
    found = 0
    for key in keys_under(store, ""):
        with suppress(FileNotFoundError):
            found += (store / key).stat().st_size
    return found


def copied_with_digest(source: Path, target: Path) -> str:
    digest = sha256()
    target.parent.mkdir(parents=True, exist_ok=True)
    with source.open("rb") as old, target.open("wb") as new:
        while piece := old.read(PIECE_BYTES):
            digest.update(piece)
            new.write(piece)
    return digest.hexdigest()


def digest_of(path: Path) -> str:
    digest = sha256()
    with path.open("rb") as file:
        while piece := file.read(PIECE_BYTES):
            digest.update(piece)
    return digest.hexdigest()


def write_index(archive: Archive, digests: dict[str, str]) -> None:
    with archive.index.open("w") as index:
        index.writelines(f"{digests[key]}  {key}\n" for key in sorted(digests))


def read_index(archive: Archive) -> dict[str, str]:
    return dict(_indexed(archive.index.read_text().splitlines()))


def _indexed(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        digest, _, key = line.partition("  ")
        yield key, digest


def put_objects_back(archive: Archive, digests: dict[str, str], target: Path) -> None:
    for key, digest in digests.items():
        try:
            found = copied_with_digest(archive.objects / key, target / key)
        except FileNotFoundError:
            found = "nothing"
        if found != digest:
            raise StackError(
                f"{archive.objects / key} is not what was backed up (its digest is {found}, "
                f"not {digest}): this copy of the backup is damaged, take another one"
            )
    os.sync()


def kept_secrets(secrets: dict[str, str]) -> dict[str, str]:
    return {name: secrets[name] for name in KEPT_SECRETS}

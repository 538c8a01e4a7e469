"""A folder that documents are dropped into: which are whole, under way, or at their end.

What was handed in is written down beside the files before anything else happens, so a watch
that starts again goes on with the same documents. Nothing in the folder is ever overwritten.
"""

import fcntl
import hashlib
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from deploy.local.errors import StackError
from deploy.local.reading import ARCHIVE_SUFFIX, DOCUMENT_SUFFIXES
from deploy.local.state import read_json, write_json

DONE, FAILED = "done", "failed"
JOURNAL, LOCK = ".paperline-watch.json", ".paperline-watch.lock"
TAKEN = DOCUMENT_SUFFIXES | {ARCHIVE_SUFFIX}
# What browsers, mail programs and copying tools call a file that is not whole yet.
UNFINISHED = (".part", ".partial", ".crdownload", ".download", ".filepart", ".tmp", ".temp")
PIECE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Sight:
    """A file as it was seen; the same sight twice is the same file, untouched."""

    path: Path
    size: int
    mtime_ns: int

    @property
    def name(self) -> str:
        """For a terminal: whatever bytes a name is made of, none of them steers it."""
        return "".join(one if one.isprintable() else "?" for one in self.path.name)


class Inbox:
    def __init__(self, root: Path) -> None:
        self.root = root
        self._journal = root / JOURNAL
        self._writing = threading.Lock()
        self._seen: dict[Path, tuple[Sight, float]] = {}

    @contextmanager
    def held(self) -> Iterator[None]:
        """By one watch at a time: two would hand in everything twice."""
        try:
            for folder in (DONE, FAILED):
                (self.root / folder).mkdir(exist_ok=True)
            lock = (self.root / LOCK).open("w")
        except OSError as error:
            raise StackError(f"{self.root} cannot be watched: {error}") from error
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise StackError(f"Somebody watches {self.root} already.") from None
            self._forget_the_gone()
            yield

    def look(self, now: float, *, settle_s: float) -> tuple[list[Sight], list[Sight]]:
        """What has not changed for so long, and what still may."""
        seen = {}
        for sight in self._sights():
            before, since = self._seen.get(sight.path, (None, now))
            seen[sight.path] = (sight, since if before == sight else now)
        self._seen = seen
        whole = [sight for sight, since in seen.values() if now - since >= settle_s]
        settled = {sight.path for sight in whole}
        return whole, [sight for path, (sight, _) in seen.items() if path not in settled]

    def strangers(self) -> list[str]:
        """Files that are left alone for being no documents."""
        return sorted(
            entry.name
            for entry in os.scandir(self.root)
            if entry.is_file(follow_symlinks=False)
            and not _is_unfinished(entry.name)
            and Path(entry.name).suffix.lower() not in TAKEN
        )

    def _sights(self) -> Iterator[Sight]:
        with os.scandir(self.root) as entries:
            for entry in entries:
                if _is_unfinished(entry.name) or Path(entry.name).suffix.lower() not in TAKEN:
                    continue
                sight = sight_of(Path(entry.path))
                if sight is not None:
                    yield sight

    def handed_in(self, sight: Sight, address: str) -> str | None:
        """Under which id; None when it was changed, or went somewhere else."""
        known = read_json(self._journal).get(sight.path.name)
        if not isinstance(known, dict) or known != self._line(sight, address, known.get("id")):
            return None
        return str(known["id"])

    def note(self, sight: Sight, address: str, made: str) -> None:
        with self._writing:
            lines = read_json(self._journal)
            lines[sight.path.name] = self._line(sight, address, made)
            write_json(self._journal, lines)

    def forget(self, sight: Sight) -> None:
        with self._writing:
            lines = read_json(self._journal)
            if lines.pop(sight.path.name, None) is not None:
                write_json(self._journal, lines)

    def move(self, sight: Sight, folder: str, why: str = "") -> Path:
        """Where it lies now, with the reason beside it; the journal forgets it last."""
        target = _claimed(self.root / folder, sight.path)
        try:
            sight.path.replace(target)
        except OSError:
            target.unlink()
            raise
        if why:
            beside = _claimed(target.parent, target.with_name(f"{target.name}.txt"))
            beside.write_text(why, encoding="utf-8", errors="replace")
        self.forget(sight)
        return target

    def _forget_the_gone(self) -> None:
        with self._writing:
            lines = read_json(self._journal)
            kept = {name: line for name, line in lines.items() if (self.root / name).exists()}
            if kept != lines:
                write_json(self._journal, kept)

    @staticmethod
    def _line(sight: Sight, address: str, made: object) -> dict[str, object]:
        return {
            "id": made,
            "size": sight.size,
            "mtime_ns": sight.mtime_ns,
            "address": address,
        }


def sight_of(path: Path) -> Sight | None:
    """None for what is no file, or is none any more."""
    try:
        if path.is_symlink() or not path.is_file():
            return None
        found = path.stat()
    except OSError:
        return None
    return Sight(path, found.st_size, found.st_mtime_ns)


def key_of(sight: Sight, priority: str) -> str:
    """The same for the same content, name and time, whichever watch asks; with another
    priority it is another request, which a key that was used would refuse."""
    digest = hashlib.sha256()
    with sight.path.open("rb") as file:
        while piece := file.read(PIECE_BYTES):
            digest.update(piece)
    told = f"{digest.hexdigest()}\0{sight.path.name}\0{sight.mtime_ns}\0{priority}"
    return f"watch-{hashlib.sha256(told.encode(errors='surrogateescape')).hexdigest()}"


def _is_unfinished(name: str) -> bool:
    return (
        name.startswith((".", "~")) or name.endswith("~") or name.lower().endswith(UNFINISHED)
    )


def _claimed(folder: Path, path: Path) -> Path:
    """A name that nobody has, taken: an empty file stands there until it is replaced."""
    number = 1
    while True:
        counted = f" ({number})" if number > 1 else ""
        name = folder / f"{path.stem}{counted}{path.suffix}"
        try:
            name.touch(exist_ok=False)
        except FileExistsError:
            number += 1
        else:
            return name

"""What a store in a folder does with one open file: always in a thread, never on the loop."""

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from shared.blobs.keys import keeps_promise
from shared.blobs.pieces import PIECE_BYTES, within
from shared.errors import Rejected


def promised(path: str, key: str, limit_bytes: int | None) -> bytes:
    """All of it, when it is what its key says. A digest of much would hold up the loop."""
    data = whole(path, limit_bytes)
    if not keeps_promise(key, data):
        raise Rejected("source_corrupt", key)
    return data


def whole(path: str, limit_bytes: int | None) -> bytes:
    # As text, and without a buffer: it asks less of the interpreter, for which others wait.
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123
        within(os.fstat(file.fileno()).st_size, limit_bytes)
        return file.read()


def size_of(path: Path) -> int:
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, "holds blobs and is none", str(path))
    return found.st_size


def is_there(path: Path) -> bool:
    try:
        size_of(path)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return False
    return True


def opened_at(path: Path, start: int) -> BinaryIO:
    file = path.open("rb", buffering=0)
    file.seek(start)
    return file


def next_piece(file: BinaryIO, left: int | None) -> bytes:
    return file.read(PIECE_BYTES if left is None else min(left, PIECE_BYTES))


def removed_before(folder: Path, time_s: float) -> int:
    """How many files of this folder were last written before then; they are gone."""
    removed = 0
    for path in folder.iterdir():
        # A writer may finish, and its draft be gone, between any two of these calls.
        with suppress(FileNotFoundError):
            # By the later of the two: a draft that is a second name of an old file is new.
            found = path.stat()
            if max(found.st_mtime, found.st_ctime) < time_s:
                path.unlink()
                removed += 1
    return removed

"""A folder as a source: regular files below it, and nothing a link could lead to.

The path is walked one folder at a time and links are not followed, because whoever may drop
files there could otherwise have us read any file of this machine.
"""

import asyncio
import errno
import os
import stat
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import BinaryIO, ParamSpec, TypeVar

from shared.blobs.pieces import PIECE_BYTES
from shared.blobs.source import away, source_key
from shared.errors import Deferred, Rejected, Retryable

_MISSING = frozenset(
    {errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.ENXIO}
)
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# A pipe would otherwise keep us until somebody writes into it.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

_Args = ParamSpec("_Args")
_Result = TypeVar("_Result")


class FolderSource:
    def __init__(self, root: Path) -> None:
        self._root = root

    async def stream(self, key: str, *, version_id: str | None = None) -> AsyncIterator[bytes]:
        if version_id is not None:
            raise Rejected("source_missing", "a folder keeps no versions")
        file = await self._reading(key, self._open, source_key(key))
        try:
            before = _identity(file)
            while piece := await self._reading(key, file.read, PIECE_BYTES):
                yield piece
            if _identity(file) != before:
                raise Retryable(f"{key} was written to while it was read")
        finally:
            file.close()

    async def _reading(
        self, key: str, work: Callable[_Args, _Result], *args: _Args.args, **kw: _Args.kwargs
    ) -> _Result:
        try:
            return await asyncio.to_thread(work, *args, **kw)
        except OSError as error:
            raise _translated(error, key) from error

    def _open(self, key: str) -> BinaryIO:
        *folders, name = key.split("/")
        try:
            inside = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise away(error) from error
        try:
            for folder in folders:
                outside, inside = inside, os.open(folder, _FOLDER, dir_fd=inside)
                os.close(outside)
            file = os.fdopen(os.open(name, _FILE, dir_fd=inside), "rb", buffering=0)
        finally:
            os.close(inside)
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return file
        file.close()
        raise Rejected("source_missing", f"{key} is no regular file")


def _identity(file: BinaryIO) -> tuple[int, int]:
    found = os.fstat(file.fileno())
    return found.st_size, found.st_mtime_ns


def _translated(error: OSError, key: str) -> Rejected | Deferred:
    if error.errno in _MISSING:
        return Rejected("source_missing", key)
    if error.errno in (errno.EACCES, errno.EPERM):
        return Rejected("source_not_allowed", f"{key} may not be read by us")
    return away(error)

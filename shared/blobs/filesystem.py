"""Blobs in a folder: what a single machine needs, and what a crash cannot tear.

Every write goes to a temp file, is synced, gets its name by an atomic rename, and the folder
is synced too; without the last step a power cut takes the name back. Blocking calls run in
threads, one hop for a small blob.
"""

import asyncio
import errno
import os
import shutil
import stat
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import suppress
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import BinaryIO, ParamSpec, TypeVar

from shared.blobs.draft import Draft, fsync_folder
from shared.blobs.filesystem_errors import failed_read, failed_write
from shared.blobs.keys import content_key, digest_of, keeps_promise, valid_key, valid_prefix
from shared.blobs.pieces import PIECE_BYTES, checked_range, in_pieces, within
from shared.blobs.port import Blob
from shared.blobs.walk import keys_under
from shared.errors import Rejected, Retryable

TEMP = ".temp"
SYNC_THREADS = 4
LIST_BATCH = 1000

_Args = ParamSpec("_Args")
_Result = TypeVar("_Result")


class FilesystemBlobs:
    def __init__(self, root: Path, *, free_bytes_min: int = 0) -> None:
        self._root = root
        self._temp = root / TEMP
        self._free_bytes_min = free_bytes_min
        # By the beginning of the keys in them: paths are slow to take apart.
        self._known_folders: dict[str, Path] = {}

    def prepare(self) -> None:
        """Make the folders; called once at start, so that later a vanished mount shows."""
        try:
            self._temp.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise failed_write(error, str(self._root)) from error

    async def write(
        self, chunks: AsyncIterator[bytes], *, limit_bytes: int | None = None
    ) -> Blob:
        pieces = in_pieces(chunks, limit_bytes=limit_bytes)
        first = await anext(pieces, b"")
        if len(first) < PIECE_BYTES:
            # All of it: one hop into a thread instead of four.
            return await self._writing(TEMP, self._write_whole, first)
        draft = await self._writing(TEMP, Draft, self._temp)
        blob = None
        try:
            await self._writing(TEMP, draft.append, first)
            # Or it would be held until the last one has come.
            del first
            async for piece in pieces:
                await self._writing(TEMP, draft.append, piece)
            key = content_key(draft.sha256)
            await self._writing(key, self._publish, {key: draft})
            blob = Blob(key, draft.size, draft.sha256)
        finally:
            if blob is None:
                await self._writing(TEMP, draft.discard)
        return blob

    async def put(self, key: str, data: bytes) -> None:
        await self._writing(key, self._put, {valid_key(key): data})

    async def put_new(self, key: str, data: bytes) -> bool:
        return await self._writing(key, self._put_new, valid_key(key), data)

    async def put_all(self, items: Mapping[str, bytes]) -> None:
        # Syncs that run side by side share the disk's commits; one by one each pays its own.
        pairs = [(valid_key(key), data) for key, data in items.items()]
        slices = [dict(pairs[first::SYNC_THREADS]) for first in range(SYNC_THREADS)]
        parts = (part for part in slices if part)
        await asyncio.gather(
            *(self._writing(next(iter(part)), self._put, part) for part in parts)
        )

    async def read(self, key: str, *, limit_bytes: int | None = None) -> bytes:
        data = await self._reading(key, _read, self._path(key), limit_bytes)
        if not keeps_promise(key, data):
            raise Rejected("source_corrupt", key)
        return data

    async def stream(
        self, key: str, *, start: int = 0, length: int | None = None
    ) -> AsyncIterator[bytes]:
        checked_range(start, length)
        file = await self._reading(key, _open_at, self._path(key), start)
        whole = start == 0 and length is None
        digest = sha256()
        left = length
        try:
            while piece := await self._reading(key, _next_piece, file, left):
                if whole:
                    digest.update(piece)
                if left is not None:
                    left -= len(piece)
                yield piece
        finally:
            file.close()
        if whole and digest_of(key) not in (None, digest.hexdigest()):
            raise Rejected("source_corrupt", key)

    async def size(self, key: str) -> int | None:
        try:
            return await self._reading(key, _size, self._path(key))
        except Rejected:
            return None

    async def delete(self, key: str) -> None:
        await self._writing(key, self._delete, self._path(key))

    async def list(self, prefix: str) -> AsyncIterator[str]:
        keys = keys_under(self._root, valid_prefix(prefix))
        await self._reading(prefix, self._temp.stat)
        while batch := await self._reading(prefix, _take, keys):
            for key in batch:
                yield key

    async def check(self) -> None:
        await self._writing(TEMP, self._check)

    async def sweep_temp(self, *, older_than_s: float) -> int:
        return await self._writing(TEMP, self._sweep, time.time() - older_than_s)

    def _path(self, key: str) -> Path:
        return self._root / valid_key(key)

    async def _writing(
        self, key: str, work: Callable[_Args, _Result], *args: _Args.args, **kw: _Args.kwargs
    ) -> _Result:
        # Only the disk's own errors are translated: an OSError of the stream that is being
        # stored belongs to the client who hung up.
        try:
            return await asyncio.to_thread(work, *args, **kw)
        except OSError as error:
            raise failed_write(error, key) from error

    async def _reading(
        self, key: str, work: Callable[_Args, _Result], *args: _Args.args, **kw: _Args.kwargs
    ) -> _Result:
        try:
            return await asyncio.to_thread(work, *args, **kw)
        except OSError as error:
            # The mark tells a missing blob from a missing disk: an empty mount point must
            # not reject every document of the house.
            mounted = await asyncio.to_thread(self._temp.is_dir)
            raise failed_read(error, key, mounted=mounted) from error

    def _write_whole(self, data: bytes) -> Blob:
        draft = self._draft(data)
        try:
            key = content_key(draft.sha256)
            self._publish({key: draft})
        finally:
            draft.discard()
        return Blob(key, draft.size, draft.sha256)

    def _put(self, items: Mapping[str, bytes]) -> None:
        drafts = {}
        try:
            for key, data in items.items():
                drafts[key] = self._draft(data)
            self._publish(drafts)
        finally:
            for draft in drafts.values():
                draft.discard()

    def _put_new(self, key: str, data: bytes) -> bool:
        target = self._root / key
        self._made_folder(key.rpartition("/")[0])
        draft = self._draft(data)
        try:
            draft.seal()
            # A link refuses a name that is taken, which a rename would silently replace.
            target.hardlink_to(draft.path)
        except FileExistsError:
            created = False
        else:
            created = True
        finally:
            draft.discard()
        fsync_folder(target.parent)
        return created

    def _draft(self, data: bytes) -> Draft:
        draft = Draft(self._temp)
        try:
            draft.append(data)
        except OSError:
            draft.discard()
            raise
        return draft

    def _publish(self, drafts: Mapping[str, Draft]) -> None:
        for draft in drafts.values():
            draft.seal()
        folders = {}
        for key, draft in drafts.items():
            beginning, _, name = key.rpartition("/")
            folder = self._made_folder(beginning)
            draft.publish(f"{folder}/{name}")
            folders[beginning] = folder
        for folder in folders.values():
            fsync_folder(folder)

    def _made_folder(self, beginning: str) -> Path:
        folder = self._known_folders.get(beginning)
        if folder is not None and folder.is_dir():
            return folder
        folder = self._root / beginning
        folder.mkdir(parents=True, exist_ok=True)
        # Also when somebody else made them a moment ago: the sync may still be ahead of them.
        for parent in _up_to(self._root, folder):
            fsync_folder(parent)
        self._known_folders[beginning] = folder
        return folder

    def _delete(self, path: Path) -> None:
        try:
            path.unlink()
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            # With the disk away nothing was erased, and saying so would be a lie.
            self._temp.stat()
        else:
            fsync_folder(path.parent)

    def _check(self) -> None:
        Draft(self._temp).discard()
        free_bytes = shutil.disk_usage(self._root).free
        if free_bytes < self._free_bytes_min:
            raise Retryable(f"only {free_bytes} bytes are free", dependency="blobs")

    def _sweep(self, before: float) -> int:
        removed = 0
        for path in self._temp.iterdir():
            # A writer may finish, and its draft be gone, between any two of these calls.
            with suppress(FileNotFoundError):
                if path.stat().st_mtime < before:
                    path.unlink()
                    removed += 1
        return removed


def _read(path: Path, limit_bytes: int | None) -> bytes:
    with path.open("rb") as file:
        within(os.fstat(file.fileno()).st_size, limit_bytes)
        return file.read()


def _size(path: Path) -> int:
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, "holds blobs and is none", str(path))
    return found.st_size


def _open_at(path: Path, start: int) -> BinaryIO:
    file = path.open("rb", buffering=0)
    file.seek(start)
    return file


def _next_piece(file: BinaryIO, left: int | None) -> bytes:
    return file.read(PIECE_BYTES if left is None else min(left, PIECE_BYTES))


def _take(keys: Iterable[str]) -> tuple[str, ...]:
    return tuple(islice(keys, LIST_BATCH))


def _up_to(root: Path, folder: Path) -> list[Path]:
    return [folder, *(parent for parent in folder.parents if parent.is_relative_to(root))]

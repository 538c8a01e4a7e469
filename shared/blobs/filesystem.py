"""Blobs in a folder: what a single machine needs, and what a crash cannot tear.

Every write goes to a temp file, is synced, gets its name by an atomic rename, and the folder
is synced too; without the last step a power cut takes the name back. Blocking calls run in
threads, one hop for a small blob. Each call there waits for the interpreter anew, so that a
call less is worth more than its time.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import BinaryIO, ParamSpec, TypeVar

from shared.at_once import at_once
from shared.blobs import files
from shared.blobs.disk_threads import DiskThreads
from shared.blobs.draft import Draft, fsync_folder
from shared.blobs.filesystem_errors import failed_read, failed_write
from shared.blobs.folders import Folders
from shared.blobs.keys import content_key, digest_of, valid_key, valid_prefix
from shared.blobs.pieces import PIECE_BYTES, checked_range, in_pieces
from shared.blobs.port import Blob
from shared.blobs.room import Room
from shared.blobs.second_names import given_too
from shared.blobs.walk import keys_under
from shared.errors import Rejected

TEMP = ".temp"
SYNC_THREADS = 4
# They wait for the disk nearly all the time, and share what it commits while they do.
WRITERS_MAX = 16
READERS_MAX = 8
LIST_BATCH = 1000

_Args = ParamSpec("_Args")
_Result = TypeVar("_Result")


class FilesystemBlobs:
    def __init__(self, root: Path, *, free_bytes_min: int = 0) -> None:
        self._root = root
        self._temp = root / TEMP
        self._room = Room(root, free_bytes_min)
        self._folders = Folders(root)
        # Their own, so that nobody waits for a thread behind them, nor readers for writers.
        self._writers = DiskThreads(WRITERS_MAX)
        self._readers = DiskThreads(READERS_MAX)

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
        draft = await self._writing(TEMP, self._begun)
        blob = None
        try:
            await self._writing(TEMP, draft.append, first)
            # Or it would be held until the last one has come.
            del first
            async for piece in pieces:
                await self._writing(TEMP, self._room.require)
                await self._writing(TEMP, draft.append, piece)
            key = content_key(draft.sha256)
            await self._writing(key, self._publish, {key: draft})
            blob = Blob(key, draft.size, draft.sha256)
        finally:
            if blob is None:
                await self._writing(TEMP, draft.discard)
        return blob

    async def put(self, key: str, data: bytes, *, durable: bool = True) -> None:
        await self._writing(key, self._put, {valid_key(key): data}, durable=durable)

    async def put_new(self, key: str, data: bytes) -> bool:
        return await self._writing(key, self._put_new, valid_key(key), data)

    async def put_all(self, items: Mapping[str, bytes]) -> None:
        # Syncs that run side by side share the disk's commits; one by one each pays its own.
        pairs = [(valid_key(key), data) for key, data in items.items()]
        # Neighbours stay together: most of them share a folder, made and synced once so.
        size = max(1, -(-len(pairs) // SYNC_THREADS))
        parts = [dict(pairs[first : first + size]) for first in range(0, len(pairs), size)]
        await at_once(self._writing(next(iter(part)), self._put, part) for part in parts)

    async def copy_all(self, copies: Mapping[str, str]) -> set[str]:
        if not copies:
            return set()
        known = {valid_key(key): valid_key(source) for key, source in copies.items()}
        return await self._writing(next(iter(known)), self._copy, known)

    async def put_file(self, key: str, path: Path) -> None:
        file = await asyncio.to_thread(path.open, "rb", buffering=0)
        try:
            await self._writing(key, self._put_file, valid_key(key), file)
        finally:
            await asyncio.to_thread(file.close)

    async def read(self, key: str, *, limit_bytes: int | None = None) -> bytes:
        path = f"{self._root}/{valid_key(key)}"
        return await self._reading(key, files.promised, path, key, limit_bytes)

    async def stream(
        self, key: str, *, start: int = 0, length: int | None = None
    ) -> AsyncIterator[bytes]:
        checked_range(start, length)
        file = await self._reading(key, files.opened_at, self._path(key), start)
        whole = start == 0 and length is None
        digest = sha256()
        left = length
        try:
            while piece := await self._reading(key, files.next_piece, file, left):
                if whole:
                    digest.update(piece)
                if left is not None:
                    left -= len(piece)
                yield piece
        finally:
            await asyncio.to_thread(file.close)
        if whole and digest_of(key) not in (None, digest.hexdigest()):
            raise Rejected("source_corrupt", key)

    async def size(self, key: str) -> int | None:
        try:
            return await self._reading(key, files.size_of, self._path(key))
        except Rejected:
            return None

    async def delete(self, key: str) -> None:
        await self._writing(key, self._delete, self._path(key))

    async def list(self, prefix: str) -> AsyncIterator[str]:
        keys = keys_under(self._root, valid_prefix(prefix))
        await self._reading(prefix, self._temp.stat)
        while batch := await self._reading(prefix, tuple, islice(keys, LIST_BATCH)):
            for key in batch:
                yield key

    async def check(self) -> None:
        await self._writing(TEMP, self._check)

    async def sweep_temp(self, *, older_than_s: float) -> int:
        return await self._writing(
            TEMP, files.removed_before, self._temp, time.time() - older_than_s
        )

    def _path(self, key: str) -> Path:
        return self._root / valid_key(key)

    async def _writing(
        self, key: str, work: Callable[_Args, _Result], *args: _Args.args, **kw: _Args.kwargs
    ) -> _Result:
        # Only the disk's own errors are translated: an OSError of the stream that is being
        # stored belongs to the client who hung up.
        try:
            return await self._writers(partial(work, *args, **kw))
        except OSError as error:
            raise failed_write(error, key) from error

    async def _reading(
        self, key: str, work: Callable[_Args, _Result], *args: _Args.args, **kw: _Args.kwargs
    ) -> _Result:
        try:
            return await self._readers(partial(work, *args, **kw))
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

    def _put(self, items: Mapping[str, bytes], *, durable: bool = True) -> None:
        drafts = {}
        try:
            for key, data in items.items():
                drafts[key] = self._draft(data, durable=durable)
            self._publish(drafts, durable=durable)
        finally:
            for draft in drafts.values():
                draft.discard()

    def _put_file(self, key: str, file: BinaryIO) -> None:
        # Copied, never renamed: the file may lie on another disk, and it stays its owner's.
        draft = self._begun()
        try:
            while piece := files.next_piece(file, None):
                self._room.require()
                draft.append(piece)
            self._publish({key: draft})
        finally:
            draft.discard()

    def _put_new(self, key: str, data: bytes) -> bool:
        target = self._root / key
        beginning = key.rpartition("/")[0]
        self._folders.sync({beginning: self._folders.made(beginning)})
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

    def _draft(self, data: bytes, *, durable: bool = True) -> Draft:
        draft = self._begun(synced=durable)
        try:
            draft.append(data)
        except OSError:
            draft.discard()
            raise
        return draft

    def _publish(self, drafts: Mapping[str, Draft], *, durable: bool = True) -> None:
        for draft in drafts.values() if durable else ():
            draft.seal()
        begun: dict[str, Path] = {}
        for key, draft in drafts.items():
            beginning, folder = self._folders.naming(key, draft.publish)
            begun[beginning] = folder
        if durable:
            self._folders.sync(begun)

    def _copy(self, copies: Mapping[str, str]) -> set[str]:
        self._room.require()
        begun: dict[str, Path] = {}
        missing: set[str] = set()
        for key, source in copies.items():
            give = partial(given_too, f"{self._root}/{source}", self._temp)
            try:
                beginning, folder = self._folders.naming(key, give)
            except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
                # With the disk away nobody knows what is missing.
                self._temp.stat()
                if files.is_there(self._root / source):
                    raise
                missing.add(key)
            else:
                begun[beginning] = folder
        self._folders.sync(begun)
        return missing

    def _delete(self, path: Path) -> None:
        try:
            path.unlink()
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            # With the disk away nothing was erased, and saying so would be a lie.
            self._temp.stat()
        else:
            fsync_folder(path.parent)

    def _check(self) -> None:
        self._room.require()
        Draft(self._temp).discard()

    def _begun(self, *, synced: bool = False) -> Draft:
        self._room.require()
        return Draft(self._temp, synced=synced)

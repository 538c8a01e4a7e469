"""Blobs in a dictionary, for tests whose subject is not the disk.

It behaves like the real ones and passes their conformance suite; `away` makes it fail the way
they fail when the store is gone.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from hashlib import sha256
from pathlib import Path

from shared.blobs.keys import content_key, keeps_promise, valid_key, valid_prefix
from shared.blobs.pieces import PIECE_BYTES, checked_range, in_pieces, within
from shared.blobs.port import Blob
from shared.errors import Rejected, Retryable


class InMemoryBlobs:
    def __init__(self, objects: Mapping[str, bytes] | None = None) -> None:
        self.objects = dict(objects or {})
        self.away = False

    async def write(
        self, chunks: AsyncIterator[bytes], *, limit_bytes: int | None = None
    ) -> Blob:
        self._require_present()
        data = b"".join([piece async for piece in in_pieces(chunks, limit_bytes=limit_bytes)])
        digest = sha256(data).hexdigest()
        self.objects[content_key(digest)] = data
        return Blob(content_key(digest), len(data), digest)

    async def put(self, key: str, data: bytes, *, durable: bool = True) -> None:
        self._require_present()
        self.objects[valid_key(key)] = data

    async def put_new(self, key: str, data: bytes) -> bool:
        self._require_present()
        return self.objects.setdefault(valid_key(key), data) is data

    async def put_all(self, items: Mapping[str, bytes]) -> None:
        for key, data in items.items():
            await self.put(key, data)

    async def copy_all(self, copies: Mapping[str, str]) -> set[str]:
        self._require_present()
        known = {valid_key(key): valid_key(source) for key, source in copies.items()}
        there = {key: source for key, source in known.items() if source in self.objects}
        for key, source in there.items():
            await self.put(key, self.objects[source])
        return known.keys() - there

    async def put_file(self, key: str, path: Path) -> None:
        await self.put(key, await asyncio.to_thread(path.read_bytes))

    async def read(self, key: str, *, limit_bytes: int | None = None) -> bytes:
        data = self._found(key)
        within(len(data), limit_bytes)
        if not keeps_promise(key, data):
            raise Rejected("source_corrupt", key)
        return data

    async def stream(
        self, key: str, *, start: int = 0, length: int | None = None
    ) -> AsyncIterator[bytes]:
        checked_range(start, length)
        data = self._found(key)
        part = data[start:] if length is None else data[start : start + length]
        for at in range(0, len(part), PIECE_BYTES):
            yield part[at : at + PIECE_BYTES]
        if len(part) == len(data) and not keeps_promise(key, data):
            raise Rejected("source_corrupt", key)

    async def size(self, key: str) -> int | None:
        self._require_present()
        data = self.objects.get(valid_key(key))
        return None if data is None else len(data)

    async def delete(self, key: str) -> None:
        self._require_present()
        self.objects.pop(valid_key(key), None)

    async def list(self, prefix: str) -> AsyncIterator[str]:
        self._require_present()
        for key in sorted(self.objects):
            if key.startswith(valid_prefix(prefix)):
                yield key

    async def check(self) -> None:
        self._require_present()

    async def sweep_temp(self, *, older_than_s: float) -> int:
        self._require_present()
        return 0

    def _found(self, key: str) -> bytes:
        self._require_present()
        if valid_key(key) not in self.objects:
            raise Rejected("source_missing", key)
        return self.objects[key]

    def _require_present(self) -> None:
        if self.away:
            raise Retryable("the blobs are away", dependency="blobs")

"""The files of a day as one: large sorted row groups, one of them in memory at a time.

A table of one row carries a hundred buffers of its own, so what is read is copied into few
large ones at once. Here dictionaries and statistics pay: a reader skips what he does not ask.
One thread does all of it: allocators keep a heap for each thread that ever asked them.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from services.storage.adapters.parquet import read_table, read_tables
from services.storage.adapters.schema import METADATA, SCHEMA
from services.storage.domain.days import Measured
from services.storage.domain.layout import Compression
from services.storage.domain.results import Table
from services.storage.domain.rows import SELLER_CHARS_MAX

# Of the values themselves. While a group is written there is about twice of it.
GROUP_BYTES = 16 << 20
GROUP_ROWS = 100_000
DIGEST_BYTES = 1 << 20


class ParquetMerger:
    def __init__(
        self, compression: Compression = "zstd", *, group_bytes: int = GROUP_BYTES
    ) -> None:
        self._compression = compression
        self._group_bytes = group_bytes

    @asynccontextmanager
    async def merged(self, path: Path) -> AsyncIterator["_Merged"]:
        with ThreadPoolExecutor(1, "merging") as thread:
            in_thread = partial(asyncio.get_running_loop().run_in_executor, thread)
            merged = await in_thread(self._begun, path)
            try:
                yield _Merged(merged, in_thread)
            finally:
                await in_thread(merged.close)

    def _begun(self, path: Path) -> "_File":
        return _File(path, self._compression, self._group_bytes)

    async def measure(self, file: bytes) -> Table:
        return await asyncio.to_thread(_measured, file)


class _Merged:
    def __init__(self, file: "_File", in_thread: Callable[..., Awaitable[Any]]) -> None:
        self._file = file
        self._in_thread = in_thread

    async def append(self, files: Sequence[bytes]) -> None:
        if files:
            await self._in_thread(self._file.append, files)

    async def finish(self) -> Measured:
        measured: Measured = await self._in_thread(self._file.finish)
        return measured


class _File:
    def __init__(self, path: Path, compression: Compression, group_bytes: int) -> None:
        self._path = path
        self._group_bytes = group_bytes
        # Without Arrow's own schema: what a column is stands in Parquet's types.
        self._writer = pq.ParquetWriter(
            path, SCHEMA, compression=compression, store_schema=False
        )
        self._held: list[pa.Table] = []
        self._rows = 0

    def append(self, files: Sequence[bytes]) -> None:
        few = read_tables(files)
        self._held.append(few)
        self._rows += len(few)
        if (
            sum(one.nbytes for one in self._held) >= self._group_bytes
            or sum(len(one) for one in self._held) >= GROUP_ROWS
        ):
            self._write_group()

    def finish(self) -> Measured:
        if self._held:
            self._write_group()
        self._writer.add_key_value_metadata(METADATA)
        self._writer.close()
        digest, size = sha256(), 0
        with self._path.open("rb") as file:
            while piece := file.read(DIGEST_BYTES):
                digest.update(piece)
                size += len(piece)
        return Measured(size, digest.hexdigest(), self._rows)

    def close(self) -> None:
        self._writer.close()

    def _write_group(self) -> None:
        group = pa.concat_tables(self._held)
        self._held.clear()
        self._writer.write_table(group, row_group_size=len(group))
        pa.default_memory_pool().release_unused()


def _measured(file: bytes) -> Table:
    [row] = read_table(file).select(["issue_date", "seller_name"]).to_pylist()
    seller = (row["seller_name"] or "").replace("\x00", "")[:SELLER_CHARS_MAX]
    return Table(len(file), sha256(file).hexdigest(), row["issue_date"], seller)

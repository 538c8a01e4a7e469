"""Rows as Parquet files, one row each, with one schema that every reader can rely on.

Typed where it counts: money is decimal128, days are date32, so a sum in a notebook is exact.
Columns are added at the end and never change their type; the schema's version is in the
file's metadata. Nothing of the moment goes into the bytes.
"""

import asyncio
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from services.storage.domain.results import AMOUNTS, DATES, TEXTS, Row, column

SCHEMA_VERSION = "1"
MONEY = pa.decimal128(20, 4)

_ABOUT = (
    pa.field("document_id", pa.string(), nullable=False),
    pa.field("version", pa.int32(), nullable=False),
    pa.field("owner_id", pa.string(), nullable=False),
    pa.field("accepted_at", pa.timestamp("us", tz="UTC"), nullable=False),
    pa.field("filename", pa.string()),
    pa.field("media_type", pa.string()),
    pa.field("sha256", pa.string(), nullable=False),
    pa.field("page_count", pa.int32()),
    pa.field("engine", pa.string()),
    pa.field("config", pa.string()),
    pa.field("confidence", pa.float64()),
    pa.field("verdict", pa.string()),
    pa.field("reviewer", pa.string()),
)
_VALUES = tuple(
    field
    for paths, kind in ((TEXTS, pa.string()), (DATES, pa.date32()), (AMOUNTS, MONEY))
    for path in paths
    for field in (
        pa.field(column(path), kind),
        pa.field(f"{column(path)}_confidence", pa.float64()),
    )
)
SCHEMA = pa.schema((*_ABOUT, *_VALUES), metadata={"paperline.schema_version": SCHEMA_VERSION})


class ParquetTables:
    async def files_of(self, rows: Sequence[Row]) -> list[bytes]:
        # One hop into a thread for the whole batch: it costs as much as writing one row.
        return await asyncio.to_thread(lambda: [_file(row) for row in rows]) if rows else []


def _file(row: Row) -> bytes:
    sink = pa.BufferOutputStream()
    table = pa.Table.from_pylist([dict(row)], schema=SCHEMA)
    pq.write_table(table, sink, compression="zstd", version="2.6")
    return bytes(sink.getvalue())

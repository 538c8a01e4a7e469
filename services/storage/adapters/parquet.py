"""Rows as Parquet files, one row each: the same row always gives the same bytes.

For one row the format's helpers are all cost: a dictionary, statistics and pages for each of a
hundred columns, and Arrow's own copy of the schema. None of them is written. What is long
enough to become smaller is compressed, and nothing else.
"""

import asyncio
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from services.storage.adapters.schema import METADATA, SCHEMA, SCHEMA_V1, VERSION_KEY
from services.storage.domain.layout import Compression
from services.storage.domain.rows import Row
from shared.errors import Rejected

# By their names in the file: where most of a row's bytes are.
LONG = ("value", "raw", "path", "status", "source")
COMPRESSED = (*(f"fields.list.element.{one}" for one in LONG), "lines.list.element.description")


class ParquetTables:
    def __init__(self, compression: Compression = "zstd") -> None:
        self._compression = dict.fromkeys(COMPRESSED, compression)

    async def files_of(self, rows: Sequence[Row]) -> list[bytes]:
        # One hop into a thread for the whole batch: it costs as much as writing one row.
        return await asyncio.to_thread(self._files, rows) if rows else []

    def _files(self, rows: Sequence[Row]) -> list[bytes]:
        table = table_of(rows)
        return [self._file(table.slice(place, 1)) for place in range(len(rows))]

    def _file(self, row: pa.Table) -> bytes:
        sink = pa.BufferOutputStream()
        with pq.ParquetWriter(
            sink,
            SCHEMA,
            compression=self._compression,
            use_dictionary=False,
            write_statistics=False,
            store_schema=False,
        ) as writer:
            writer.write_table(row)
            writer.add_key_value_metadata(METADATA)
        return bytes(sink.getvalue())


def table_of(rows: Sequence[Row]) -> pa.Table:
    """By column: a table made row by row costs ten times as much."""
    columns = [pa.array([row[one.name] for row in rows], one.type) for one in SCHEMA]
    return pa.Table.from_arrays(columns, schema=SCHEMA)


def read_table(file: bytes) -> pa.Table:
    """What a file of any version of the schema holds, in the columns of today."""
    return read_tables([file])


def read_tables(files: Sequence[bytes]) -> pa.Table:
    """The same of many, in their order. What they cost is by the column, so it is paid once."""
    try:
        return pa.concat_tables([_read(one) for one in files]).combine_chunks().cast(SCHEMA)
    except (pa.ArrowException, OSError, KeyError) as error:
        raise Rejected("source_corrupt", "no Parquet file of ours") from error


def _read(file: bytes) -> pa.Table:
    opened = pq.ParquetFile(pa.BufferReader(file), pre_buffer=False)
    told = opened.metadata.metadata or {}
    table = opened.read(use_threads=False).replace_schema_metadata()
    if told.get(VERSION_KEY.encode()) == b"1":
        return lifted(table)
    return table.select(SCHEMA.names) if table.schema.names != SCHEMA.names else table


def lifted(table: pa.Table) -> pa.Table:
    """From version 1, which knew no lineage: what it does not say is null, not empty."""
    known = table.select(SCHEMA_V1.names).cast(SCHEMA_V1)
    for field in list(SCHEMA)[len(SCHEMA_V1) :]:
        value = 1 if field.name == "schema_version" else None
        known = known.append_column(field, pa.array([value] * len(table), field.type))
    return known

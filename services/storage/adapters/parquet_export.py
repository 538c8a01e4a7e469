"""An export as one Parquet file, with the schema that the files of single documents have.

Row groups are written as they fill up, so that what waits in memory is one of them.
"""

import io
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from services.storage.adapters.parquet import table_of
from services.storage.adapters.schema import METADATA, SCHEMA
from services.storage.domain.cells import Cell
from services.storage.domain.columns import LINE_COLUMNS, Column, line_rows
from services.storage.domain.exports import Rows
from services.storage.domain.results import Number, Result
from services.storage.domain.rows import DIGITS, row_of, typed
from shared.contracts.extraction import ExtractionV1

# A row of a document is large: all that is known of each of its fields is in it. Fewer rows in
# a group would make more groups, and each is described at the end of the file for each column.
GROUP_ROWS = {"documents": 1000, "lines": 10_000}
# By which readers pass over groups; of the others nobody asks where they begin and end.
MEASURED = ["document_id", "owner_id", "accepted_at", "issue_date", "seller_name"]
NUMBER = pa.decimal128(sum(DIGITS["number"]), DIGITS["number"][1])
KINDS = {"text": pa.string(), "date": pa.date32(), "moment": pa.timestamp("us", tz="UTC")}
WHOLE = {"version": pa.int32(), "line": pa.int32()}


def _field(column: Column) -> pa.Field:
    return pa.field(column.name, WHOLE.get(column.name) or KINDS.get(column.kind, NUMBER))


LINES = pa.schema([_field(one) for one in LINE_COLUMNS])


class Sink(io.RawIOBase):
    """Where the writer writes, emptied as it fills."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, piece: Any) -> int:  # noqa: ANN401 -- whatever has bytes
        self._pieces.append(bytes(piece))
        return len(self._pieces[-1])

    def taken(self) -> bytes:
        taken, self._pieces = b"".join(self._pieces), []
        return taken


class ParquetFile:
    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._schema = SCHEMA if rows == "documents" else LINES
        self._sink = Sink()
        self._writer = pq.ParquetWriter(
            self._sink, self._schema, compression="zstd", write_statistics=MEASURED
        )
        self._writer.add_key_value_metadata(METADATA)
        # As tables: the same as rows of objects would be many times as large.
        self._waiting: list[pa.Table] = []
        self._rows_waiting = 0

    def add(self, results: Sequence[dict[str, Any]]) -> bytes:
        if rows := [row for content in results for row in self._rows_of(content)]:
            self._waiting.append(self._table(rows))
            self._rows_waiting += len(rows)
        if self._rows_waiting >= GROUP_ROWS[self._rows]:
            self._write()
        return self._sink.taken()

    def finish(self) -> bytes:
        self._write()
        self._writer.close()
        return self._sink.taken()

    def close(self) -> None:
        if self._writer.is_open:
            self._writer.close()
        self._waiting.clear()

    def _rows_of(self, content: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        if self._rows == "documents":
            return [row_of(_result(content))]
        names = [one.name for one in LINE_COLUMNS]
        return [
            dict(zip(names, map(_fitting, LINE_COLUMNS, row), strict=True))
            for row in line_rows(content)
        ]

    def _table(self, rows: Sequence[Mapping[str, Any]]) -> pa.Table:
        if self._rows == "documents":
            return table_of(rows)
        return pa.Table.from_pylist(list(rows), schema=self._schema)

    def _write(self) -> None:
        if self._waiting:
            self._writer.write_table(pa.concat_tables(self._waiting))
            self._waiting.clear()
            self._rows_waiting = 0


def _result(content: Mapping[str, Any]) -> Result:
    """What the file was made of."""
    extraction = ExtractionV1.model_validate(content)
    number = Number(int(content["version"]))
    verdict, reviewer = content.get("verdict"), content.get("reviewer")
    return Result(extraction, number, verdict=verdict, reviewer=reviewer)


def _fitting(column: Column, cell: Cell) -> object:
    if column.kind != "number" or column.name in WHOLE or cell is None:
        return cell
    return typed(str(cell), "number")

"""Files of an export, written page by page: JSON Lines, CSV, XLSX and Parquet.

What is encoded leaves at once, or lies in a temporary file as a workbook does until it is
whole; so a hundred thousand documents take no more memory than a hundred. It is work for a
processor, so it is done in threads.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from functools import partial
from pathlib import Path
from threading import Lock
from typing import IO, Any, Protocol

from services.storage.adapters.parquet_export import ParquetFile
from services.storage.domain.cells import csv_line
from services.storage.domain.columns import (
    DOCUMENT_COLUMNS,
    LINE_COLUMNS,
    document_row,
    line_rows,
)
from services.storage.domain.exports import Format, Rows
from services.storage.ports.outlets import Encoder
from shared.errors import Rejected, Retryable

PIECE_BYTES = 1 << 18
# Letters in JSON, and ends of a line to many a reader of lines.
LINE_ENDS = {one: f"\\u{ord(one):04x}" for one in "\u0085\u2028\u2029"}


class Writer(Protocol):
    """The same as an encoder, on the thread that it is called on."""

    def add(self, results: Sequence[dict[str, Any]]) -> bytes: ...

    def finish(self) -> bytes | IO[bytes]:
        """The rest: bytes, or an open file to be read."""
        ...

    def close(self) -> None: ...


@contextmanager
def _own_disk() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        # A full disk is no bug: somebody makes room, and it is made then.
        raise Retryable(f"scratch folder: {error}", dependency="scratch") from error


class Threaded:
    def __init__(self, make: Callable[[], Writer]) -> None:
        # Made in a thread too: a workbook has files from its first moment.
        self._make = make
        self._made: Writer | None = None
        # A thread goes on when whoever waited for it is cancelled; nothing is closed below it.
        self._turn = Lock()

    async def add(self, results: Sequence[bytes]) -> bytes:
        return await asyncio.to_thread(self._add, results)

    def _add(self, results: Sequence[bytes]) -> bytes:
        try:
            with self._turn, _own_disk():
                return self._writer().add([json.loads(one) for one in results])
        except (ValueError, TypeError, LookupError, ArithmeticError) as error:
            # A result that is none of ours fails the export that it is in, not the process.
            raise Rejected("not_exportable", str(error)[:200]) from error

    async def finish(self) -> AsyncGenerator[bytes, None]:
        rest = await asyncio.to_thread(self._finish)
        if isinstance(rest, bytes):
            yield rest
            return
        while piece := await asyncio.to_thread(self._read, rest):
            yield piece

    def _read(self, rest: IO[bytes]) -> bytes:
        with self._turn, _own_disk():
            return rest.read(PIECE_BYTES)

    def _finish(self) -> bytes | IO[bytes]:
        with self._turn, _own_disk():
            return self._writer().finish()

    async def close(self) -> None:
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        with self._turn, _own_disk():
            if self._made is not None:
                self._made.close()

    def _writer(self) -> Writer:
        if self._made is None:
            self._made = self._make()
        return self._made


class JsonLines:
    """Of a document everything that is known of it; of a line what the other forms show."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def add(self, results: Sequence[dict[str, Any]]) -> bytes:
        if self._rows == "documents":
            return b"".join(map(_line, results))
        names = [one.name for one in LINE_COLUMNS]
        rows = (row for one in results for row in line_rows(one))
        return b"".join(_line(dict(zip(names, row, strict=True))) for row in rows)

    def finish(self) -> bytes:
        return b""

    def close(self) -> None:
        """Nothing is held."""


class Csv:
    """RFC 4180, with a header."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        columns = DOCUMENT_COLUMNS if rows == "documents" else LINE_COLUMNS
        self._rest = csv_line(one.name for one in columns).encode()

    def add(self, results: Sequence[dict[str, Any]]) -> bytes:
        if self._rows == "documents":
            rows = [document_row(one) for one in results]
        else:
            rows = [row for one in results for row in line_rows(one)]
        head, self._rest = self._rest, b""
        return head + "".join(map(csv_line, rows)).encode("utf-8", "replace")

    def finish(self) -> bytes:
        # The header, when there was no page.
        return self._rest

    def close(self) -> None:
        """Nothing is held."""


WRITERS: dict[Format, Callable[[Rows], Writer]] = {
    "jsonl": JsonLines,
    "csv": Csv,
    "parquet": ParquetFile,
}


class FileEncoders:
    def __init__(self, scratch: Path | None = None) -> None:
        # Where a workbook grows; without one, where the system keeps what is temporary.
        self._scratch = scratch

    def open(self, form: Format, rows: Rows) -> Encoder:
        if form == "xlsx":
            return Threaded(partial(_workbook, rows, self._scratch))
        return Threaded(partial(WRITERS[form], rows))


def _workbook(rows: Rows, scratch: Path | None) -> Writer:
    # The library of the format is loaded for the first that is asked for.
    from services.storage.adapters.workbook import Workbook  # noqa: PLC0415

    return Workbook(rows, scratch)


def _line(content: dict[str, Any]) -> bytes:
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), default=_plain)
    for letter, escaped in LINE_ENDS.items():
        text = text.replace(letter, escaped)
    return text.encode("utf-8", "replace") + b"\n"


def _plain(value: object) -> str:
    # Money and days are texts in JSON, as in the results themselves.
    return f"{value:f}" if isinstance(value, Decimal) else str(value)

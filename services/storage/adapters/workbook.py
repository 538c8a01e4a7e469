"""An export as an Excel workbook: typed cells, and text that is text and nothing else.

Rows go to a temporary file as they come, and the workbook is put together when the last one is
in: its format has the index of its parts at the end. A sheet holds a million rows; what does
not fit goes on in a further one.
"""

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from math import isfinite
from pathlib import Path
from typing import IO, Any

import xlsxwriter
from xlsxwriter.exceptions import FileCreateError
from xlsxwriter.worksheet import Worksheet

from services.storage.domain.cells import Cell
from services.storage.domain.columns import (
    DOCUMENT_COLUMNS,
    LINE_COLUMNS,
    Column,
    document_row,
    line_rows,
)
from services.storage.domain.exports import Rows

ROWS_MAX = 1_048_576
CHARS_MAX = 32_767
# As exact as a double: of what has more digits, the cell holds the text.
DIGITS_MAX = 15
# Before it the calendar of the format differs from ours.
FIRST_DAY = date(1900, 3, 1)
OPTIONS = {
    "constant_memory": True,
    # What a document says is never run, and never a link.
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
    "remove_timezone": True,
}


@dataclass(slots=True)
class Sheet:
    """One kind of rows, on as many worksheets as it needs."""

    name: str
    columns: Sequence[Column]
    page: Worksheet
    pages: int = 1
    rows: int = 1
    formats: dict[str, Any] = field(default_factory=dict)


class Workbook:
    def __init__(self, rows: Rows, scratch: Path | None = None) -> None:
        self._held = ExitStack()
        # Removed with everything in it, also when nobody wants the rest.
        folder = self._held.enter_context(
            tempfile.TemporaryDirectory(prefix="export-", dir=scratch)
        )
        file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 -- closed with the rest
        self._file = self._held.enter_context(file)
        self._book = xlsxwriter.Workbook(self._file, {**OPTIONS, "tmpdir": folder})
        self._formats = {
            "date": self._book.add_format({"num_format": "yyyy-mm-dd"}),
            "moment": self._book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"}),
            "head": self._book.add_format({"bold": True}),
        }
        self._documents = self._sheet("Documents", DOCUMENT_COLUMNS)
        self._lines = self._sheet("Lines", LINE_COLUMNS) if rows == "lines" else None

    def add(self, results: Sequence[dict[str, Any]]) -> bytes:
        for content in results:
            self._write(self._documents, document_row(content))
            if self._lines is not None:
                for line in line_rows(content):
                    self._write(self._lines, line)
        return b""

    def finish(self) -> IO[bytes]:
        try:
            self._book.close()
        except FileCreateError as error:
            # In the words of the disk, as everywhere else.
            raise OSError(str(error)) from error
        self._file.seek(0)
        return self._file

    def close(self) -> None:
        # An abandoned workbook has its rows in files that nobody would close.
        for page in self._book.worksheets():
            if (rows := getattr(page, "row_data_fh", None)) is not None:
                rows.close()
        self._book.fileclosed = True
        self._held.close()

    def _sheet(self, name: str, columns: Sequence[Column]) -> Sheet:
        return Sheet(name, columns, self._page(name, columns))

    def _page(self, name: str, columns: Sequence[Column]) -> Worksheet:
        page: Worksheet = self._book.add_worksheet(name)
        page.freeze_panes(1, 0)
        for place, column in enumerate(columns):
            page.write_string(0, place, column.name, self._formats["head"])
        return page

    def _write(self, sheet: Sheet, row: Sequence[Cell]) -> None:
        if sheet.rows == ROWS_MAX:
            sheet.pages += 1
            sheet.rows = 1
            sheet.page = self._page(f"{sheet.name} {sheet.pages}", sheet.columns)
        for place, cell in enumerate(row):
            self._cell(sheet.page, sheet.rows, place, cell)
        sheet.rows += 1

    def _cell(self, page: Worksheet, row: int, place: int, cell: Cell) -> None:
        match cell:
            case None:
                return
            case bool():
                page.write_boolean(row, place, cell)
            case datetime():
                moment = cell.astimezone(UTC)
                page.write_datetime(row, place, moment, self._formats["moment"])
            case date() if cell >= FIRST_DAY:
                page.write_datetime(row, place, cell, self._formats["date"])
            case int() | float() | Decimal() if _is_exact(cell):
                page.write_number(row, place, float(cell))
            case _:
                page.write_string(row, place, str(cell)[:CHARS_MAX])


def _is_exact(number: float | Decimal) -> bool:
    digits = Decimal(str(number)).normalize().as_tuple().digits
    # What a double cannot hold would end the whole export.
    return len(digits) <= DIGITS_MAX and isfinite(float(number))

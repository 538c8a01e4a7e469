"""The files of an export: nothing in them is run, numbers stay numbers, and each opens."""

import csv
import io
import json
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from zipfile import ZipFile

import pyarrow.parquet as pq
import pytest

from services.storage.adapters import workbook
from services.storage.adapters.encoders import FileEncoders
from services.storage.adapters.schema import SCHEMA
from services.storage.domain.cells import safe_text
from services.storage.domain.columns import DOCUMENT_COLUMNS, LINE_COLUMNS
from services.storage.domain.exports import Format, Rows
from services.storage.domain.results import Number, Result, json_of
from tests import builders

DANGEROUS = [
    '=HYPERLINK("http://evil","x")', "=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)",
    "\t=1", "\r=1", "\n=1", "\x00=1", "＝1", "＋1", "－1", "＠1", "\ufeff=1",  # noqa: RUF001
]  # fmt: skip
SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def result(**fields: str) -> bytes:
    said = {
        "seller.name": "Nordlicht GmbH",
        "invoice_number": "R-1",
        "issue_date": "2026-03-01",
        "total": "-119.00",
        "currency": "EUR",
        "lines.0.description": "Screws",
        "lines.0.net_amount": "-100.00",
        "lines.0.quantity": "-2.5",
        "lines.1.description": "Nuts",
        **{path.replace("__", "."): value for path, value in fields.items()},
    }
    read = {path: builders.read_as(value) for path, value in said.items()}
    return json_of(Result(builders.extraction(fields=read), Number(1)))


async def file_of(form: Format, results: Sequence[bytes], rows: Rows = "documents") -> bytes:
    encoder = FileEncoders().open(form, rows)
    try:
        pieces = [await encoder.add([one]) for one in results]
        pieces += [piece async for piece in encoder.finish()]
    finally:
        await encoder.close()
        await encoder.close()
    return b"".join(pieces)


async def rows_of(results: Sequence[bytes], rows: Rows = "documents") -> list[dict[str, str]]:
    text = (await file_of("csv", results, rows)).decode()
    assert text.endswith("\r\n")
    return list(csv.DictReader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("text", DANGEROUS, ids=ascii)
async def test_a_spreadsheet_takes_what_a_document_says_for_text(text: str) -> None:
    [row] = await rows_of([result(seller__name=text, lines__0__description=text)])
    line, _ = await rows_of([result(lines__0__description=text)], "lines")

    assert row["seller_name"].startswith("'")
    assert row["seller_name"][1:].replace("'=", "=") == text.replace("\x00", "\ufffd")
    assert line["description"].startswith("'")


@pytest.mark.parametrize("divider", [";", "\t"])
@pytest.mark.parametrize("behind", ["", '"', "\ufeff"], ids=ascii)
@pytest.mark.parametrize("start", ["=1", "+1", "-1", "@SUM(A1)", "＝1"])  # noqa: RUF001 -- meant
async def test_a_line_that_is_divided_elsewhere_holds_no_formula(
    divider: str, behind: str, start: str
) -> None:
    said = "".join(f"ACME{end}{behind}{start}" for end in (divider, "\n", "\r\n"))

    text = (await file_of("csv", [result(seller__name=said)])).decode()

    cells = [
        one
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=divider)
        for one in row
    ]
    assert [one for one in cells if one.lstrip("\ufeff")[:1] in {*"=+-@＝"} - {""}] == []  # noqa: RUF001
    assert safe_text(f"A{divider} B") == f"A{divider} B"


@pytest.mark.parametrize("divider", [";", "\t"])
async def test_a_cell_is_in_quotes_whatever_divides_cells_elsewhere(divider: str) -> None:
    text = (await file_of("csv", [result(seller__name=f"ACME{divider} GmbH")])).decode()

    assert f',"ACME{divider} GmbH",' in text


@pytest.mark.parametrize("text", ["", "Müller", "A=B", "1-2", "'quoted'", 'a "b", c\nd'])
def test_other_text_stays_as_it_is(text: str) -> None:
    assert safe_text(text) == text


async def test_an_amount_that_no_cell_holds_is_text_and_ends_no_export() -> None:
    book = ZipFile(io.BytesIO(await file_of("xlsx", [result(total="1E+400"), result()])))

    assert b"1E+400" in book.read("xl/worksheets/sheet1.xml")


async def test_a_negative_amount_is_a_number_and_a_day_a_day() -> None:
    [row] = await rows_of([result()])

    assert (row["total"], row["issue_date"]) == ("-119.00", "2026-03-01")


async def test_a_row_of_a_csv_keeps_commas_quotes_and_lines_within_its_cell() -> None:
    name = 'Nordlicht "Nord", GmbH\nHamburg'

    [row] = await rows_of([result(seller__name=name)])

    assert row["seller_name"] == name


async def test_an_empty_export_has_a_header_and_nothing_else() -> None:
    text = (await file_of("csv", [])).decode()

    assert text == ",".join(one.name for one in DOCUMENT_COLUMNS) + "\r\n"
    assert await file_of("jsonl", []) == b""
    assert pq.read_table(io.BytesIO(await file_of("parquet", []))).num_rows == 0
    assert sheets(await file_of("xlsx", []))["Documents"][1:] == []


async def test_lines_are_rows_that_name_their_document() -> None:
    lines = await rows_of([result()], "lines")

    assert [(one["line"], one["description"]) for one in lines] == [
        ("1", "Screws"),
        ("2", "Nuts"),
    ]
    assert {one["invoice_number"] for one in lines} == {"R-1"}
    assert lines[0]["quantity"] == "-2.5"


async def test_json_lines_are_the_results_themselves() -> None:
    one = result(seller__name="=raw\u2028")

    told = (await file_of("jsonl", [one, one])).decode()

    assert [json.loads(line) for line in told.split("\n")[:-1]] == [json.loads(one)] * 2
    lines = (await file_of("jsonl", [one], "lines")).decode().splitlines()
    assert json.loads(lines[0])["net_amount"] == "-100.00"


async def test_parquet_has_the_schema_of_the_files_by_document() -> None:
    file = await file_of("parquet", [result(seller__name="=raw")] * 3)

    table = pq.read_table(io.BytesIO(file))

    assert table.schema.equals(SCHEMA)
    assert table.num_rows == 3
    assert table.column("seller_name").to_pylist() == ["=raw"] * 3
    assert table.column("total").to_pylist() == [Decimal("-119.0000")] * 3


async def test_lines_in_parquet_are_typed() -> None:
    table = pq.read_table(io.BytesIO(await file_of("parquet", [result()], "lines")))

    assert table.column_names == [one.name for one in LINE_COLUMNS]
    assert table.column("quantity").to_pylist() == [Decimal("-2.5"), None]
    assert table.column("issue_date").to_pylist() == [date(2026, 3, 1)] * 2


@pytest.mark.parametrize("text", [*DANGEROUS, "http://evil/", "mailto:a@b.c"], ids=ascii)
async def test_a_workbook_holds_text_as_text(text: str) -> None:
    file = await file_of("xlsx", [result(seller__name=text)])

    with ZipFile(io.BytesIO(file)) as parts:
        sheet = ElementTree.fromstring(parts.read("xl/worksheets/sheet1.xml"))  # noqa: S314
        assert "xl/worksheets/_rels/sheet1.xml.rels" not in parts.namelist()
    assert sheet.findall(f".//{SHEET}f") == []
    assert sheet.findall(f".//{SHEET}hyperlink") == []


async def test_a_workbook_has_numbers_days_and_a_sheet_of_lines() -> None:
    found = sheets(await file_of("xlsx", [result()], "lines"))

    head, row = found["Documents"]
    assert row[head.index("total")] == ("n", "-119")
    assert row[head.index("issue_date")] == ("n", "46082")
    assert row[head.index("seller_name")] == ("inlineStr", "Nordlicht GmbH")
    assert len(found["Lines"]) == 3


async def test_rows_that_do_not_fit_go_on_in_a_further_sheet(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workbook, "ROWS_MAX", 3)

    found = sheets(await file_of("xlsx", [result()] * 5))

    assert {name: len(rows) - 1 for name, rows in found.items()} == {
        "Documents": 2,
        "Documents 2": 2,
        "Documents 3": 1,
    }


async def test_an_amount_with_more_digits_than_a_cell_holds_is_text() -> None:
    head, row = sheets(await file_of("xlsx", [result(total="1234567890123456.78")]))[
        "Documents"
    ]

    assert row[head.index("total")] == ("inlineStr", "1234567890123456.78")


async def test_what_is_given_up_leaves_no_file_behind(tmp_path: Path) -> None:
    encoder = FileEncoders(tmp_path).open("xlsx", "lines")
    await encoder.add([result()])

    await encoder.close()

    assert list(tmp_path.iterdir()) == []


def sheets(file: bytes) -> dict[str, list[Any]]:
    """By name: the head as texts, and rows of kinds and values by column."""
    found: dict[str, list[Any]] = {}
    with ZipFile(io.BytesIO(file)) as parts:
        book = ElementTree.fromstring(parts.read("xl/workbook.xml"))  # noqa: S314
        for nth, one in enumerate(book.iter(f"{SHEET}sheet"), start=1):
            sheet = ElementTree.fromstring(  # noqa: S314
                parts.read(f"xl/worksheets/sheet{nth}.xml")
            )
            rows = [_cells(row) for row in sheet.iter(f"{SHEET}row")]
            head = [value for _, value in rows[0].values()]
            found[one.attrib["name"]] = [
                head,
                *([row.get(place) for place in range(len(head))] for row in rows[1:]),
            ]
    return found


def _cells(row: ElementTree.Element) -> dict[int, tuple[str, str]]:
    found = {}
    for cell in row.iter(f"{SHEET}c"):
        letters = "".join(one for one in cell.attrib["r"] if one.isalpha())
        place = 0
        for letter in letters:
            place = place * 26 + ord(letter) - 64
        found[place - 1] = cell.attrib.get("t", "n"), "".join(cell.itertext())
    return found

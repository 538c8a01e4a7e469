"""What an analyst finds: the queries of the repository, and the doors of DuckDB, pandas, Arrow.

The files are written by storage's own encoder and read by theirs; one of them is of version 1
of the schema, as a store that is older than this program still holds it.
"""

import io
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from uuid import UUID

import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from services.storage.adapters.merging import ParquetMerger
from services.storage.adapters.parquet import ParquetTables, read_table, read_tables
from services.storage.adapters.schema import SCHEMA, SCHEMA_V1, VERSION_KEY
from services.storage.domain.layout import DEFAULT, compacted_key, manifest_key
from services.storage.domain.results import Number, Result
from services.storage.domain.rows import row_of
from shared.contracts.extraction import ExtractedField, Finding
from shared.contracts.orders import Verdict
from tests import builders
from tests.analyst import QUERIES, asked, rows_of
from tests.house.repository import ROOT

DAYS = (datetime(2026, 3, 14, 12, tzinfo=UTC), datetime(2026, 3, 15, 12, tzinfo=UTC))
OLD_DAY = datetime(2025, 12, 31, tzinfo=UTC)
OLD = "data/versions/00000000-0000-0000-0000-000000000009/v1.parquet"

NORDLICHT = {"seller.name": "Nordlicht GmbH", "seller.vat_id": "DE111111111", "currency": "EUR"}
ALPINA = {"seller.name": "Alpina AG", "currency": "CHF"}
TAX = {"taxes.0.category": "S", "taxes.0.rate": "19", "taxes.0.base": "100.00",
       "taxes.0.amount": "19.00"}  # fmt: skip


def invoice(
    number: int,
    values: Mapping[str, str],
    *,
    verdict: Verdict | None = None,
    **sure: ExtractedField,
) -> Result:
    fields = {path: builders.read_as(value) for path, value in values.items()}
    extraction = builders.extraction(
        document_id=UUID(int=number),
        accepted_at=DAYS[number % 2],
        fields=fields | {path.replace("__", "."): one for path, one in sure.items()},
        findings=(Finding(code="E4", severity="warn", touches=("total",)),),
    )
    reviewer = "anna" if verdict else None
    return Result(extraction, Number(2 if verdict else 1), 0, verdict, reviewer)


RESULTS = (
    invoice(
        1,
        {**NORDLICHT, **TAX, "invoice_number": "R-0815", "issue_date": "2026-03-01",
         "total": "119.00"},
        verdict="approved",
        due_date=ExtractedField(value="2026-03-31", confidence=0.5, status="confirmed"),
    ),
    invoice(
        2,
        {**NORDLICHT, **TAX, "invoice_number": "r 0815", "issue_date": "2026-03-02"},
        total=builders.read_as("119.00", confidence=0.3),
    ),
    invoice(
        3,
        {**ALPINA, "invoice_number": "7", "issue_date": "2026-02-01", "total": "50.00",
         "amount_due": "20.00", "payment.net_days": "10"},
        verdict="corrected",
        seller__name=ExtractedField(value="Alpina AG", confidence=1, status="corrected"),
    ),
    invoice(
        4,
        {**ALPINA, "invoice_number": "8", "issue_date": "2026-02-02", "total": "9999.00"},
        verdict="rejected",
    ),
    invoice(
        5,
        {**NORDLICHT, "document.type": "credit_note", "invoice_number": "G-1",
         "issue_date": "2026-03-03", "total": "11.90", "taxes.0.category": "S",
         "taxes.0.rate": "19", "taxes.0.base": "10.00", "taxes.0.amount": "1.90"},
        verdict="approved",
    ),
    invoice(
        6,
        {**ALPINA, "document.type": "reminder", "invoice_number": "7",
         "issue_date": "2026-02-20", "total": "50.00"},
    ),
)  # fmt: skip


@pytest.fixture
async def store(tmp_path: Path) -> Path:
    """Its first day was merged and pruned: what its queries miss of it, they miss of a year."""
    rows = [row_of(one) for one in RESULTS]
    by_day: dict[datetime, list[str]] = {}
    for one, data in zip(RESULTS, await ParquetTables().files_of(rows), strict=True):
        key = DEFAULT.version_key(*one.identity, "parquet")
        put(tmp_path, key, data)
        by_day.setdefault(one.extraction.accepted_at, []).append(key)
    put(tmp_path, OLD, of_version_one())
    await merge(tmp_path, DAYS[0], by_day[DAYS[0]])
    tell(tmp_path, DAYS[0], [compacted_key(DAYS[0].date())])
    tell(tmp_path, DAYS[1], by_day[DAYS[1]])
    tell(tmp_path, OLD_DAY, [OLD])
    return tmp_path


async def merge(root: Path, day: datetime, keys: Sequence[str]) -> None:
    file = root / compacted_key(day.date())
    file.parent.mkdir(parents=True)
    async with ParquetMerger().merged(file) as merged:
        await merged.append([(root / key).read_bytes() for key in keys])
        assert (await merged.finish()).rows == len(keys)


def tell(root: Path, day: datetime, files: Sequence[str]) -> None:
    put(root, manifest_key(day.date()), json.dumps({"files": files}).encode())


def put(root: Path, key: str, data: bytes) -> None:
    (root / key).parent.mkdir(parents=True, exist_ok=True)
    (root / key).write_bytes(data)


def of_version_one() -> bytes:
    """As it was written before there was lineage."""
    row = dict.fromkeys(SCHEMA_V1.names) | {
        **{"document_id": str(UUID(int=9)), "version": 1, "owner_id": "acme", "sha256": "0"},
        **{"accepted_at": OLD_DAY, "seller_name": "Nordlicht GmbH"},
        **{"issue_date": date(2025, 12, 30), "total": Decimal("1.0000"), "currency": "EUR"},
    }
    sink = io.BytesIO()
    schema = SCHEMA_V1.with_metadata({VERSION_KEY: "1"})
    pq.write_table(pa.Table.from_pylist([row], schema=schema), sink)
    return sink.getvalue()


async def test_what_was_spent_with_whom_month_by_month(store: Path) -> None:
    spent = asked(store, "spend_per_vendor_and_month")

    assert [(one["vendor"], one["month"], one["invoices"], one["total"], one["approved"])
            for one in spent] == [
        ("Nordlicht GmbH", date(2025, 12, 1), 1, Decimal("1.0000"), None),
        ("Alpina AG", date(2026, 2, 1), 1, Decimal("50.0000"), Decimal("50.0000")),
        ("Nordlicht GmbH", date(2026, 3, 1), 3, Decimal("226.1000"), Decimal("107.1000")),
    ]  # fmt: skip


async def test_how_much_vat_at_which_rate(store: Path) -> None:
    [one] = asked(store, "vat_per_rate")

    assert (one["rate"], one["tax_rows"]) == (Decimal("19.0000"), 3)
    assert (one["base"], one["amount"]) == (Decimal("190.0000"), Decimal("36.1000"))


async def test_what_is_due_and_when(store: Path) -> None:
    due = asked(store, "invoices_due")

    assert [(one["due"], one["to_pay"]) for one in due] == [
        (date(2025, 12, 30), Decimal("1.0000")),
        (date(2026, 2, 11), Decimal("20.0000")),
        (date(2026, 3, 2), Decimal("119.0000")),
        (date(2026, 3, 31), Decimal("119.0000")),
    ]


async def test_which_fields_the_machine_is_least_sure_of(store: Path) -> None:
    due, total = asked(store, "low_confidence_fields")

    assert (due["field"], due["doubtful"], due["rules_failed"]) == ("due_date", 1, [])
    assert (total["field"], total["doubtful"]) == ("total", 1)
    assert total["rules_failed"] == ["E4"]
    assert total["least_sure_in"] == str(UUID(int=2))


async def test_which_numbers_came_twice(store: Path) -> None:
    [one] = asked(store, "repeated_invoice_numbers")

    assert (one["number"], one["documents"]) == ("R0815", 2)


async def test_what_people_correct(store: Path) -> None:
    [one] = asked(store, "corrections_by_reviewers")

    assert (one["field"], one["reviewer"], one["corrected"]) == ("seller.name", "anna", 1)


async def test_what_is_there_day_by_day(store: Path) -> None:
    found = asked(store, "documents_per_day")

    assert [(str(one["day"]), one["currency"], one["documents"]) for one in found] == [
        ("2025-12-31", "EUR", 1),
        ("2026-03-14", "CHF", 2),
        ("2026-03-14", "EUR", 1),
        ("2026-03-15", "CHF", 1),
        ("2026-03-15", "EUR", 2),
    ]


async def test_every_query_is_told_in_the_readme_and_begins_with_its_question() -> None:
    readme = (ROOT / "services" / "storage" / "README.md").read_text()

    for query in QUERIES.glob("*.sql"):
        assert query.stem in readme
        assert query.read_text().startswith("-- ")


async def test_lineage_says_where_a_value_stands_and_which_rules_it_failed(
    store: Path,
) -> None:
    key = DEFAULT.version_key(UUID(int=2), 1, "parquet")
    [found] = rows_of(
        f"SELECT field.* FROM (SELECT unnest(fields) AS field FROM '{store}/{key}')"
        " WHERE field.path = 'total'"
    )

    assert (found["value"], found["confidence"]) == ("119.00", 0.3)
    assert found["rules"] == [{"rule": "E4", "result": "failed", "severity": "warn"}]


async def test_a_file_of_version_one_is_lifted(store: Path) -> None:
    table = read_table((store / OLD).read_bytes())

    assert table.schema.equals(SCHEMA)
    [row] = table.to_pylist()
    assert (row["schema_version"], row["total"], row["fields"]) == (1, Decimal("1.0000"), None)


async def test_files_of_both_versions_are_read_together() -> None:
    first, *_ = await ParquetTables().files_of([row_of(one) for one in RESULTS])

    table = read_tables([first, of_version_one(), first])

    assert table.schema.equals(SCHEMA)
    assert table.column("schema_version").to_pylist() == [2, 1, 2]


async def test_compacted_days_open_by_partition_in_duckdb_pandas_and_arrow(
    store: Path,
) -> None:
    by_document = [DEFAULT.version_key(*one.identity, "parquet") for one in RESULTS[::2]]
    await merge(store, DAYS[1], by_document)
    folder = store / "data/compacted"

    by_duckdb = rows_of(
        f"SELECT date, count(*) AS n, sum(total) AS total FROM read_parquet("
        f"'{folder}/*/*.parquet', hive_partitioning = true) GROUP BY date ORDER BY date"
    )
    by_pandas = pd.read_parquet(folder)
    by_arrow = ds.dataset(folder, partitioning="hive").to_table()

    assert [one["n"] for one in by_duckdb] == [3, 3]
    assert str(by_duckdb[0]["date"]) == "2026-03-14"
    total = sum(one["total"] for one in by_duckdb)
    assert total == by_pandas["total"].sum() == sum(by_arrow.column("total").to_pylist())
    assert set(map(str, by_pandas["date"])) == {"2026-03-14", "2026-03-15"}
    assert by_arrow.schema.field("total").type == pa.decimal128(20, 4)

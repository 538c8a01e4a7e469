"""What a stored result looks like: the same bytes every time, exact types, nothing guessed."""

import io
import json
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from uuid import UUID

import pyarrow.parquet as pq

from services.storage.adapters.parquet import ParquetTables
from services.storage.adapters.schema import SCHEMA
from services.storage.domain.layout import DEFAULT
from services.storage.domain.results import (
    FIRST,
    Number,
    Origin,
    Result,
    json_of,
    origin_of,
    result_of,
)
from services.storage.domain.rows import row_of
from shared.contracts.extraction import ExtractionV1
from tests import builders

DOCUMENT = UUID("0190c0de-0000-7000-8000-000000000001")


def result(**fields: str) -> Result:
    read = {path.replace("__", "."): builders.read_as(value) for path, value in fields.items()}
    return Result(builders.extraction(document_id=DOCUMENT, fields=read))


async def table_of(one: Result) -> dict[str, object]:
    [file] = await ParquetTables().files_of([row_of(one)])
    [row] = pq.read_table(io.BytesIO(file)).to_pylist()
    return dict(row)


def test_a_result_is_found_by_the_day_of_acceptance_in_utc() -> None:
    late = datetime(2026, 3, 15, 0, 30, tzinfo=timezone(timedelta(hours=2)))

    assert DEFAULT.dated_key(DOCUMENT, late, "json") == f"data/json/2026/03/14/{DOCUMENT}.json"
    assert DEFAULT.version_key(DOCUMENT, 3, "parquet") == f"data/versions/{DOCUMENT}/v3.parquet"


def test_what_the_machine_reads_first_is_version_one_and_a_decision_names_what_it_judged() -> (
    None
):
    extraction = builders.extraction()
    order = builders.finalise_document(review_revision=2)

    machine = result_of(builders.store_document(), extraction, FIRST)
    person = result_of(order, extraction, Number(3))

    assert (machine.version, machine.verdict) == (1, None)
    assert origin_of(order) == Origin(order.document_id, reading=1, review_revision=2)
    assert (person.version, person.verdict, person.reviewer) == (3, "approved", "anna")


def test_the_json_is_an_extraction_with_its_version_on_top() -> None:
    one = result(total="119.00")

    content = json.loads(json_of(one))

    assert content["version"] == 1
    assert content["fields"]["total"]["value"] == "119.00"
    assert ExtractionV1.model_validate_json(json_of(one)) == one.extraction


async def test_the_same_result_always_has_the_same_bytes() -> None:
    one = result(total="119.00", seller__name="Käserei Ümlaut")

    first, second = await ParquetTables().files_of([row_of(one), row_of(one)])

    assert first == second
    assert json_of(one) == json_of(one)


async def test_a_column_has_the_type_of_its_meaning() -> None:
    row = await table_of(
        result(seller__name="Nordlicht", issue_date="2026-03-01", total="1234.5")
    )

    assert row["seller_name"] == "Nordlicht"
    assert row["issue_date"] == date(2026, 3, 1)
    assert row["total"] == Decimal("1234.5000")
    assert row["total_confidence"] == 0.9
    assert row["accepted_at"] == builders.ACCEPTED_AT.astimezone(UTC)
    assert row["due_date"] is None


async def test_what_is_not_of_its_type_is_null_and_never_a_guess() -> None:
    row = await table_of(
        result(issue_date="next week", total="about 5", subtotal="NaN", tax_total="1e30")
    )

    assert (row["issue_date"], row["total"], row["subtotal"], row["tax_total"]) == (None,) * 4


async def test_every_file_has_the_one_schema_with_its_version() -> None:
    [file] = await ParquetTables().files_of([row_of(result())])

    assert pq.read_schema(io.BytesIO(file)).equals(SCHEMA, check_metadata=False)
    assert pq.read_schema(io.BytesIO(file)).metadata[b"paperline.schema_version"] == b"2"

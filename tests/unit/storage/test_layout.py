"""Where files lie: by templates, and back from a key to the version it belongs to."""

from datetime import UTC, date, datetime
from uuid import UUID

import pytest

from services.storage.domain.layout import (
    DEFAULT,
    Layout,
    compacted_key,
    layout_of,
    manifest_key,
)
from shared.blobs.keys import valid_key, valid_prefix
from shared.configuration.load import load_configuration

DOCUMENT = UUID("0190c0de-0000-7000-8000-000000000001")
MOMENT = datetime(2026, 3, 14, 23, 30, tzinfo=UTC)


def test_the_file_of_the_repository_says_what_the_program_takes_for_granted() -> None:
    assert layout_of(load_configuration().configuration.output) == DEFAULT


def test_another_template_is_another_place() -> None:
    hive = Layout(parquet="data/parquet/date={accepted_at:%Y-%m-%d}/{document_id}.parquet")

    key = hive.dated_key(DOCUMENT, MOMENT, "parquet")

    assert valid_key(key) == f"data/parquet/date=2026-03-14/{DOCUMENT}.parquet"


def test_a_version_is_found_again_by_its_key() -> None:
    key = DEFAULT.version_key(DOCUMENT, 12, "parquet")

    assert key == f"data/versions/{DOCUMENT}/v12.parquet"
    assert DEFAULT.version_of(key) == (DOCUMENT, 12)
    assert key.startswith(DEFAULT.versions_prefix(DOCUMENT))


@pytest.mark.parametrize(
    "key",
    [
        "data/versions/readme",
        "data/versions/a/v1.json",
        f"data/versions/{DOCUMENT}/v01.json",
        f"data/versions/{DOCUMENT}/1.json",
        f"data/versions/{DOCUMENT}/v1.json.old",
        f"data/versions/{str(DOCUMENT).upper()}/v1.json",
        f"data/json/{DOCUMENT}/v1.json",
    ],
)
def test_a_key_that_we_never_wrote_is_of_no_version(key: str) -> None:
    assert DEFAULT.version_of(key) is None


@pytest.mark.parametrize(
    "template",
    [
        DEFAULT.parquet,
        "data/parquet/date={accepted_at:%Y-%m-%d}/{document_id}.parquet",
        "{accepted_at:%Y/%m/%d}/{document_id}.parquet",
        "data/parquet/{accepted_at:%b %Y}/{document_id}/{document_id}.parquet",
    ],
)
def test_a_document_is_found_again_by_its_dated_path(template: str) -> None:
    layout = Layout(parquet=template)

    key = layout.dated_key(DOCUMENT, MOMENT, "parquet")

    assert layout.dated_of(key) == (DOCUMENT, 0)
    assert [valid_prefix(one) for one in layout.all_dated if key.startswith(one)]
    assert layout.dated_of(f"{key}.old") is None
    assert layout.dated_of(key.replace(str(DOCUMENT), "readme")) is None
    assert layout.dated_of(f"more/{key}") is None


def test_days_have_keys_that_readers_take_for_partitions() -> None:
    day = date(2026, 3, 4)

    assert valid_key(compacted_key(day)) == "data/compacted/date=2026-03-04/invoices.parquet"
    assert manifest_key(day) == "data/manifests/2026/03/04.json"

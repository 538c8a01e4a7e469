"""The one schema of invoices in Parquet, for a document's file and for a day's.

Typed where it counts: money is decimal128, days are date32, so a sum in a notebook is exact.
Columns are added at the end and never change their type; the schema's version is in the file's
metadata, and what an older version did not know is null.
"""

from collections.abc import Mapping

import pyarrow as pa

from services.storage.domain.rows import (
    BOX,
    DIGITS,
    HEADER_V1,
    HEADER_V2,
    LISTS,
    SCHEMA_VERSION,
    Columns,
    Kind,
    column,
)

VERSION_KEY = "paperline.schema_version"
METADATA = {VERSION_KEY: str(SCHEMA_VERSION)}

_TYPES: Mapping[Kind, pa.DataType] = {
    "text": pa.string(),
    "date": pa.date32(),
    "flag": pa.bool_(),
    "count": pa.int32(),
    **{kind: pa.decimal128(sum(digits), digits[1]) for kind, digits in DIGITS.items()},
}
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
_RULE = pa.struct([(name, pa.string()) for name in ("rule", "result", "severity")])
_FINDING = pa.struct([(name, pa.string()) for name in ("code", "severity", "detail")])
_FIELD = pa.struct(
    [
        ("path", pa.string()),
        ("value", pa.string()),
        ("raw", pa.string()),
        ("confidence", pa.float64()),
        ("status", pa.string()),
        ("source", pa.string()),
        ("page", pa.int32()),
        ("box", pa.struct([(corner, pa.float64()) for corner in BOX])),
        ("rules", pa.list_(_RULE)),
    ]
)


def _columns(columns: Columns) -> list[pa.Field]:
    return [pa.field(column(path), _TYPES[kind]) for path, kind in columns.items()]


def _sure_columns(columns: Columns) -> list[pa.Field]:
    return [
        field
        for one in _columns(columns)
        for field in (one, pa.field(f"{one.name}_confidence", pa.float64()))
    ]


def _members(columns: Columns) -> pa.DataType:
    return pa.list_(pa.struct([pa.field("place", pa.int32()), *_columns(columns)]))


SCHEMA_V1 = pa.schema([*_ABOUT, *_sure_columns(HEADER_V1)])
SCHEMA = pa.schema(
    [
        *SCHEMA_V1,
        pa.field("schema_version", pa.int32()),
        pa.field("degraded", pa.bool_()),
        *_columns(HEADER_V2),
        *(pa.field(name, _members(columns)) for name, columns in LISTS.items()),
        pa.field("findings", pa.list_(_FINDING)),
        pa.field("fields", pa.list_(_FIELD)),
    ]
)

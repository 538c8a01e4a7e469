"""The work of one document without a system around it: what a careful script would do.

Three stages, one message each: extract (nothing to wait for), store (validated; one Parquet
and one JSON file, written aside and renamed; one row), review (one item, 20 fields, one line
of an audit log). Nothing remembers what was done, and nothing is sent with what was written.
"""

import json
import os
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from uuid import UUID, uuid4

import asyncpg
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel

LINES, FIELDS = 5, 20
SCHEMA = "bare_work"
TABLES = f"""
DROP SCHEMA IF EXISTS {SCHEMA} CASCADE;
CREATE SCHEMA {SCHEMA};
SET search_path = {SCHEMA};
CREATE TABLE readings (document_id uuid PRIMARY KEY, body text NOT NULL);
CREATE TABLE results (document_id uuid PRIMARY KEY, parquet text NOT NULL, json text NOT NULL);
CREATE TABLE items (
    item_id uuid PRIMARY KEY, document_id uuid UNIQUE NOT NULL,
    status text NOT NULL DEFAULT 'pending',
    opened_at timestamptz NOT NULL DEFAULT clock_timestamp());
CREATE TABLE fields (
    item_id uuid NOT NULL REFERENCES items, path text NOT NULL, value text,
    confidence double precision NOT NULL, PRIMARY KEY (item_id, path));
CREATE TABLE audit (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, document_id uuid NOT NULL,
    action text NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp());
"""
KEEP = "INSERT INTO readings VALUES ($1, $2) ON CONFLICT DO NOTHING"
STORE = "INSERT INTO results VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"
OPEN = "INSERT INTO items (item_id, document_id) VALUES ($1, $2)"
FILL = "INSERT INTO fields VALUES ($1, $2, $3, $4)"
NOTE = "INSERT INTO audit (document_id, action) VALUES ($1, 'opened')"


class Position(BaseModel):
    description: str
    quantity: Decimal
    net_amount: Decimal


class Read(BaseModel):
    path: str
    value: str
    confidence: float


class Invoice(BaseModel):
    document_id: UUID
    seller: str
    number: str
    issued_on: date
    currency: str
    total: Decimal
    positions: list[Position]
    fields: list[Read]


_MONEY = pa.decimal128(18, 2)
_POSITION = pa.struct(
    [("description", pa.string()), ("quantity", _MONEY), ("net_amount", _MONEY)]
)
_READ = pa.struct([("path", pa.string()), ("value", pa.string()), ("confidence", pa.float64())])
COLUMNS = pa.schema(
    [
        ("document_id", pa.string()),
        ("seller", pa.string()),
        ("number", pa.string()),
        ("issued_on", pa.date32()),
        ("currency", pa.string()),
        ("total", _MONEY),
        ("positions", pa.list_(_POSITION)),
        ("fields", pa.list_(_READ)),
    ]
)


@dataclass(frozen=True, slots=True)
class BareWork:
    pool: asyncpg.Pool
    folder: Path
    # Whether a file is on the disk before its row says so.
    sync: bool

    async def extract(self, body: bytes) -> bytes:
        document_id = UUID(json.loads(body)["document_id"])
        told = json.dumps(_reading(document_id))
        await self.pool.execute(KEEP, document_id, told)
        return told.encode()

    async def store(self, body: bytes) -> bytes:
        invoice = Invoice.model_validate_json(body)
        row = invoice.model_dump() | {"document_id": str(invoice.document_id)}
        sink = pa.BufferOutputStream()
        pq.write_table(pa.Table.from_pylist([row], schema=COLUMNS), sink)
        parquet = self._keep(f"{invoice.document_id}.parquet", sink.getvalue())
        text = self._keep(f"{invoice.document_id}.json", invoice.model_dump_json().encode())
        await self.pool.execute(STORE, invoice.document_id, parquet, text)
        return body

    async def review(self, body: bytes) -> None:
        told, item_id = json.loads(body), uuid4()
        document_id = UUID(told["document_id"])
        rows = [
            (item_id, one["path"], one["value"], one["confidence"]) for one in told["fields"]
        ]
        async with self.pool.acquire() as connection, connection.transaction():
            await connection.execute(OPEN, item_id, document_id)
            await connection.executemany(FILL, rows)
            await connection.execute(NOTE, document_id)

    def _keep(self, name: str, data: bytes) -> str:
        final = self.folder / name[:2] / name
        final.parent.mkdir(exist_ok=True)
        aside = final.with_name(f"{name}.{os.getpid()}")
        with aside.open("wb", buffering=0) as file:
            file.write(data)
            if self.sync:
                os.fsync(file.fileno())
        aside.rename(final)
        return str(final)


def _reading(document_id: UUID) -> dict[str, object]:
    amounts = {"quantity": "2.00", "net_amount": "20.00"}
    return {
        "document_id": str(document_id),
        "seller": "Seller 17",
        "number": f"R-{document_id.int % 10**15}",
        "issued_on": "2026-03-01",
        "currency": "EUR",
        "total": "119.00",
        "positions": [{"description": f"Part {one}", **amounts} for one in range(LINES)],
        "fields": [
            {"path": f"field_{one}", "value": f"value {one}", "confidence": 0.97}
            for one in range(FIELDS)
        ],
    }

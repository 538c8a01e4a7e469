"""Results to keep, kept by storage's own handler, and by the least that a script would do."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

from services.storage.adapters.erasures import PostgresErasures
from services.storage.adapters.exports import PostgresExports
from services.storage.adapters.handovers import PostgresHandovers
from services.storage.adapters.parquet import ParquetTables
from services.storage.adapters.result_index import PostgresResultIndex
from services.storage.adapters.stored_results import PostgresStoredResults
from services.storage.adapters.withdrawals import PostgresWithdrawals
from services.storage.domain.results import Result, json_of
from services.storage.domain.rows import row_of
from services.storage.handlers.storing import store_documents
from services.storage.ports import Ports
from shared.blobs.filesystem import SYNC_THREADS
from shared.blobs.open import open_blobs
from shared.blobs.pieces import in_one_piece
from shared.bus.jobs import Job
from shared.contracts.extraction import ExtractedField, ExtractionV1
from shared.contracts.orders import StoreDocumentV1
from tests import builders
from tests.broker.service_schema import ServiceSchema

LINES = 5
EXTRACTION_BYTES_MAX = 1 << 20


def extractions(count: int) -> list[ExtractionV1]:
    """The work that everybody is measured on: 20 header fields and 5 lines."""
    return [builders.extraction(fields=_fields(number)) for number in range(count)]


def _fields(number: int) -> dict[str, ExtractedField]:
    texts = ("purchase_order", "customer_number", "buyer.name", "buyer.vat_id", "seller.vat_id",
             "payment.reference", "document.type", "delivery_note", "sales_order")  # fmt: skip
    amounts = ("subtotal", "tax_total", "total", "amount_due", "lines_total")
    values = {
        "seller.name": f"Seller {number % 500}",
        "invoice_number": f"R-{number}",
        "currency": "EUR",
        **dict.fromkeys(("issue_date", "due_date", "delivery_date"), "2026-03-01"),
        **{path: f"{path} of {number}" for path in texts},
        **dict.fromkeys(amounts, "119.00"),
    }
    for line in range(LINES):
        values |= {
            f"lines.{line}.description": f"Part {line} of {number}",
            **dict.fromkeys((f"lines.{line}.quantity", f"lines.{line}.net_amount"), "20.00"),
        }
    return {path: builders.read_as(value) for path, value in values.items()}


class Bare:
    """pyarrow with our schema, one table per row, and fsync of each file: no rows, no names
    that appear at once, no folders of their own, nobody to ask what is there already."""

    def __init__(self, root: Path, *, copies: int) -> None:
        self._folders = [root / str(copy) for copy in range(copies)]
        self._tables = ParquetTables()
        for folder in self._folders:
            folder.mkdir(parents=True)

    async def keep(self, given: Sequence[ExtractionV1]) -> None:
        results = [Result(one) for one in given]
        tables = await self._tables.files_of([row_of(one) for one in results])
        items = [
            (folder / f"{one.extraction.document_id}.{suffix}", data)
            for one, table in zip(results, tables, strict=True)
            for suffix, data in (("parquet", table), ("json", json_of(one)))
            for folder in self._folders
        ]
        await asyncio.gather(
            *(
                asyncio.to_thread(_write, items[first::SYNC_THREADS])
                for first in range(SYNC_THREADS)
            )
        )


def _write(items: Sequence[tuple[Path, bytes]]) -> None:
    for path, data in items:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o640)
        os.write(descriptor, data)
        os.fsync(descriptor)
        os.close(descriptor)


class Ours:
    def __init__(self, schema: ServiceSchema, root: Path) -> None:
        self._blobs = open_blobs(f"file://{root}")
        self._use = Ports(
            blobs=self._blobs,
            tables=ParquetTables(),
            results=PostgresStoredResults(),
            withdrawals=PostgresWithdrawals(),
            erasures=PostgresErasures(),
            ledger=schema.ledger,
            extraction_bytes_max=EXTRACTION_BYTES_MAX,
            index=PostgresResultIndex(schema.pool),
            handovers=PostgresHandovers(schema.pool),
            exports=PostgresExports(schema.pool),
        )

    async def order(self, read: Sequence[ExtractionV1]) -> list[Job[StoreDocumentV1]]:
        """What the extractor leaves behind: its reading in the store, and an order."""
        jobs = []
        for one in read:
            kept = await self._blobs.write(in_one_piece(one.to_bytes()))
            order = builders.store_document(
                document_id=one.document_id, extraction_key=kept.key
            )
            jobs.append(builders.job(order))
        return jobs

    async def keep(self, jobs: Sequence[Job[StoreDocumentV1]]) -> None:
        await store_documents(jobs, self._use)

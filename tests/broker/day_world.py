"""Days of invoices on a real PostgreSQL and a real folder, as an analyst opens them."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import duckdb

from services.storage.adapters.days import PostgresDays
from services.storage.adapters.merging import ParquetMerger
from services.storage.adapters.parquet import ParquetTables
from services.storage.adapters.stored_results import PostgresStoredResults
from services.storage.domain.layout import DEFAULT, compacted_key, manifest_key
from services.storage.domain.results import (
    Number,
    Published,
    Result,
    StoredResult,
    Table,
    json_of,
)
from services.storage.domain.rows import row_of, sorted_by
from services.storage.handlers.compacting import compact_days
from services.storage.handlers.manifests import write_manifests
from services.storage.ports.days import DayPorts, Pace
from shared.blobs.open import open_blobs
from shared.clock import WallClock
from tests import builders
from tests.broker.service_schema import ServiceSchema, service_schema
from tests.eventually import eventually

TOTAL = Decimal("119.00")
DAY = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
AT_ONCE = Pace(
    manifest_debounce_s=0,
    compact_after_s=0,
    compact_quiet_s=0,
    compact_share=1,
    prune_after_days=None,
    stray_after_s=0,
)


RESTS = """
SELECT EXISTS (SELECT FROM day_changes)
    OR EXISTS (SELECT FROM days
                WHERE manifest_revision <> revision
                   OR manifest_compacted
                      <> coalesce(compacted_revision = revision AND compacted_rows > 0, false))
"""


class DayWorld:
    def __init__(self, schema: ServiceSchema, root: Path, scratch: Path) -> None:
        self.schema, self.root = schema, root
        self.blobs = open_blobs(f"file://{root}")
        self.results, days = PostgresStoredResults(), PostgresDays()
        self.use = DayPorts(
            blobs=self.blobs,
            days=days,
            leftovers=days,
            merger=ParquetMerger(group_bytes=1 << 16),
            ledger=schema.ledger,
            clock=WallClock(),
            layout=DEFAULT,
            scratch=scratch,
            pace=AT_ONCE,
        )

    def at_pace(
        self,
        *,
        manifest_debounce_s: float = 0,
        compact_quiet_s: float = 0,
        stray_after_s: float = 0,
        prune_after_days: int | None = None,
    ) -> DayPorts:
        pace = replace(
            AT_ONCE,
            manifest_debounce_s=manifest_debounce_s,
            compact_quiet_s=compact_quiet_s,
            stray_after_s=stray_after_s,
            prune_after_days=prune_after_days,
        )
        return replace(self.use, pace=pace)

    async def keep(
        self,
        count: int,
        *,
        day: datetime = DAY,
        total: str = "119.00",
        document_id: UUID | None = None,
        version: int = 1,
        **fields: str,
    ) -> list[UUID]:
        """Versions with their files and rows, published: what a storing replica leaves."""
        results = [
            Result(
                builders.extraction(
                    document_id=document_id or uuid4(),
                    accepted_at=day,
                    fields={
                        "total": builders.read_as(total),
                        "seller.name": builders.read_as(f"Seller {one % 7}"),
                        "issue_date": builders.read_as(f"2026-03-{1 + one % 28:02}"),
                        **{
                            path.replace("__", "."): builders.read_as(value)
                            for path, value in fields.items()
                        },
                    },
                ),
                Number(version),
                review_revision=version - 1,
                verdict="corrected" if version > 1 else None,
            )
            for one in range(count)
        ]
        await self.keep_results(results)
        return [one.extraction.document_id for one in results]

    async def keep_results(self, results: Sequence[Result]) -> None:
        rows = [row_of(one) for one in results]
        files = dict(
            zip(results_keys(results), await ParquetTables().files_of(rows), strict=True)
        )
        kept = [
            _stored(one, Table(len(file), sha256(file).hexdigest(), *sorted_by(row)))
            for one, row, file in zip(results, rows, files.values(), strict=True)
        ]
        await self.blobs.put_all(files)
        await self.blobs.put_all(
            {DEFAULT.version_key(*one.identity, "json"): json_of(one) for one in results}
        )
        await self.publish(results, files, kept)

    async def publish(
        self, results: Sequence[Result], files: dict[str, bytes], kept: Sequence[StoredResult]
    ) -> None:
        shown = [published(one) for one in results]
        await self.blobs.put_all(
            dict(zip((one.parquet_key for one in shown), files.values(), strict=True))
        )
        async with self.schema.ledger.unit() as unit:
            await self.results.keep_stored(unit, kept)
            await self.results.lock_unpublished(unit, [one.document_id for one in shown])
            await self.results.mark_published(unit, shown)

    async def erase(self, document_id: UUID) -> None:
        async with self.schema.ledger.unit() as unit:
            keys = await self.results.erase_results(unit, [document_id])
            for key in keys:
                if key.startswith("data/"):
                    await self.blobs.delete(key)

    async def manifest(self, day: datetime = DAY) -> dict[str, Any]:
        return dict(json.loads(await self.blobs.read(manifest_key(day.date()))))

    async def compacted(self, day: datetime = DAY) -> bytes | None:
        key = compacted_key(day.date())
        return await self.blobs.read(key) if await self.blobs.size(key) else None

    async def settle(self) -> None:
        """Everything that is due is done, until nothing is: also what rests for a moment,
        because its manifest was written just now."""
        await eventually(self._is_settled, within_s=30, every_s=0)

    async def _is_settled(self) -> bool:
        if await write_manifests(self.use) + await compact_days(self.use):
            return False
        return not await self.schema.owner.fetchval(RESTS)

    async def sums_by_manifest(self, day: datetime = DAY) -> tuple[int, int, Decimal]:
        """Documents, different ones, and their totals: as DuckDB reads what is listed."""
        listed = await self.manifest(day)
        return await asyncio.to_thread(sums, *(str(self.root / key) for key in listed["files"]))

    def sums_by_document(self) -> tuple[int, int, Decimal]:
        return sums(f"{self.root}/data/parquet/**/*.parquet")

    def sums_of_compacted(self) -> tuple[int, int, Decimal]:
        return sums(f"{self.root}/data/compacted/*/*.parquet")


def sums(*paths: str) -> tuple[int, int, Decimal]:
    with duckdb.connect() as connection:
        [row] = connection.sql(
            "SELECT count(*), count(DISTINCT document_id), sum(total) "
            f"FROM read_parquet({list(paths)!r}, union_by_name = true)"
        ).fetchall()
    return row[0], row[1], row[2]


def sums_of(count: int, more: Decimal = Decimal(0)) -> tuple[int, int, Decimal]:
    """Of so many invoices as `keep` makes them."""
    return count, count, count * TOTAL + more


def results_keys(results: Sequence[Result]) -> list[str]:
    return [DEFAULT.version_key(*one.identity, "parquet") for one in results]


def published(one: Result) -> Published:
    document_id, accepted_at = one.extraction.document_id, one.extraction.accepted_at
    return Published(
        document_id,
        DEFAULT.dated_key(document_id, accepted_at, "json"),
        DEFAULT.dated_key(document_id, accepted_at, "parquet"),
    )


def _stored(one: Result, table: Table) -> StoredResult:
    document_id, version = one.identity
    return StoredResult(
        document_id=document_id,
        version=version,
        owner_id=one.extraction.owner_id,
        accepted_at=one.extraction.accepted_at,
        extraction_key=f"sha256/{document_id}",
        result_key=DEFAULT.version_key(document_id, version, "json"),
        has_files=True,
        verdict=one.verdict,
        review_revision=one.review_revision,
        table=table,
    )


@asynccontextmanager
async def day_world(database_url: str, folder: Path) -> AsyncIterator[DayWorld]:
    scratch = folder / "scratch"
    scratch.mkdir()
    async with service_schema(database_url, "storage", []) as schema:
        yield DayWorld(schema, folder / "blobs", scratch)

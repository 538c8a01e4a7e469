"""A day of many small files, and the process that merges them: its memory is what we want.

`python -m tests.bench._shared.merging <orders>` merges the day and says what it took.
"""

import asyncio
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from uuid import UUID

from services.storage.adapters.days import PostgresDays
from services.storage.adapters.merging import ParquetMerger
from services.storage.adapters.parquet import ParquetTables
from services.storage.adapters.stored_results import PostgresStoredResults
from services.storage.domain.layout import DEFAULT
from services.storage.domain.results import Published, Result, StoredResult, Table
from services.storage.domain.rows import row_of, sorted_by
from services.storage.handlers.compacting import compact_days
from services.storage.handlers.manifests import write_manifests
from services.storage.ports.days import DayPorts, Pace
from shared.blobs.open import open_blobs
from shared.clock import WallClock
from shared.contracts.extraction import ExtractionV1
from shared.contracts.identity import new_id
from shared.database.pool import DatabaseSettings, open_pool
from shared.ledger.postgres import PostgresLedger
from tests.bench._shared.kept import extractions
from tests.broker.service_schema import ServiceSchema

DIFFERENT = 500
CHUNK = 1_000
AT_ONCE = Pace(
    manifest_debounce_s=0,
    compact_after_s=0,
    compact_quiet_s=0,
    compact_share=1,
    prune_after_days=None,
    stray_after_s=86_400,
)


@dataclass(frozen=True, slots=True)
class Orders:
    database_url: str
    schema: str
    blobs: str
    scratch: str

    def as_argument(self) -> str:
        return json.dumps(asdict(self))


async def keep_a_day(schema: ServiceSchema, root: Path, files: int) -> None:
    """As storing leaves it, but written without a sync: making it is not what is measured."""
    results = PostgresStoredResults()
    patterns = await _patterns()
    for first in range(0, files, CHUNK):
        some = list(_documents(patterns, root, min(CHUNK, files - first)))
        async with schema.ledger.unit() as unit:
            await results.keep_stored(unit, some)
            await results.mark_published(unit, [_published(one) for one in some])


async def _patterns() -> list[tuple[ExtractionV1, bytes, Table]]:
    read = extractions(DIFFERENT)
    rows = [row_of(Result(one)) for one in read]
    files = await ParquetTables().files_of(rows)
    tables = [
        Table(len(file), "", *sorted_by(row)) for file, row in zip(files, rows, strict=True)
    ]
    return list(zip(read, files, tables, strict=True))


def _documents(
    patterns: Sequence[tuple[ExtractionV1, bytes, Table]], root: Path, count: int
) -> Iterator[StoredResult]:
    for number in range(count):
        pattern, file, table = patterns[number % len(patterns)]
        document_id: UUID = new_id()
        # An id stands in the file as it is, and all are equally long.
        data = file.replace(str(pattern.document_id).encode(), str(document_id).encode())
        path = root / DEFAULT.version_key(document_id, 1, "parquet")
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
        digest = sha256(data).hexdigest()
        yield StoredResult(
            document_id=document_id,
            version=1,
            owner_id=pattern.owner_id,
            accepted_at=pattern.accepted_at,
            extraction_key=f"sha256/{document_id}",
            result_key=str(document_id),
            has_files=True,
            table=Table(table.size, digest, table.issue_date, table.seller),
        )


def _published(one: StoredResult) -> Published:
    keys = (
        DEFAULT.dated_key(one.document_id, one.accepted_at, kind)
        for kind in ("json", "parquet")
    )
    return Published(one.document_id, *keys)


async def _merge(orders: Orders) -> dict[str, float]:
    settings = DatabaseSettings(orders.database_url)
    pool = await open_pool(settings, schema=orders.schema, application="bench")
    clock, days = WallClock(), PostgresDays()
    use = DayPorts(
        blobs=open_blobs(f"file://{orders.blobs}"),
        days=days,
        leftovers=days,
        merger=ParquetMerger(),
        ledger=PostgresLedger(pool, clock, wake=lambda: None),
        clock=clock,
        layout=DEFAULT,
        scratch=Path(orders.scratch),
        pace=AT_ONCE,
    )
    before = _peak_rss_mb()
    began = time.monotonic()
    await write_manifests(use)
    listed = time.monotonic()
    merged = await compact_days(use)
    ended = time.monotonic()
    [row] = await pool.fetch("SELECT * FROM days")
    await pool.close()
    assert merged == 1
    return {
        "documents_per_s": row["compacted_rows"] / (ended - listed),
        "listed_per_s": row["documents"] / (listed - began),
        "seconds": ended - listed,
        "rss_before_mb": before,
        "peak_rss_mb": _peak_rss_mb(),
        "compacted_mb": row["compacted_size"] / 1e6,
    }


def _peak_rss_mb() -> float:
    # Not from `getrusage`: that remembers the memory of the process that started this one.
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("the kernel does not tell how much memory was used")


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(_merge(Orders(**json.loads(sys.argv[1]))))))

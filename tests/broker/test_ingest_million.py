"""What is looked at all the time stays cheap when there are a million documents.

Counted in blocks that were read and not in seconds: those are the same on every machine.
"""

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import pytest

import services.ingest.adapters.documents as adapter
from services.ingest.domain.search import Wanted
from tests import builders
from tests.broker.ingest_world import SCAN, World, ingest_world

DOCUMENTS, MEMBERS = 1_000_000, 1_000
AT_ONCE = 100_000
SQL = Path(adapter.__file__).parents[1] / "sql"
BEFORE = adapter._LAST_AT, adapter._LAST_ID, 50
BATCH_ID = UUID(int=7)
FILLING = """
INSERT INTO documents (document_id, owner_id, created_at, updated_at, completed_at, status,
                       rank, stage, told_rank, told_fact_id, priority, filename, media_type,
                       sha256, size_bytes, content_key, vendor_name)
SELECT gen_random_uuid(), 'owner-' || n % 200, now() - n * interval '1 s', now(),
       CASE WHEN n % 50 > 0 THEN now() - n * interval '1 s' END,
       CASE WHEN n % 50 = 0 THEN 'processing' WHEN n % 50 < 4 THEN 'failed'
            ELSE 'completed' END,
       CASE WHEN n % 50 = 0 THEN 20 ELSE 90 END,
       CASE WHEN n % 50 = 0 THEN 'processing' ELSE 'done' END,
       20, gen_random_uuid(), 3, 'scan-' || n || '.pdf', $3, $4 || n, 10, $5 || n,
       'Vendor ' || n % 5000
  FROM generate_series($1::integer, $2::integer) AS n
"""
BATCHED = """
WITH batched AS (
    INSERT INTO batches (batch_id, owner_id, created_at, rejected)
    SELECT CASE WHEN n = 0 THEN $1::uuid ELSE gen_random_uuid() END, 'owner-' || n % 20,
           now() - n * interval '1 min', '[]'
      FROM generate_series(0, 199) AS n
    RETURNING batch_id),
numbered AS (SELECT batch_id, row_number() OVER () - 1 AS n FROM batched),
chosen AS (
    SELECT document_id, row_number() OVER () - 1 AS n
      FROM (SELECT document_id FROM documents LIMIT $2::integer * 200) AS first_ones)
INSERT INTO batch_members (document_id, batch_id, position)
SELECT c.document_id, b.batch_id, c.n % $2
  FROM chosen c
  JOIN numbered b ON b.n = c.n / $2
"""
INDEXES = """
SELECT indexname, indexdef FROM pg_indexes
 WHERE tablename = 'documents' AND schemaname = current_schema() AND indexname LIKE 'ix%'
"""
DASHBOARD = """
SELECT document_id, created_at FROM documents
 WHERE status = 'processing' ORDER BY created_at DESC LIMIT 50
"""
pytestmark = pytest.mark.slow


@pytest.fixture
async def filled(database_url: str) -> AsyncIterator["Filled"]:
    async with ingest_world(database_url) as world:
        schema = await world.pool.fetchval("SELECT current_schema()")
        # Apart from the pool, whose statements have to be short.
        connection = await asyncpg.connect(
            database_url, server_settings={"search_path": schema, "jit": "off"}
        )
        try:
            await _fill(connection)
            yield Filled(world, connection)
        finally:
            await connection.close()


@dataclass(frozen=True, slots=True)
class Blocks:
    count: int
    # Told when there are too many.
    nodes: list[tuple[str, str | None]]

    def __lt__(self, most: int) -> bool:
        return self.count < most


class Filled:
    def __init__(self, world: World, connection: asyncpg.Connection) -> None:
        self.world = world
        self._connection = connection

    async def plan(self, sql: str, *given: object) -> dict[str, Any]:
        """As it was carried out, planned for these values as the driver's first ones are."""
        explained = await self._connection.fetchval(
            f"EXPLAIN (ANALYZE, BUFFERS, FORMAT json) {sql}", *given
        )
        plan: dict[str, Any] = json.loads(explained)[0]["Plan"]
        return plan

    async def blocks(self, name: str, *given: object) -> "Blocks":
        """What a statement looked at; none of its scans is one of all documents."""
        plan = await self.plan((SQL / f"{name}.sql").read_text(), *given)
        whole = [one for one in _nodes(plan) if one["Node Type"] == "Seq Scan"]
        assert not [one for one in whole if one["Relation Name"] == "documents"], name
        count = int(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])
        return Blocks(
            count, [(one["Node Type"], one.get("Index Name")) for one in _nodes(plan)]
        )


async def test_a_million_documents_cost_a_page_no_more_than_a_thousand(filled: Filled) -> None:
    for wanted in (Wanted(status="processing"), Wanted(q="scan-4711"), Wanted(q="none")):
        asked = (*BEFORE, None, *adapter._wanted(wanted))
        assert await filled.blocks("search_documents", *asked) < 600, wanted
    assert await filled.blocks("list_documents", *BEFORE) < 100
    assert await filled.blocks("list_documents_of_owner", *BEFORE, "owner-7") < 200
    # A batch's standing is counted over all of its members, and over nobody else's.
    assert await filled.blocks("find_batch", BATCH_ID, None) < 12 * MEMBERS
    assert await filled.blocks("list_new_standings", [BATCH_ID], [0]) < 12 * MEMBERS
    assert await filled.blocks("list_batches_of_owner", *BEFORE, "owner-7") < 120 * MEMBERS
    assert await filled.blocks("list_members", BATCH_ID, 500, 50) < 600

    dashboard = await filled.plan(DASHBOARD)
    used = {(one["Node Type"], one.get("Index Name")) for one in _nodes(dashboard)}
    assert ("Index Only Scan", "ix_documents_status_created_at") in used


async def _fill(connection: asyncpg.Connection) -> None:
    # Made anew over all rows at once: kept up with each of them they take many times as long.
    indexes = await connection.fetch(INDEXES)
    for index in indexes:
        await connection.execute(f"DROP INDEX {index['indexname']}")
    await connection.execute("ALTER TABLE documents SET UNLOGGED")
    for first in range(1, DOCUMENTS, AT_ONCE):
        await connection.execute(
            FILLING,
            first,
            first + AT_ONCE - 1,
            SCAN.media_type,
            builders.SHA256[:32],
            SCAN.content_key[:40],
        )
    for index in indexes:
        await connection.execute(index["indexdef"])
    await connection.execute(BATCHED, BATCH_ID, MEMBERS)
    for table in ("documents", "batches", "batch_members"):
        await connection.execute(f"VACUUM (ANALYZE) {table}")


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for below in plan.get("Plans", ()):
        yield from _nodes(below)

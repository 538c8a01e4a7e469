"""Documents by the million, in the tables of all five services, without carrying a single one.

What a few real ones left behind is copied, row by row, for other ids, contents and numbers, and
spread over the last month: of what is older, services delete some. So the rows are those that
the code of today writes, in every table that names a document, with the values that their
indexes look at. The marks of the inboxes are made for themselves, as they name only jobs.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import asyncpg

from tests.bench._shared.line import Database
from tests.bench._shared.report import say
from tests.system.stack import SERVICES

ROWS_A_TIME = 20_000
TELL_EVERY = 200_000
DAYS = 30
# Connections that fill: each keeps one processor of the database busy.
AT_ONCE = 2
# Written by every document on its way, by a service of its own each.
MARKS = {"extractor": "extractor.extract", "storage": "storage.store", "review": "review.open"}
# By column; `o` is the row of the original, `c` the copy. What names nothing else is as it was.
OTHERS: Mapping[str, str] = {
    "document_id": "c.document_id",
    "sha256": "c.sha256",
    # By which an invoice is known again: every one has its own.
    "number_key": "o.number_key || c.number",
    "alike_key": "o.alike_key || c.number",
}
OTHERS_OF: Mapping[tuple[str, str], str] = {
    ("review.invoice_keys", "total"): "o.total + c.number % 1000000",
    # In the order of their days and all still to come: whatever is overdue is told, so that a
    # million of them would keep the services busy with nothing else.
    ("review.review_items", "due_at"): f"o.due_at - c.age + interval '{DAYS} days'",
}
TABLES = """
SELECT format('%I.%I', n.nspname, t.relname) AS name,
       array_agg(a.attname::text ORDER BY a.attnum) AS columns,
       array_agg(a.attname::text) FILTER (WHERE a.atttypid = 'timestamptz'::regtype) AS moments
  FROM pg_class t
  JOIN pg_namespace n ON n.oid = t.relnamespace
  JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
                     AND a.attgenerated = '' AND a.attidentity = ''
 WHERE n.nspname = ANY ($1::text[]) AND t.relkind = 'r'
   AND EXISTS (SELECT FROM pg_attribute key
                WHERE key.attrelid = t.oid AND key.attname = 'document_id'
                  AND key.attnotnull)
 GROUP BY 1
"""
# An id begins with its time, as those do that we give; so the copies lie in the order of days.
COPIES = """
INSERT INTO copies
SELECT known.document_id, made.number, made.age,
       (lpad(to_hex(floor(extract(epoch FROM now() - made.age) * 1000)::bigint), 12, '0')
        || '7' || substr(md5(random()::text), 1, 19))::uuid,
       md5(random()::text) || md5(random()::text)
  FROM (SELECT number,
               make_interval(secs => ($2 - number)::float8 / $2 * $3 * 86400 + 3600) AS age
          FROM generate_series($4::bigint, $5::bigint) AS number) AS made
  JOIN (SELECT document_id, row_number() OVER () - 1 AS nth FROM unnest($1::uuid[]) AS
               given (document_id)) AS known
    ON known.nth = made.number % cardinality($1::uuid[])
"""
# Of today, whose partition is there.
MARK = """
INSERT INTO {service}.inbox (consumer, job_id, run, outcome, at)
SELECT $1, (lpad(to_hex(floor(extract(epoch FROM made.at) * 1000)::bigint), 12, '0')
            || '7' || substr(md5(random()::text), 1, 19))::uuid, 0, 'done', made.at
  FROM (SELECT now() - random() * (now() - date_trunc('day', now(), 'UTC')) AS at
          FROM generate_series(1, $2::bigint)) AS made
"""
ORIGINALS = "SELECT document_id FROM kept_ingest_documents WHERE status = 'completed'"
COUNT = "SELECT count(*) FROM ingest.documents"


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    columns: Sequence[str]
    moments: frozenset[str]

    @property
    def kept(self) -> str:
        """Where its originals are kept aside, so that copies are not looked through."""
        return "kept_" + self.name.replace(".", "_")

    @property
    def copying(self) -> str:
        values = ", ".join(map(self._value, self.columns))
        return (
            f"INSERT INTO {self.name} ({', '.join(self.columns)}) SELECT {values} "
            f"FROM {self.kept} o JOIN copies c ON c.original = o.document_id"
        )

    def _value(self, column: str) -> str:
        known = OTHERS_OF.get((self.name, column)) or OTHERS.get(column)
        return known or (f"o.{column} - c.age" if column in self.moments else f"o.{column}")


@dataclass(frozen=True, slots=True)
class Multiplier:
    """Knows the originals, so it is there before the first copy and for all sizes."""

    databases: Sequence[Database]
    tables: Sequence[Table]
    originals: Sequence[object]

    async def fill(self, count: int) -> None:
        """Until there are so many documents. Nothing may be on its way meanwhile."""
        database, *_ = self.databases
        present: int = await database.fetchval(COUNT)
        if present >= count:
            return
        say(f"from {present:,} documents to {count:,}")
        # Each takes what comes next, so none waits for the slower one.
        starts = iter(range(present, count, ROWS_A_TIME))
        async with asyncio.TaskGroup() as group:
            for one in self.databases:
                group.create_task(self._fill(one, starts, count))

    async def _fill(self, database: Database, starts: Iterator[int], count: int) -> None:
        for first in starts:
            last = min(count, first + ROWS_A_TIME)
            await self._copy(database, (first, last, count))
            if last // TELL_EVERY > first // TELL_EVERY:
                say(f"  {last:,}")

    async def _copy(self, database: Database, numbers: tuple[int, int, int]) -> None:
        first, last, count = numbers
        async with database.transaction():
            await database.execute("TRUNCATE copies")
            await database.execute(COPIES, self.originals, count, DAYS, first, last - 1)
            await database.execute("ANALYZE copies")
            for one in self.tables:
                await database.execute(one.copying)
            for service, consumer in MARKS.items():
                await database.execute(MARK.format(service=service), consumer, last - first)


@asynccontextmanager
async def multiplier(url: str) -> AsyncIterator[Multiplier]:
    """Of all documents that there are, which have come to their end."""
    async with AsyncExitStack() as stack:
        databases = []
        for _ in range(AT_ONCE):
            database = await asyncpg.connect(url)
            stack.push_async_callback(database.close)
            # Whoever fills tables is no service: nobody is told, and nothing is waited for.
            await database.execute("SET session_replication_role = replica")
            await database.execute("SET synchronous_commit = off")
            tables = await _keep_aside(database)
            databases.append(database)
        originals = [row[0] for row in await databases[0].fetch(ORIGINALS)]
        yield Multiplier(databases, tables, originals)


async def _keep_aside(database: Database) -> Sequence[Table]:
    rows = await database.fetch(TABLES, list(SERVICES))
    tables = [Table(one[0], one[1], frozenset(one[2] or ())) for one in rows]
    await database.execute(
        "CREATE TEMP TABLE copies (original uuid, number bigint, age interval, "
        "document_id uuid, sha256 text)"
    )
    for one in tables:
        await database.execute(f"CREATE TEMP TABLE {one.kept} AS SELECT * FROM {one.name}")
    return tables

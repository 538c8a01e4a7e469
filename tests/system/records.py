"""What the five services have written down about documents, read behind their backs.

An API shows what a service believes; whether anything was lost or done twice is seen only
where all five can be looked at together. Facts count as effects: an order done twice would
have told its fact twice, even where a key keeps the row from being there twice.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import asyncpg

from tests.eventually import eventually
from tests.system.client import ENDED
from tests.system.stack import SERVICES, Stack

IN_FLIGHT = frozenset({"queued", "processing"})
ONCE = ("document.accepted", "document.extracted", "document.stored", "review.opened")
EFFECTS = """
SELECT documents.document_id, documents.filename, documents.status, seen.status AS seen,
       (SELECT json_object_agg(type, told)
          FROM (SELECT type, count(*) AS told FROM ingest.document_events
                 WHERE document_id = documents.document_id GROUP BY type) AS events
       )::text AS told,
       (SELECT count(*) FROM storage.stored_results
         WHERE document_id = documents.document_id) AS results,
       (SELECT count(*) FROM review.review_items
         WHERE document_id = documents.document_id) AS items,
       -- Why, so that a test which finds one says so.
       ARRAY(SELECT origin_queue || ': ' || reason FROM monitor.dead_letters
              WHERE document_id = documents.document_id ORDER BY 1) AS letters
  FROM ingest.documents LEFT JOIN monitor.documents_seen AS seen USING (document_id)
 WHERE starts_with(filename, $1)
 ORDER BY filename
"""


@dataclass(frozen=True, slots=True)
class Balance:
    """Invariant 1: what was promised is somewhere, and in exactly one place."""

    accepted: int
    completed: int
    failed: int
    duplicate: int
    cancelled: int
    in_flight: int

    @property
    def holds(self) -> bool:
        ended = self.completed + self.failed + self.duplicate + self.cancelled
        return self.accepted == ended + self.in_flight


@dataclass(frozen=True, slots=True)
class Records:
    stack: Stack

    async def rows(self, sql: str, *given: object) -> list[Any]:
        # A connection of its own each time: servers come and go under these tests.
        connection = await asyncpg.connect(self.stack.database_url, timeout=5)
        try:
            return list(await connection.fetch(sql, *given))
        finally:
            await connection.close()

    async def documents(self, batch: str) -> set[UUID]:
        sql = "SELECT document_id FROM ingest.documents WHERE starts_with(filename, $1)"
        return {row["document_id"] for row in await self.rows(sql, batch)}

    async def statuses(self, batch: str) -> Counter[str]:
        sql = "SELECT status FROM ingest.documents WHERE starts_with(filename, $1)"
        return Counter(row["status"] for row in await self.rows(sql, batch))

    async def is_under_way(self, batch: str) -> bool:
        """Some have ended, others have not: the moment to pull the plug."""
        statuses = await self.statuses(batch)
        return statuses["completed"] >= 3 and any(statuses[one] for one in IN_FLIGHT)

    async def has_some(self, batch: str) -> bool:
        return (await self.statuses(batch)).total() >= 3

    async def has_ended(self, batch: str, *, count: int) -> bool:
        statuses = await self.statuses(batch)
        # Asserted, so that whoever waits in vain is told how far they came.
        assert sum(statuses[one] for one in ENDED) == count, statuses
        return True

    async def is_quiet(self) -> bool:
        """Nobody owes a message and no queue holds one: nothing will happen any more."""
        if not await self.all_is_sent():
            return False
        # What is in hand counts as in the queue; committed meanwhile, it is owed again.
        return not await self.stack.messages_in_queues() and await self.all_is_sent()

    async def all_is_sent(self) -> bool:
        counts = " + ".join(f"(SELECT count(*) FROM {one}.outbox)" for one in SERVICES)
        [row] = await self.rows(f"SELECT {counts} AS owed")
        return not int(row["owed"])

    async def require_each_once(self, batch: str, *, count: int) -> None:
        """All were read, and each left one effect of every kind, nothing more."""
        await eventually(self.is_quiet, within_s=30, every_s=0.25)
        # After a restart the broker tells of some queues what was true seconds ago: what is
        # missing may still be on its way. What is there twice stays.
        await eventually(lambda: self._is_done_once(batch, count), within_s=30, every_s=0.25)
        found = await self.rows(EFFECTS, batch)
        # A crash between a commit and its dated files leaves them to storage's repair, which
        # looks after what has been committed for a while.
        await eventually(lambda: self._have_files(found), within_s=60)

    async def _is_done_once(self, batch: str, count: int) -> bool:
        found = await self.rows(EFFECTS, batch)
        assert len(found) == count
        odd = [dict(row) for row in found if not _is_done_once(row)]
        assert not odd, odd
        return True

    async def require_balance(self, promised: set[UUID]) -> None:
        balance = await self.balance(promised)
        assert balance.holds, balance

    async def balance(self, promised: set[UUID]) -> Balance:
        """Accepted is what clients were told, not what is in the table."""
        sql = "SELECT status, count(*) FROM ingest.documents GROUP BY status"
        counts = {row["status"]: row["count"] for row in await self.rows(sql)}
        return Balance(
            accepted=len(promised),
            completed=counts.get("completed", 0),
            failed=counts.get("failed", 0),
            duplicate=counts.get("duplicate", 0),
            cancelled=counts.get("cancelled", 0),
            in_flight=sum(counts.get(one, 0) for one in IN_FLIGHT),
        )

    def files(self, document_id: UUID, suffix: str) -> Sequence[bytes]:
        """The current result as an analyst finds it."""
        found = self.stack.blobs.glob(f"data/{suffix}/*/*/*/{document_id}.{suffix}")
        return [path.read_bytes() for path in found]

    async def _have_files(self, found: Sequence[Any]) -> bool:
        missing = [row["document_id"] for row in found if not self._has_files(row)]
        assert not missing, missing
        return True

    def _has_files(self, row: Any) -> bool:  # noqa: ANN401 -- asyncpg's record has no types
        document_id = row["document_id"]
        return all(len(self.files(document_id, one)) == 1 for one in ("json", "parquet"))


def _is_done_once(row: Any) -> bool:  # noqa: ANN401 -- asyncpg's record has no types
    told = Counter[str](json.loads(row["told"]))
    return (
        row["status"] == row["seen"] == "completed"
        and all(told[kind] == 1 for kind in ONCE)
        and (row["results"], row["items"], row["letters"]) == (1, 1, [])
    )

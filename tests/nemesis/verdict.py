"""What became of every document that was promised, as seen in the books of all services."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from typing import Any, Protocol
from uuid import UUID

from tests.system.client import ENDED
from tests.system.records import IN_FLIGHT, ONCE

BECAME = """
SELECT documents.document_id, documents.status, seen.status AS seen, documents.attempts,
       documents.run, documents.completed_at,
       (SELECT json_object_agg(type, told)
          FROM (SELECT type, count(*) AS told FROM ingest.document_events
                 WHERE document_id = documents.document_id GROUP BY type) AS events
       )::text AS told,
       -- Without the versions that a person made of one.
       (SELECT count(*) FROM storage.stored_results
         WHERE document_id = documents.document_id AND verdict IS NULL) AS readings,
       (SELECT count(*) FROM review.review_items
         WHERE document_id = documents.document_id) AS items,
       (SELECT count(*) FROM monitor.dead_letters
         WHERE document_id = documents.document_id) AS letters,
       (SELECT count(*) FROM monitor.dead_letters
         WHERE document_id = documents.document_id
           AND state IN ('open', 'replaying')) AS letters_left
  FROM ingest.documents LEFT JOIN monitor.documents_seen AS seen USING (document_id)
 WHERE starts_with(documents.filename, $1)
"""
# These have one item each; what was cancelled may have been so before there was one.
READ = frozenset({"completed", "duplicate"})


class Books(Protocol):
    """Of all services, to be looked into."""

    async def rows(self, sql: str, *given: object) -> Sequence[Any]: ...


class Promised(Protocol):
    """Whoever handed documents in under one name, and remembers what was said to it."""

    @property
    def name(self) -> str: ...

    @property
    def promised(self) -> set[UUID]: ...

    @property
    def read_anew(self) -> set[UUID]: ...

    @property
    def cancelled(self) -> set[UUID]: ...


@dataclass(frozen=True, slots=True)
class Verdict:
    documents: int
    # Promised, and not ended well or by their client's own wish.
    lost: Mapping[UUID, str]
    # With an effect that is there twice.
    doubled: Mapping[UUID, str]
    # Ended well after something had failed.
    recovered: int
    longest_gap: timedelta

    @property
    def holds(self) -> bool:
        return not self.lost and not self.doubled

    def __str__(self) -> str:
        return (
            f"{self.documents} documents, {len(self.lost)} lost, {len(self.doubled)} doubled, "
            f"{self.recovered} recovered, "
            f"longest gap {self.longest_gap.total_seconds():.1f} s"
        )


async def all_have_ended(records: Books, by: Promised) -> bool:
    """Asserted, so that whoever waits in vain is told what is missing."""
    found = await books(records, by)
    left = {
        str(row["document_id"]): (row["status"], row["letters_left"])
        for row in found
        if row["status"] in IN_FLIGHT or row["status"] == "failed" or row["letters_left"]
    }
    assert not left, left
    return True


async def books(records: Books, by: Promised) -> Sequence[Any]:
    return await records.rows(BECAME, by.name)


async def judged(records: Books, by: Promised) -> Verdict:
    found = {row["document_id"]: row for row in await books(records, by)}
    promised = by.promised
    lost = {one: "nowhere" for one in promised - set(found)}
    lost |= {
        one: why
        for one, row in found.items()
        if (why := _missing(row, was_cancelled=one in by.cancelled))
    }
    doubled = {
        one: why
        for one, row in found.items()
        if (why := _twice(row, was_read_anew=one in by.read_anew))
    }
    ends = sorted(row["completed_at"] for row in found.values() if row["completed_at"])
    gaps = [later - earlier for earlier, later in pairwise(ends)]
    troubled = [row for row in found.values() if row["attempts"] > 1 or row["run"] > 0]
    return Verdict(
        documents=len(found),
        lost=lost,
        doubled=doubled,
        recovered=sum(row["status"] in ENDED - {"failed"} for row in troubled),
        longest_gap=max(gaps, default=timedelta()),
    )


def _missing(row: Any, *, was_cancelled: bool) -> str:  # noqa: ANN401 -- asyncpg has no types
    if row["status"] not in ENDED - {"failed"}:
        return f"it is {row['status']}"
    if row["status"] == "cancelled" and not was_cancelled:
        return "it is cancelled, and nobody wished so"
    if row["status"] != row["seen"]:
        return f"it is {row['status']}, and the monitor believes {row['seen']}"
    if row["status"] in READ and not row["items"]:
        return "nobody can review it"
    if row["status"] in READ and not row["readings"]:
        return "it has no result"
    return ""


def _twice(row: Any, *, was_read_anew: bool) -> str:  # noqa: ANN401
    told: Mapping[str, int] = json.loads(row["told"])
    if told.get("document.accepted") != 1:
        return f"accepted {told.get('document.accepted')} times"
    if row["items"] > 1:
        return f"{row['items']} review items"
    if was_read_anew or row["run"] > 0:
        return ""
    often = {kind: told[kind] for kind in ONCE if told.get(kind, 0) > 1}
    if row["readings"] > 1:
        often["readings"] = row["readings"]
    return f"told more than once: {often}" if often else ""

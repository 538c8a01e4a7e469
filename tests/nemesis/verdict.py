"""What became of every document that was promised, as seen in the books of all services.

Facts are counted run by run: whoever was sent back or ordered again tells them once more, and
never twice in one run.
"""

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import pairwise
from typing import Any, Protocol
from uuid import UUID

from tests.system.client import ENDED
from tests.system.records import IN_FLIGHT, ONCE

BECAME = """
SELECT documents.document_id, documents.status, seen.status AS seen, documents.attempts,
       documents.run, documents.completed_at,
       (SELECT json_agg(json_build_array(type, run, told))
          FROM (SELECT type, run, count(*) AS told FROM monitor.document_facts
                 WHERE document_id = documents.document_id GROUP BY type, run) AS facts
       )::text AS told,
       -- Without the versions that a person made of one.
       (SELECT count(*) FROM storage.stored_results
         WHERE document_id = documents.document_id AND verdict IS NULL) AS readings,
       (SELECT count(*) FROM review.review_items
         WHERE document_id = documents.document_id) AS items,
       ARRAY(SELECT reason FROM monitor.dead_letters
              WHERE document_id = documents.document_id ORDER BY arrived_at) AS letters,
       (SELECT count(*) FROM monitor.dead_letters
         WHERE document_id = documents.document_id
           AND state IN ('open', 'replaying')) AS letters_left
  FROM ingest.documents LEFT JOIN monitor.documents_seen AS seen USING (document_id)
 WHERE starts_with(documents.filename, $1)
"""
STRAYS = """
SELECT letter_id, origin_queue, reason FROM monitor.dead_letters
 WHERE document_id IS NULL AND arrived_at >= $1
"""
UNREADABLE = """
SELECT document_id, status,
       ARRAY(SELECT reason FROM monitor.dead_letters
              WHERE document_id = documents.document_id) AS letters
  FROM ingest.documents WHERE starts_with(filename, $1)
"""
OF_WHAT_NOBODY_CAN_READ = frozenset({"encrypted"})
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
    # Given up for a reason that nothing which was done to the system may cause.
    wronged: Mapping[UUID, str] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        return not self.offenders

    @property
    def offenders(self) -> Mapping[str, Mapping[UUID, str]]:
        found = {"lost": self.lost, "doubled": self.doubled, "wronged": self.wronged}
        return {what: which for what, which in found.items() if which}

    def __str__(self) -> str:
        return (
            f"{self.documents} documents, {len(self.lost)} lost, {len(self.doubled)} doubled, "
            f"{len(self.wronged)} wronged, {self.recovered} recovered, "
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


async def judged(
    records: Books, by: Promised, *, may_die_of: Collection[str] | None = None
) -> Verdict:
    """`may_die_of`: the reasons that a letter may have; None allows every reason."""
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
        wronged={one: why for one, row in found.items() if (why := _wrongly(row, may_die_of))},
    )


def apart(name: str) -> str:
    """Under which name somebody hands in what nobody can read."""
    return f"locked-{name}"


async def misjudged(
    records: Books, by: Promised, *, may_die_of: Collection[str]
) -> Mapping[UUID, str]:
    """What nobody can read and was not given up, or for another reason than that."""
    allowed = OF_WHAT_NOBODY_CAN_READ | set(may_die_of)
    return {
        row["document_id"]: f"nobody can read it, and it is {row['status']}: {row['letters']}"
        for row in await records.rows(UNREADABLE, apart(by.name))
        if row["status"] != "failed" or not row["letters"] or set(row["letters"]) - allowed
    }


async def strays(records: Books, since: object) -> Mapping[UUID, str]:
    """Letters of no document: something was on its way that nobody could read."""
    return {
        row["letter_id"]: f"{row['origin_queue']}: {row['reason']}"
        for row in await records.rows(STRAYS, since)
    }


def nothing_known(by: Promised, why: str) -> Verdict:
    """Where the books cannot be read, nothing that was promised counts as kept."""
    lost = dict.fromkeys(by.promised, why)
    return Verdict(len(lost), lost, {}, recovered=0, longest_gap=timedelta())


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
    told = {(kind, run): count for kind, run, count in json.loads(row["told"] or "[]")}
    totals = Counter[str]()
    for (kind, _), count in told.items():
        totals[kind] += count
    if totals["document.accepted"] != 1:
        return f"accepted {totals['document.accepted']} times"
    if row["items"] > 1:
        return f"{row['items']} review items"
    if was_read_anew and row["letters"]:
        # A letter of before that is sent back counts on to the same run as the wish.
        return ""
    often = {
        f"{kind} in run {run}": n for (kind, run), n in told.items() if kind in ONCE and n > 1
    }
    runs = sum(kind == "document.stored" for kind, _ in told)
    if row["readings"] > max(1, runs):
        often["readings"] = row["readings"]
    return f"told more than once: {often}" if often else ""


def _wrongly(row: Any, may_die_of: Collection[str] | None) -> str:  # noqa: ANN401
    if may_die_of is None:
        return ""
    wrong = [one for one in row["letters"] if one not in may_die_of]
    return f"given up for {', '.join(wrong)}" if wrong else ""

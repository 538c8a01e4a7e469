"""What it takes to carry a backlog through all five services, to the last message.

The backlog is handed in while the first queue is held, so that accepting and carrying are told
apart; then it is let go. It is over when the status view and the monitor know the end of every
document, every review item is there, every file has its name, and nobody owes a message.
"""

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from tests.bench._shared.line import Line
from tests.bench._shared.used import Spent
from tests.eventually import eventually
from tests.system.stack import SERVICES

LOOK_EVERY_S = 0.25
LOOKS = 4
REST_WITHIN_S = 600.0
# The slowest that is worth waiting for.
DOCUMENTS_PER_S_MIN = 5.0
OPEN = "('queued', 'processing')"
OWED = " + ".join(f"(SELECT count(*) FROM {one}.outbox)" for one in SERVICES)
# Each part is answered by an index, however much lies in the tables.
LEFT = f"""
SELECT (SELECT count(*) FROM ingest.documents WHERE status IN {OPEN})
     + (SELECT count(*) FROM monitor.documents_seen WHERE status IN {OPEN})
     + (SELECT count(*) FROM storage.outputs WHERE published_at IS NULL)
     + {OWED}
"""
HEARD = "SELECT count(*) FROM monitor.documents_seen WHERE accepted_at >= $1"
OPENED = "SELECT count(*) FROM review.review_items WHERE accepted_at >= $1 AND opened_at >= $1"
ENDS = """
SELECT status, count(*) FROM ingest.documents WHERE created_at >= $1 GROUP BY status
"""
WHEN = """
SELECT extract(epoch FROM (SELECT max(opened_at) FROM review.review_items
                            WHERE opened_at >= $1) - $2)::float8 AS reviewed_s,
       extract(epoch FROM (SELECT max(completed_at) FROM ingest.documents
                            WHERE created_at >= $1) - $2)::float8 AS ended_s
"""


@dataclass(frozen=True, slots=True)
class Passage:
    count: int
    handed_in: Spent
    carried: Spent
    # Since it was let go: until the last review item was opened, and until the status view
    # knew the last end.
    reviewed_s: float
    ended_s: float

    @property
    def rate(self) -> float:
        return self.count / self.ended_s

    @property
    def cpu_us(self) -> float:
        """Of one document, carried from the first queue to the end."""
        return self.carried.total_s / self.count * 1e6

    @property
    def whole_cpu_us(self) -> float:
        """From the upload on."""
        return (self.handed_in.total_s + self.carried.total_s) / self.count * 1e6


async def carry(
    line: Line, contents: Sequence[bytes], *, end: str = "completed", priority: str = ""
) -> Passage:
    began_at: datetime = await line.database.fetchval("SELECT clock_timestamp()")
    await line.hold()
    # What was written before is on the disk, so that nobody pays for another's bytes.
    await asyncio.to_thread(os.sync)
    before = line.used()
    await line.hand_in(contents, priority=priority)
    # The facts of acceptance have been told, and belong to the handing in.
    await _until(line, HEARD, began_at, len(contents))
    accepted = line.used()
    await line.database.execute("CHECKPOINT")
    waiting = line.used()
    await line.let_go()
    let_go_at: datetime = await line.database.fetchval("SELECT clock_timestamp()")
    await _until(line, OPENED, began_at, len(contents))
    await eventually(lambda: _is_over(line), within_s=60, every_s=LOOK_EVERY_S)
    over = line.used()
    ends = {one[0]: one[1] for one in await line.database.fetch(ENDS, began_at)}
    if ends != {end: len(contents)}:
        raise RuntimeError(
            f"{len(contents)} documents were to end as {end}, and did so: {ends}"
        )
    took = await line.database.fetchrow(WHEN, began_at, let_go_at)
    assert took is not None
    return Passage(len(contents), accepted.since(before), over.since(waiting), took[0], took[1])


async def _until(line: Line, question: str, since: datetime, count: int) -> None:
    async def are_there() -> bool:
        found: int = await line.database.fetchval(question, since)
        assert found >= count, f"{found} of {count}"
        return True

    within_s = 30 + count / DOCUMENTS_PER_S_MIN
    await eventually(are_there, within_s=within_s, every_s=LOOK_EVERY_S)


async def come_to_rest(line: Line) -> None:
    """Nobody owes a message, and none is on its way."""
    quiet = 0

    async def all_ended() -> bool:
        nonlocal quiet
        at_rest = await _is_over(line) and not await line.stack.messages_in_queues()
        # Once may be between two messages.
        quiet = quiet + 1 if at_rest else 0
        return quiet == LOOKS

    await eventually(all_ended, within_s=REST_WITHIN_S, every_s=LOOK_EVERY_S)


async def _is_over(line: Line) -> bool:
    return not await line.database.fetchval(LEFT)

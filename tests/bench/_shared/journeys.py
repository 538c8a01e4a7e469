"""How long single documents are on their way, from the first byte sent to the last row written.

A document has arrived when all who are to know it do: the status view and the monitor know its
end, and its review item is there. That is asked of the database every other millisecond, which
is a little dearer for the machine, and later than the truth by as much.
"""

import math
import time
from collections.abc import Sequence
from uuid import UUID

from tests.bench._shared.line import Line, Sending
from tests.eventually import eventually

LOOK_EVERY_S = 0.002
JOURNEY_S_MAX = 60.0
ARRIVED = """
SELECT EXISTS (SELECT FROM ingest.documents
                WHERE document_id = $1 AND completed_at IS NOT NULL)
   AND EXISTS (SELECT FROM review.review_items WHERE document_id = $1)
   AND EXISTS (SELECT FROM monitor.documents_seen
                WHERE document_id = $1 AND status NOT IN ('queued', 'processing'))
"""
MOMENTS = """
SELECT type, percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) AS ms
  FROM (SELECT type, extract(epoch FROM at - created_at) * 1000 AS ms
          FROM (SELECT document_id, created_at
                  FROM ingest.documents ORDER BY created_at DESC LIMIT $1) AS latest
          JOIN ingest.document_events USING (document_id)) AS told
 GROUP BY type ORDER BY ms
"""


async def moments_ms(line: Line, count: int) -> dict[str, float]:
    """What is told of the latest so many, each at its median since they were accepted."""
    return {row["type"]: row["ms"] for row in await line.database.fetch(MOMENTS, count)}


async def journeys(
    line: Line, contents: Sequence[bytes], *, every_s: float, priority: str = ""
) -> list[float]:
    """In seconds, one document at a time, at most one every so often."""
    took = []
    async with line.sending(priority=priority) as send:
        for content in contents:
            next_at = time.monotonic() + every_s
            took.append(await _journey(line, send, content))
            await _until(next_at)
    return took


async def _journey(line: Line, send: Sending, content: bytes) -> float:
    began_at = time.monotonic()
    document_id = await send(content)
    await eventually(
        lambda: _has_arrived(line, document_id), within_s=JOURNEY_S_MAX, every_s=LOOK_EVERY_S
    )
    return time.monotonic() - began_at


async def _until(moment: float) -> None:
    await eventually(lambda: time.monotonic() >= moment, every_s=LOOK_EVERY_S)


async def _has_arrived(line: Line, document_id: UUID) -> bool:
    return bool(await line.database.fetchval(ARRIVED, document_id))


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that so many of them do not exceed."""
    return sorted(values)[max(0, math.ceil(len(values) * percent / 100) - 1)]

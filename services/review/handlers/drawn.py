"""What was drawn is kept as long as it is of use: with its content, and within a limit.

It can all be drawn again, so what nobody looks at goes first and nobody asks; but what is left
of a deleted document would be a leak, so that goes before the deletion is reported.
"""

import asyncio
import logging
from collections.abc import Sequence

from services.review.domain.pages import drawn_prefix
from services.review.ports import Ports
from shared.errors import Retryable
from shared.ledger.port import Unit
from shared.observability.metrics import PAGES_DROPPED

log = logging.getLogger(__name__)

AT_ONCE = 100


async def erase_drawn(
    unit: Unit, contents: Sequence[str], use: Ports, *, also_wanted: bool = False
) -> int:
    """Within the locks of these contents: nobody keeps anything new until we have committed."""
    gone = await use.pages.records.forget_drawn(unit, contents, also_wanted=also_wanted)
    for sha256 in gone:
        async for key in use.blobs.list(drawn_prefix(sha256)):
            await use.blobs.delete(key)
    return len(gone)


async def keep_dropping(use: Ports, *, every_s: float) -> None:
    """Until cancelled."""
    while True:
        try:
            while await drop_excess(use):
                continue
        except Retryable as away:
            log.info("dropping_waits", extra={"error": str(away)})
        await asyncio.sleep(every_s)


async def drop_excess(use: Ports) -> int:
    """How many contents were dropped."""
    limits = use.pages.limits
    excess = await use.pages.records.list_excess(
        bytes_max=limits.drawn_bytes_max, unused_s=limits.unused_s, limit=AT_ONCE
    )
    for sha256 in excess:
        async with use.ledger.unit() as unit:
            await use.pages.records.lock_contents(unit, [sha256])
            PAGES_DROPPED.inc(await erase_drawn(unit, [sha256], use, also_wanted=True))
    return len(excess)

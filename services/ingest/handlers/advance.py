"""Move batches on that could go on and do not.

Every end of a member moves its batch in its own commit, so nothing should ever be found. This
is for what nobody thought of, and for a limit that was raised meanwhile: without it a batch
with no member under way would wait for an end that never comes.
"""

import asyncio
import logging

from services.ingest.handlers.settle import announce
from services.ingest.ports import Ports
from shared.errors import Retryable

log = logging.getLogger(__name__)

BATCHES_AT_ONCE = 100


async def keep_advancing(use: Ports, *, every_s: float) -> None:
    """Until cancelled, on every replica: a batch that one of them moves the others skip."""
    while True:
        try:
            await advance_stalled(use)
        except Retryable as away:
            log.info("advancer_waits", extra={"error": str(away)})
        await asyncio.sleep(every_s)


async def advance_stalled(use: Ports) -> int:
    """How many could go on. The look takes no lock; what it saw is counted again under one."""
    stalled = await use.batches.find_stalled(limit=BATCHES_AT_ONCE)
    if not stalled:
        return 0
    async with use.ledger.unit() as unit:
        await announce(unit, await use.batches.advance_stalled(unit, stalled), use)
    log.info("batches_advanced", extra={"batches": [str(one) for one in stalled]})
    use.ring()
    return len(stalled)

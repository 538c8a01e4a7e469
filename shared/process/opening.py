"""The pool of a process: waited for while the server is away, refused when it is unsafe."""

import asyncio
import logging

from shared.database.durability import lost_on_a_crash
from shared.database.pool import Pool, open_pool
from shared.errors import Retryable
from shared.observability.metrics import POOL_WAIT_SECONDS
from shared.process.drain import Lifetime
from shared.process.settings import ProcessSettings

RECONNECT_S = 1.0

log = logging.getLogger(__name__)


async def open_database(name: str, settings: ProcessSettings, life: Lifetime) -> Pool | None:
    """None when the process was told to end, or must not work on what it found."""
    while not life.stopping.is_set():
        try:
            return await _opened(name, settings, life)
        except Retryable as away:
            log.warning("database_away", extra={"error": str(away)})
            await asyncio.sleep(RECONNECT_S)
    return None


async def _opened(name: str, settings: ProcessSettings, life: Lifetime) -> Pool | None:
    pool = await open_pool(
        settings.database(),
        schema=name,
        application=f"paperline-{name}",
        on_wait=POOL_WAIT_SECONDS.observe,
    )
    refused = True
    try:
        if unsafe := await lost_on_a_crash(pool):
            life.refuse(unsafe)
            return None
        refused = False
        return pool
    finally:
        if refused:
            await pool.close()

"""Forget answers past their time and leases of the dead, or the tables would only ever grow."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from services.extractor.ports import Ports
from shared.errors import Retryable
from shared.ledger.port import Unit

log = logging.getLogger(__name__)

EVERY_S = 3600.0
AT_ONCE = 1000


async def keep_forgetting(use: Ports) -> None:
    """Until cancelled. Replicas do it side by side: rows that another deletes are skipped."""
    while True:
        try:
            await forget_expired(use)
        except Retryable as away:
            log.info("forgetting_waits", extra={"error": str(away)})
        await asyncio.sleep(EVERY_S)


async def forget_expired(use: Ports, *, at_once: int = AT_ONCE) -> None:
    async def answers(unit: Unit) -> int:
        return await use.processed.purge_processed(unit, use.terms.cache_ttl_s, at_once)

    async def leases(unit: Unit) -> int:
        return await use.leases.purge_leases(unit, at_once)

    async def readings(unit: Unit) -> int:
        return await use.own_readings.purge_own_readings(unit, use.terms.patience_s, at_once)

    for purge in (answers, leases, readings):
        await _in_portions(purge, at_once, use)


async def _in_portions(
    purge: Callable[[Unit], Awaitable[int]], at_once: int, use: Ports
) -> None:
    gone = at_once
    while gone == at_once:
        async with use.ledger.unit() as unit:
            gone = await purge(unit)

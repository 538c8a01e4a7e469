"""Hold a lock of the database while something slow is done beside it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from services.storage.ports.days import Days
from shared.ledger.port import Unit

BEAT_S = 5.0
# For a write of one file, tried again as often as the store tries.
WRITE_S = 120.0


@asynccontextmanager
async def held(unit: Unit, days: Days) -> AsyncIterator[None]:
    """Within it nobody else may use the unit, which is kept from being ended as forgotten. If
    it is lost all the same, what is done under its lock is broken off."""
    done = asyncio.Event()
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(_beat(unit, days, done))
            try:
                yield
            finally:
                # Not cancelled: that would break off a statement, and the transaction with it.
                done.set()
    except ExceptionGroup as told:
        raise told.exceptions[0] from told


async def _beat(unit: Unit, days: Days, done: asyncio.Event) -> None:
    while not done.is_set():
        try:
            await asyncio.wait_for(done.wait(), BEAT_S)
        except TimeoutError:
            await days.keep_alive(unit)

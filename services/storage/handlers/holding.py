"""Hold a lock of the database while something slow is done beside it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager

from services.storage.ports.days import Days
from shared.ledger.port import Unit

BEAT_S = 5.0


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


async def to_its_end(work: Awaitable[None]) -> None:
    """Who breaks it off is held up until it is over: nothing of it happens behind his back."""
    over = asyncio.Event()

    async def run() -> None:
        try:
            await work
        finally:
            over.set()

    try:
        await asyncio.shield(run())
    except asyncio.CancelledError:
        await over.wait()
        raise


async def _beat(unit: Unit, days: Days, done: asyncio.Event) -> None:
    while not done.is_set():
        try:
            await asyncio.wait_for(done.wait(), BEAT_S)
        except TimeoutError:
            await days.keep_alive(unit)

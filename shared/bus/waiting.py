"""Waiting for one of two: an event, or the end of a while."""

import asyncio


async def happens(event: asyncio.Event, *, within_s: float) -> bool:
    """True as soon as the event is set, False when the time has passed without it."""
    try:
        async with asyncio.timeout(within_s):
            return await event.wait()
    except TimeoutError:
        return False

"""Waiting for one of two: an event, or the end of a while; and for the next beat.

What is done now and then is done on common beats: to wake an idle process costs more than most
of what it then does.
"""

import asyncio

# Timers are as exact as that; who is woken too early must not wait for the same beat again.
EXACT_S = 0.005


async def happens(event: asyncio.Event, *, within_s: float) -> bool:
    """True as soon as the event is set, False when the time has passed without it."""
    try:
        async with asyncio.timeout(within_s):
            return await event.wait()
    except TimeoutError:
        return False


def until_beat(every_s: float) -> float:
    """The seconds until the next moment that is a multiple of so many, at most that many."""
    left_s = every_s - asyncio.get_running_loop().time() % every_s
    return left_s if left_s > EXACT_S else left_s + every_s

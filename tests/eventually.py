"""Waiting for a fact: the only place where a test may sleep.

A fixed pause is either too short on a busy machine or too long on every other; asking again
until the fact holds is neither, and says what was missing when it never did.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable

WITHIN_S = 10.0
EVERY_S = 0.02


async def eventually(
    fact: Callable[[], Awaitable[object]] | Callable[[], object],
    *,
    within_s: float = WITHIN_S,
    every_s: float = EVERY_S,
) -> None:
    """Returns as soon as `fact` is true; an AssertionError raised by it counts as not yet."""
    ends_at = time.monotonic() + within_s
    while True:
        missing: AssertionError | None = None
        try:
            answer = fact()
            if isinstance(answer, Awaitable):
                answer = await answer
            if answer:
                return
        except AssertionError as error:
            missing = error
        if time.monotonic() >= ends_at:
            raise AssertionError(f"not within {within_s} s: {fact}") from missing
        await asyncio.sleep(every_s)

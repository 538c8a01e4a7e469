"""Time itself, for those who act by a plan: between two troubles no fact is waited for."""

import asyncio
import time


async def a_while(seconds: float) -> None:
    await asyncio.sleep(max(0.0, seconds))


async def until(moment: float) -> None:
    """Of the clock that only goes forward."""
    await a_while(moment - time.monotonic())

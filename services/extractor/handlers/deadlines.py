"""One time limit for all that a delivery does, handed down to every step.

Each engine has a limit of its own, and those of several would add up past what the consumer
gives the delivery. So whatever is begun runs inside what is left of this one, which ends early
enough that the answer can still be kept.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from shared.errors import Retryable

# A limit that ends together with this one would never be heard of: it leaves a fallback.
GRACE_S = 10.0


class Deadline:
    def __init__(self, seconds: float, now: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._now = now
        self._ends_at = now() + seconds

    def left_s(self) -> float:
        """For an engine. Whoever keeps to it still has the time to say how it ended."""
        return self._ends_at - self._now()

    @asynccontextmanager
    async def kept(self) -> AsyncIterator[None]:
        """Raises Retryable where the block is not done by then, or a little later."""
        try:
            async with asyncio.timeout(self.left_s() + GRACE_S) as limit:
                yield
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise Retryable(f"not read within {self._seconds:g} s") from error

"""One at a time for each thing that is made, and few at once of all: the others wait and share.

Forty people who open the same page make one picture. What was refused is remembered for a
while: a file that takes its whole time to fail would take it from everybody, again and again.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from shared.errors import Rejected, Retryable

REMEMBERED_MAX = 1000


class Turns:
    def __init__(
        self,
        at_once: int,
        *,
        patience_s: float = 10.0,
        refusal_s: float = 600.0,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._room = asyncio.Semaphore(at_once)
        self._patience_s = patience_s
        self._refusal_s = refusal_s
        self._monotonic = monotonic
        self._locks: dict[str, tuple[asyncio.Lock, int]] = {}
        self._refusals: OrderedDict[str, tuple[float, Rejected]] = OrderedDict()

    @asynccontextmanager
    async def one_of(self, key: str) -> AsyncIterator[None]:
        """Nobody else is at the same thing in this process."""
        lock, waiting = self._locks.get(key, (asyncio.Lock(), 0))
        self._locks[key] = (lock, waiting + 1)
        try:
            async with lock:
                yield
        finally:
            _, waiting = self._locks.pop(key)
            if waiting > 1:
                self._locks[key] = (lock, waiting - 1)

    @asynccontextmanager
    async def room(self) -> AsyncIterator[None]:
        """Raises Retryable when there was none for too long."""
        try:
            async with asyncio.timeout(self._patience_s):
                await self._room.acquire()
        except TimeoutError as error:
            raise Retryable("too many pages are being drawn", after_s=2) from error
        try:
            yield
        finally:
            self._room.release()

    def check(self, key: str) -> None:
        """Raises what it was refused with a while ago."""
        known = self._refusals.get(key)
        if known is None:
            return
        until, refusal = known
        if self._monotonic() < until:
            raise Rejected(refusal.reason, refusal.detail)
        del self._refusals[key]

    def remember(self, key: str, refusal: Rejected) -> None:
        self._refusals[key] = (self._monotonic() + self._refusal_s, refusal)
        if len(self._refusals) > REMEMBERED_MAX:
            self._refusals.popitem(last=False)

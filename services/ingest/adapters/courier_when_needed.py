"""The courier of an installation that may have no webhook: made for its first delivery.

Its library and the list of authorities that certify endpoints take memory for good.
"""

import asyncio
from collections.abc import Callable, Mapping

from services.ingest.domain.webhooks import Answer
from services.ingest.ports.webhooks import Courier


class CourierWhenNeeded:
    def __init__(self, make: Callable[[], Courier]) -> None:
        self._make = make
        self._made: Courier | None = None
        self._turn = asyncio.Lock()

    async def carry(self, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        courier = self._made or await self._first()
        return await courier.carry(url, headers, body)

    async def _first(self) -> Courier:
        async with self._turn:
            if self._made is None:
                # Reading a library and a file of certificates is slow: others go on meanwhile.
                self._made = await asyncio.to_thread(self._make)
            return self._made

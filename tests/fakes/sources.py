"""A source in a dictionary. It behaves like the real ones and passes the suite of all."""

import asyncio
from collections.abc import AsyncIterator, Mapping

from shared.blobs.pieces import PIECE_BYTES
from shared.blobs.source import away, source_key
from shared.errors import Rejected


class InMemorySource:
    def __init__(self, objects: Mapping[str, bytes] | None = None) -> None:
        self.objects = dict(objects or {})
        self.away = False
        self.asked = 0
        # Cleared, it has begun to answer and goes no further.
        self.flows = asyncio.Event()
        self.flows.set()

    async def stream(self, key: str, *, version_id: str | None = None) -> AsyncIterator[bytes]:
        self.asked += 1
        if self.away:
            raise away(ConnectionError("nobody answers"))
        data = self.objects.get(source_key(key))
        if data is None or version_id is not None:
            raise Rejected("source_missing", key)
        await self.flows.wait()
        for at in range(0, len(data), PIECE_BYTES):
            yield data[at : at + PIECE_BYTES]

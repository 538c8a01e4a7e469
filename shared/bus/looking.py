"""How full queues are and who takes from them, asked of the broker itself: no plugin is needed.

Whoever watches a page asks all the time, so the connection stays, and one answer serves
everybody for a moment. Declaring passively changes nothing.
"""

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from aio_pika.abc import AbstractConnection
from aiormq.abc import AbstractChannel
from aiormq.exceptions import ChannelAccessRefused, ChannelNotFoundEntity

from shared.bus.losses import BROKER_ERRORS, loss_as_error
from shared.dialling import dial
from shared.errors import Retryable

FRESH_S = 1.0


@dataclass(frozen=True, slots=True)
class Depth:
    queue: str
    ready: int
    consumers: int


class QueueLooker:
    def __init__(self, url: str, queues: Sequence[str], timeout_s: float) -> None:
        self._url = url
        self._queues = queues
        self._timeout_s = timeout_s
        self._turn = asyncio.Lock()
        self._connection: AbstractConnection | None = None
        self._known: list[Depth] = []
        self._known_at = -FRESH_S

    async def look(self) -> list[Depth]:
        """Of those that exist. Raises Retryable when the broker is away."""
        async with self._turn:
            if time.monotonic() - self._known_at >= FRESH_S:
                self._known = await self._ask()
                self._known_at = time.monotonic()
            return self._known

    async def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(*BROKER_ERRORS), loss_as_error():
                async with asyncio.timeout(self._timeout_s):
                    await connection.close()

    async def _ask(self) -> list[Depth]:
        try:
            with loss_as_error():
                async with asyncio.timeout(self._timeout_s):
                    return await self._ask_all()
        except BROKER_ERRORS as error:
            await self.close()
            raise Retryable(f"broker away: {error!r}", dependency="broker") from error

    async def _ask_all(self) -> list[Depth]:
        if self._connection is None or self._connection.is_closed:
            self._connection = await dial(self._url, name="paperline-look")
        transport = self._connection.transport
        if transport is None:
            raise ConnectionError("the broker closed the connection")
        found: list[Depth] = []
        channel: AbstractChannel | None = None
        for name in self._queues:
            if channel is None or channel.is_closed:
                # A queue that is missing costs its channel.
                channel = await transport.connection.channel()
            with suppress(ChannelNotFoundEntity, ChannelAccessRefused):
                told = await channel.queue_declare(name, passive=True)
                found.append(Depth(name, told.message_count or 0, told.consumer_count or 0))
        if channel is not None and not channel.is_closed:
            await channel.close()
        return found

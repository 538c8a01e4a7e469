"""One connection to the broker for one purpose, kept up for the life of the process.

Publishing and consuming use separate connections: the broker stops reading from publishers
during an alarm, and acknowledgements must not wait behind them. Reconnecting is done here and
not by the client library, so that there is one place where a consumer can be lost, and the
same place brings it back.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aio_pika.abc
from aiormq.abc import AbstractChannel, AbstractConnection
from yarl import URL

from shared.bus.losses import BROKER_ERRORS, loss_as_error
from shared.bus.waiting import until_beat
from shared.dialling import dial
from shared.errors import Retryable
from shared.observability.metrics import AMQP_CONNECTION_BLOCKED, RECONNECTS

log = logging.getLogger(__name__)

CONNECT_TIMEOUT_S = 5.0
# The client notices a silent broker after three times this and a little.
HEARTBEAT_S = 10
BACKOFF_S_MIN = 0.1
BACKOFF_S_MAX = 5.0
BLOCKED_POLL_S = 5.0


class Link:
    def __init__(self, url: str, *, purpose: str, name: str) -> None:
        self._url = URL(url).update_query(heartbeat=HEARTBEAT_S)
        self._purpose = purpose
        self._name = f"{name}-{purpose}"
        self._connection: AbstractConnection | None = None
        self._up = asyncio.Event()

    @property
    def is_up(self) -> bool:
        return self._up.is_set()

    async def keep(self) -> None:
        """Connect, and connect again whenever the connection is lost, until cancelled."""
        backoff_s = BACKOFF_S_MIN
        while True:
            try:
                with loss_as_error():
                    await self._hold()
                backoff_s = BACKOFF_S_MIN
            except BROKER_ERRORS as error:
                log.warning(
                    "broker_away",
                    extra={
                        "purpose": self._purpose,
                        "error": repr(error),
                        "retry_s": backoff_s,
                    },
                )
            await asyncio.sleep(backoff_s)
            backoff_s = min(backoff_s * 2, BACKOFF_S_MAX)
            RECONNECTS.labels(self._purpose).inc()

    async def _hold(self) -> None:
        async with asyncio.timeout(CONNECT_TIMEOUT_S):
            opened = await dial(self._url, name=self._name)
        if opened.transport is None:
            raise ConnectionError("the connection closed while it was opened")
        self._connection = opened.transport.connection
        self._up.set()
        log.info("broker_connected", extra={"purpose": self._purpose})
        try:
            await self._until_closed(self._connection)
        finally:
            self._up.clear()
            self._connection = None
            AMQP_CONNECTION_BLOCKED.labels(self._purpose).set(0)
            await _close_quietly(opened)

    async def _until_closed(self, connection: AbstractConnection) -> None:
        closing = connection.closing
        while not closing.done():
            await asyncio.wait({closing}, timeout=until_beat(BLOCKED_POLL_S))
            AMQP_CONNECTION_BLOCKED.labels(self._purpose).set(_is_blocked(connection))

    @asynccontextmanager
    async def channel(self, *, confirms: bool = False) -> AsyncIterator[AbstractChannel]:
        """A channel of its own. Raises Retryable when the broker is away."""
        channel = await self.open_channel(confirms=confirms)
        try:
            yield channel
        finally:
            await close_channel(channel)

    async def open_channel(self, *, confirms: bool) -> AbstractChannel:
        try:
            with loss_as_error():
                async with asyncio.timeout(CONNECT_TIMEOUT_S):
                    return await self._open(confirms)
        except BROKER_ERRORS as error:
            raise Retryable(f"broker away: {error!r}", dependency="broker") from error

    async def _open(self, confirms: bool) -> AbstractChannel:
        await self._up.wait()
        if self._connection is None:
            raise ConnectionError("the connection was lost again")
        return await self._connection.channel(
            publisher_confirms=confirms, on_return_raises=True
        )


async def close_channel(channel: AbstractChannel) -> None:
    if channel.is_closed:
        return
    try:
        with loss_as_error():
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                await channel.close()
    except BROKER_ERRORS as error:
        log.info("channel_close_failed", extra={"error": repr(error)})


async def _close_quietly(opened: aio_pika.abc.AbstractConnection) -> None:
    try:
        with loss_as_error():
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                await opened.close()
    except BROKER_ERRORS as error:
        log.info("connection_close_failed", extra={"error": repr(error)})


def _is_blocked(connection: AbstractConnection) -> bool:
    # The client keeps this to itself; without it a blocked publisher looks merely slow.
    unblocked = getattr(connection, "_Connection__connection_unblocked", None)
    return isinstance(unblocked, asyncio.Event) and not unblocked.is_set()

"""A consumer on one queue that stays one: it notices when it was lost and comes back.

A process can look healthy while nobody consumes: the broker cancels consumers when a queue
goes away or an acknowledgement takes too long, and a channel can die alone. So the broker's
word is watched, and besides it is asked every few seconds.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Protocol

from aiormq.abc import AbstractChannel, DeliveredMessage

from shared.bus.connection import Link
from shared.bus.losses import BROKER_ERRORS, loss_as_error
from shared.bus.waiting import happens, until_beat
from shared.errors import Retryable
from shared.observability.metrics import CONSUMER_LOST, CONSUMERS

log = logging.getLogger(__name__)

CALL_TIMEOUT_S = 10.0
WATCH_EVERY_S = 5.0
BACKOFF_S_MIN = 0.2
BACKOFF_S_MAX = 5.0


class ConsumerLost(Exception):
    """We believed that we consume, and the broker does not."""


class Intake(Protocol):
    """What does the work of a subscription."""

    def take(self, message: DeliveredMessage, channel: AbstractChannel) -> None:
        """A delivery has arrived. Must not block."""

    async def finish(self, *, pausing: bool) -> None:
        """No more will arrive: end what is in hand; when pausing, send the rest to wait."""

    def forget(self) -> None:
        """The channel is gone: what is in hand can no longer be settled."""


class Subscription:
    def __init__(
        self,
        link: Link,
        queue: str,
        *,
        prefetch: int,
        intake: Callable[[], Intake],
        watch_every_s: float = WATCH_EVERY_S,
    ) -> None:
        self._link = link
        self._queue = queue
        self._prefetch = prefetch
        self._new_intake = intake
        self._watch_every_s = watch_every_s
        self._open = asyncio.Event()
        self._open.set()
        self._leave = asyncio.Event()
        self._broken = asyncio.Event()
        # Set while no session runs, so also before the first.
        self._left = asyncio.Event()
        self._left.set()
        self._pausing = False
        self._stopped = False

    @property
    def is_open(self) -> bool:
        return self._open.is_set()

    async def run(self) -> None:
        """Consume until stopped, through every loss of channel and connection."""
        backoff_s = BACKOFF_S_MIN
        while not self._stopped:
            await self._open.wait()
            self._left.clear()
            began = asyncio.get_running_loop().time()
            try:
                with loss_as_error():
                    await self._session()
            except (Retryable, ConsumerLost, *BROKER_ERRORS) as error:
                self._tell(error)
                lasted_s = asyncio.get_running_loop().time() - began
                backoff_s = (
                    BACKOFF_S_MIN
                    if lasted_s > BACKOFF_S_MAX
                    else min(backoff_s * 2, BACKOFF_S_MAX)
                )
                await happens(self._leave, within_s=backoff_s)
            finally:
                self._left.set()

    async def pause(self) -> None:
        """Cancel the consumer and end what is in hand; what is only buffered goes to wait."""
        self._pausing = True
        self._open.clear()
        self._leave.set()
        await self._left.wait()

    def resume(self) -> None:
        self._pausing = False
        self._leave.clear()
        self._open.set()

    async def stop(self) -> None:
        """Cancel the consumer and end what is in hand; the rest goes back to the broker."""
        self._stopped = True
        self._leave.set()
        self._open.set()
        await self._left.wait()

    def break_channel(self) -> None:
        """Give back everything unsettled, at once: settling has failed."""
        self._broken.set()

    async def _session(self) -> None:
        if self._leave.is_set():
            return
        self._broken.clear()
        async with self._link.channel() as channel:
            intake = self._new_intake()
            try:
                await self._consume(channel, intake)
            finally:
                CONSUMERS.labels(self._queue).set(0)
                intake.forget()

    async def _consume(self, channel: AbstractChannel, intake: Intake) -> None:
        cancelled = asyncio.Event()
        channel.on_consumer_cancel_callbacks.add(lambda _: cancelled.set())

        async def arrived(message: DeliveredMessage) -> None:
            intake.take(message, channel)

        async with asyncio.timeout(CALL_TIMEOUT_S):
            await channel.basic_qos(prefetch_count=self._prefetch)
            consuming = await channel.basic_consume(self._queue, arrived)
        CONSUMERS.labels(self._queue).set(1)
        log.info("consuming", extra={"queue": self._queue, "prefetch": self._prefetch})
        await self._watch(channel, cancelled)
        if not channel.is_closed and consuming.consumer_tag is not None:
            async with asyncio.timeout(CALL_TIMEOUT_S):
                await channel.basic_cancel(consuming.consumer_tag)
        await intake.finish(pausing=self._pausing)

    async def _watch(self, channel: AbstractChannel, cancelled: asyncio.Event) -> None:
        """Returns when we are to leave; raises when the consumer is lost."""
        signals = [
            asyncio.ensure_future(event.wait())
            for event in (self._leave, cancelled, self._broken)
        ]
        closing = channel.closing
        try:
            while not self._leave.is_set():
                await asyncio.wait(
                    {closing, *signals},
                    timeout=until_beat(self._watch_every_s),
                    return_when=asyncio.FIRST_COMPLETED,
                )
                if cancelled.is_set() or self._broken.is_set() or closing.done():
                    raise ConsumerLost(f"{self._queue}: {_reason(cancelled, closing)}")
                if not self._leave.is_set():
                    await self._ask_broker(channel)
        finally:
            for signal in signals:
                signal.cancel()

    async def _ask_broker(self, channel: AbstractChannel) -> None:
        async with asyncio.timeout(CALL_TIMEOUT_S):
            declared = await channel.queue_declare(self._queue, passive=True)
        if not declared.consumer_count:
            raise ConsumerLost(f"{self._queue}: the broker knows no consumer")

    def _tell(self, error: Exception) -> None:
        if self._leave.is_set():
            return
        CONSUMER_LOST.labels(self._queue).inc()
        log.warning("consumer_lost", extra={"queue": self._queue, "error": repr(error)})


def _reason(cancelled: asyncio.Event, closing: "asyncio.Future[object]") -> str:
    if cancelled.is_set():
        return "cancelled by the broker"
    if closing.done() and not closing.cancelled():
        return f"channel closed: {closing.exception()!r}"
    return "channel given up"

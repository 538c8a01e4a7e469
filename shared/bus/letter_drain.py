"""Emptying a dead queue into a place where letters can be read, searched and replayed.

A queue is no store: peeking at it reorders it and, on newer brokers, loses letters that were
looked at too often. A batch is acknowledged when its handler has committed; until then it is
tried again and again, because a letter has nowhere else to go.
"""

import asyncio
import logging
from collections import deque

from aiormq.abc import AbstractChannel, DeliveredMessage

from shared.bus.acknowledging import acknowledge
from shared.bus.connection import Link
from shared.bus.headers import DEAD_QUEUE, as_text, ours
from shared.bus.letters import Letter, LetterHandler
from shared.bus.subscription import Intake, Subscription
from shared.bus.waiting import happens
from shared.ending import end_within
from shared.errors import Retryable
from shared.failpoints import failpoint
from shared.observability.metrics import DELIVERIES

log = logging.getLogger(__name__)

BATCH = 100
DRAIN_S = 10.0
# There are many such queues, mostly empty, and a letter that waits in one loses nothing.
WATCH_EVERY_S = 15.0
RETRY_S_MIN = 0.5
RETRY_S_MAX = 10.0


class LetterDrain:
    def __init__(self, link: Link, dead_queue: str, keep: LetterHandler) -> None:
        self._queue = dead_queue
        self._keep = keep
        self._subscription = Subscription(
            link,
            dead_queue,
            prefetch=BATCH * 2,
            intake=self._new_intake,
            watch_every_s=WATCH_EVERY_S,
        )

    async def run(self) -> None:
        await self._subscription.run()

    async def stop(self) -> None:
        await self._subscription.stop()

    def _new_intake(self) -> Intake:
        return _LetterIntake(self._queue, self._keep, self._subscription)


class _LetterIntake:
    def __init__(self, queue: str, keep: LetterHandler, subscription: Subscription) -> None:
        self._queue = queue
        self._keep = keep
        self._subscription = subscription
        self._buffer: deque[tuple[DeliveredMessage, AbstractChannel]] = deque()
        self._arrived = asyncio.Event()
        self._leaving = asyncio.Event()
        self._pump = asyncio.get_running_loop().create_task(self._work())
        self._pump.add_done_callback(self._ended)

    def take(self, message: DeliveredMessage, channel: AbstractChannel) -> None:
        self._buffer.append((message, channel))
        self._arrived.set()

    async def finish(self, *, pausing: bool) -> None:
        self.forget()
        await end_within({self._pump}, DRAIN_S)

    def forget(self) -> None:
        self._leaving.set()
        self._arrived.set()

    def _ended(self, task: "asyncio.Task[None]") -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("letters_not_kept", exc_info=error, extra={"queue": self._queue})
            self._subscription.break_channel()

    async def _work(self) -> None:
        while not self._leaving.is_set():
            await self._arrived.wait()
            self._arrived.clear()
            while self._buffer and not self._leaving.is_set():
                room = min(len(self._buffer), BATCH)
                taken = [self._buffer.popleft() for _ in range(room)]
                await failpoint("letters.taken")
                if await self._kept([self._letter(message) for message, _ in taken]):
                    await failpoint("letters.kept")
                    message, channel = taken[-1]
                    await acknowledge(channel, message.delivery_tag or 0, multiple=True)

    async def _kept(self, letters: list[Letter]) -> bool:
        retry_s = RETRY_S_MIN
        while not self._leaving.is_set():
            try:
                await self._keep(letters)
            except Retryable as away:
                log.warning("letters_held", extra={"queue": self._queue, "error": str(away)})
                await happens(self._leaving, within_s=retry_s)
                retry_s = min(retry_s * 2, RETRY_S_MAX)
            else:
                DELIVERIES.labels(self._queue, "done", "done").inc(len(letters))
                return True
        return False

    def _letter(self, message: DeliveredMessage) -> Letter:
        properties = message.header.properties
        headers = ours(properties.headers)
        return Letter(
            dead_queue=self._queue,
            origin_queue=headers.get(DEAD_QUEUE) or as_text(message.routing_key or ""),
            body=message.body,
            headers=headers,
            message_id=as_text(properties.message_id or ""),
            content_type=as_text(properties.content_type or ""),
            priority=properties.priority or 0,
        )

"""Many messages at once: for handlers that only move rows.

A batch is what has already arrived, never waited for; only where a stream is steady and nobody
depends on it the next begins a pace after the one before. One batch is in flight per channel,
and the buffer is first in, first out: when a batch has been settled, every lower tag has been
too, and one multiple acknowledgement says so.
"""

import asyncio
import contextlib
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar
from uuid import UUID

from aiormq.abc import AbstractChannel, DeliveredMessage

from shared.bus.acknowledging import acknowledge
from shared.bus.consumer import STARTS_MAX, DeliveryDesk
from shared.bus.decision import Done, Wait
from shared.bus.delivery import Delivery, open_delivery
from shared.bus.headers import DEFERRALS, as_count
from shared.bus.jobs import AlreadyHandled
from shared.bus.pace import Pace
from shared.bus.running import Stuck
from shared.bus.telling import observe_way
from shared.bus.waiting import happens
from shared.ending import end_within
from shared.errors import LostRace, Retryable
from shared.failpoints import failpoint
from shared.observability.exposition import observe
from shared.observability.metrics import (
    DELIVERIES,
    INBOX_DUPLICATES,
    LAST_SUCCESS,
    PAUSED,
    STAGE_DURATION_SECONDS,
)
from shared.observability.tracing import continuing

log = logging.getLogger(__name__)

T = TypeVar("T")

POSTGRES = "postgres"
HOLD_S_MIN = 0.5
HOLD_S_MAX = 5.0
CONFLICTS_MAX = 3
PAUSING_WAIT_S = 2.0


class Interrupted(Exception):
    """The process leaves while the batch is held: nothing of it has been settled."""


class Batches:
    def __init__(self, desk: DeliveryDesk) -> None:
        self._desk = desk
        self._buffer: deque[tuple[DeliveredMessage, AbstractChannel]] = deque()
        self._arrived = asyncio.Event()
        self._leaving = asyncio.Event()
        self._pace = Pace(desk.queue.pace_s)
        # There is enough for a whole batch, or we leave: either way nothing more is waited for.
        self._hurry = asyncio.Event()
        self._pump: asyncio.Task[None] | None = None

    def take(self, message: DeliveredMessage, channel: AbstractChannel) -> None:
        self._buffer.append((message, channel))
        self._arrived.set()
        if len(self._buffer) >= self._desk.queue.batch:
            self._hurry.set()
        if self._pump is None:
            self._pump = asyncio.get_running_loop().create_task(self._work())
            self._pump.add_done_callback(self._desk.look_after)

    async def finish(self, *, pausing: bool) -> None:
        self._leave()
        if self._pump is not None:
            await end_within({self._pump}, self._desk.patience_s(pausing=pausing))
        if pausing:
            await self._send_buffered_to_wait()

    def forget(self) -> None:
        self._leave()
        self._buffer.clear()

    def _leave(self) -> None:
        for one in (self._leaving, self._arrived, self._hurry):
            one.set()

    async def _work(self) -> None:
        while not self._leaving.is_set():
            await self._arrived.wait()
            self._arrived.clear()
            while self._buffer and not self._leaving.is_set():
                if not await self._kept_waiting():
                    await self._one_batch()

    async def _kept_waiting(self) -> bool:
        """By the pace of the queue. Afterwards everything has to be looked at again."""
        if len(self._buffer) < self._desk.queue.batch:
            self._hurry.clear()
        rest_s = self._pace.rest_s()
        if not rest_s or self._hurry.is_set():
            return False
        await happens(self._hurry, within_s=rest_s)
        return True

    async def _one_batch(self) -> None:
        self._pace.begin(self._room())
        taken = [self._buffer.popleft() for _ in range(self._room())]
        deliveries = [open_delivery(message, self._desk.queue) for message, _ in taken]
        channel = taken[-1][1]
        try:
            settled = await self._settle(deliveries)
        except Interrupted:
            await self._desk.take_back(deliveries)
            return
        except asyncio.CancelledError:
            await self._desk.take_back(deliveries)
            raise
        if not settled:
            # Their channel is being given up. An acknowledgement after this would cover them.
            self.forget()
            return
        await acknowledge(channel, deliveries[-1].tag, multiple=True)

    def _room(self) -> int:
        return min(len(self._buffer), self._desk.queue.batch)

    async def _settle(self, deliveries: list[Delivery]) -> bool:
        alone, together = await self._divide(deliveries)
        settled = True
        if together:
            settled = await self._together(together)
        return settled and await self._one_by_one(alone)

    async def _divide(
        self, deliveries: list[Delivery]
    ) -> tuple[list[Delivery], list[Delivery]]:
        """Suspects of killing processes leave the batch, as does what cannot be read."""
        alone: list[Delivery] = []
        together: dict[UUID, Delivery] = {}
        starts = await self._held(lambda: self._desk.past_starts(deliveries))
        for delivery in deliveries:
            job = delivery.job
            if job is None or starts.get(job.job_id, 0) >= STARTS_MAX - 1:
                alone.append(delivery)
            elif together.setdefault(job.job_id, delivery).headers != delivery.headers:
                # The same job in another run, as a replay is: it has an end of its own.
                alone.append(delivery)
            # Otherwise a repeated id is the same job, and doing it once settles both.
        return alone, list(together.values())

    async def _together(self, deliveries: list[Delivery]) -> bool:
        began = time.monotonic()
        error = await self._held(lambda: self._try(deliveries))
        if isinstance(error, Stuck):
            # It still runs: whatever began now would run beside it. The process ends, and its
            # starts stay counted: who does this to every process will be alone with it.
            return False
        if error is not None and not isinstance(error, AlreadyHandled):
            log.info("batch_divided", extra={"error": repr(error), "count": len(deliveries)})
            return await self._one_by_one(deliveries)
        outcome = "already_applied" if error else "done"
        settled = await self._held(lambda: self._note(deliveries, outcome))
        self._tell(deliveries, outcome, time.monotonic() - began)
        return settled

    async def _try(self, deliveries: list[Delivery]) -> Exception | None:
        """The error that one of them has caused; an error of everybody's is raised."""
        for conflict in range(CONFLICTS_MAX + 1):
            error = await self._run(deliveries)
            if isinstance(error, Retryable) and error.dependency == POSTGRES:
                raise error
            if not isinstance(error, LostRace):
                break
            if conflict < CONFLICTS_MAX:
                await asyncio.sleep(HOLD_S_MIN * conflict)
        return error

    async def _run(self, deliveries: list[Delivery]) -> Exception | None:
        with contextlib.ExitStack() as spans:
            jobs = []
            for delivery in deliveries:
                opened = spans.enter_context(self._desk.span_of(delivery))
                if delivery.job:
                    jobs.append(replace(delivery.job, traceparent=opened.traceparent))
            async with self._desk.bus.solo.together():
                await self._start(deliveries)
                await failpoint("consumer.before_handler")
                error = await self._desk.attempt(jobs)
                await failpoint("consumer.after_handler")
        return error

    async def _start(self, deliveries: list[Delivery]) -> None:
        # A batch that is tried again has begun already.
        await self._held(
            lambda: self._desk.start([one for one in deliveries if not one.started])
        )

    async def _one_by_one(self, deliveries: list[Delivery]) -> bool:
        settled = True
        for delivery in deliveries:
            one = await self._desk.handle(delivery)
            settled = one is not None and settled
        return settled

    async def _note(self, deliveries: list[Delivery], outcome: str) -> bool:
        record, queue = self._desk.bus.record, self._desk.queue
        again = [d.job_id for d in deliveries if d.redelivered and d.job_id is not None]
        if again:
            await record.forget_starts(queue, again)
        if outcome != "done" or not queue.inbox:
            for delivery in deliveries:
                if delivery.job and delivery.job.replay_id:
                    await record.settle_replay(delivery.job, outcome)
        return True

    async def _held(self, work: Callable[[], Awaitable[T]]) -> T:
        """While the database is away the batch is held, not sent to wait: it burns nothing,
        and as one batch is in flight, the queue is paused by that alone."""
        hold_s = HOLD_S_MIN
        gauge = PAUSED.labels(self._desk.queue.name, "postgres_away")
        while True:
            try:
                result = await work()
            except Retryable as away:
                log.warning("batch_held", extra={"error": str(away), "seconds": hold_s})
            else:
                gauge.set(0)
                return result
            gauge.set(1)
            await self._sleep(hold_s)
            hold_s = min(hold_s * 2, HOLD_S_MAX)

    async def _sleep(self, seconds: float) -> None:
        if await happens(self._leaving, within_s=seconds):
            raise Interrupted

    def _tell(self, deliveries: list[Delivery], outcome: str, seconds: float) -> None:
        name, count = self._desk.queue.name, len(deliveries)
        DELIVERIES.labels(name, "done", outcome).inc(count)
        # A batch has many traces; the first one is as good as any to look at.
        with continuing(deliveries[0].headers):
            observe(STAGE_DURATION_SECONDS.labels(name, "done"), seconds)
        LAST_SUCCESS.labels(name).set_to_current_time()
        if outcome == "already_applied":
            INBOX_DUPLICATES.labels(name).inc(count)
        now = self._desk.bus.record.now()
        for delivery in deliveries:
            self._desk.protection.note(Done(outcome))
            if outcome == "done":
                observe_way(delivery, now)
        log.info(
            "batch_finished",
            extra={"queue": name, "count": count, "outcome": outcome, "seconds": seconds},
        )

    async def _send_buffered_to_wait(self) -> None:
        while self._buffer:
            message, channel = self._buffer.popleft()
            delivery = open_delivery(message, self._desk.queue)
            if delivery.envelope is None:
                if await self._desk.handle(delivery) is None:
                    return
            else:
                attempt = delivery.envelope.header.attempt
                deferrals = as_count(delivery.headers, DEFERRALS) + 1
                wait = Wait(PAUSING_WAIT_S, attempt, deferrals, "the queue is paused")
                await self._desk.settler.send_to_wait(delivery, wait)
            await acknowledge(channel, delivery.tag)

"""One queue's deliveries, each from its arrival to its settlement.

The order is what keeps a crash harmless at any instant: look whether it is done, count a
suspect's start, run, commit, carry the decision out, acknowledge last. This is the only
place that catches every exception, because this is where an exception becomes a decision.
"""

import asyncio
import logging
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from shared.bus.connection import Link
from shared.bus.decision import Decision, Done, Poisonous, Standing, Wait, decide
from shared.bus.delivery import Delivery
from shared.bus.headers import DEFERRALS, as_count, as_moment
from shared.bus.jobs import AlreadyHandled, BatchHandler, Job, JobHandler
from shared.bus.pausing import (
    DEPENDENCY_PROBE_EVERY_S,
    PROTECTIVE_PROBE_EVERY_S,
    PROTECTIVE_STOP,
    Protection,
)
from shared.bus.ports import JobRecord, PauseBoard
from shared.bus.publisher import Publisher
from shared.bus.running import STUCK_AFTER_S, Solo, run_limited
from shared.bus.settling import Settler
from shared.bus.telling import attributes_of, context_of, names_of, observe_way
from shared.contracts.body import Body
from shared.errors import Retryable
from shared.failpoints import failpoint
from shared.observability.exposition import observe
from shared.observability.logging import bind
from shared.observability.metrics import (
    DELIVERIES,
    INBOX_DUPLICATES,
    LAST_SUCCESS,
    REDELIVERED,
    STAGE_DURATION_SECONDS,
)
from shared.observability.tracing import span
from shared.topology.queues import WorkQueue

log = logging.getLogger(__name__)

STARTS_MAX = 3
TAKE_BACK_TIMEOUT_S = 2.0


@dataclass(frozen=True, slots=True)
class Consumption:
    """Which handler does a queue's jobs: one at a time, or what has arrived."""

    queue: WorkQueue
    one: JobHandler[Any] | None = None
    many: BatchHandler[Any] | None = None


@dataclass(frozen=True, slots=True)
class Bus:
    """What all consumers of a process share."""

    link: Link
    publisher: Publisher
    record: JobRecord
    board: PauseBoard
    solo: Solo
    # Told when a handler can no longer be stopped: the process has to end.
    on_stuck: Callable[[str], None]
    drain_s: float = 25.0


class DeliveryDesk:
    """Handles the deliveries of one queue; whoever hands them in acknowledges them."""

    def __init__(
        self, consumption: Consumption, bus: Bus, *, give_back: Callable[[], None]
    ) -> None:
        self.queue = consumption.queue
        self.bus = bus
        self.settler = Settler(self.queue, bus.publisher, bus.record)
        self.protection = Protection()
        self._consumption = consumption
        self._span_name = f"process {self.queue.name}"
        # Gives everything unsettled back to the broker, when settling itself fails.
        self._give_back = give_back

    def patience_s(self, *, pausing: bool) -> float:
        """How long what is in hand may take to end. A pause has time; a shutdown has not."""
        limit_s = self.queue.timeout_s + 2 * STUCK_AFTER_S
        return limit_s if pausing else self.bus.drain_s

    def look_after(self, task: "asyncio.Task[None]") -> None:
        """A task of ours that died would leave its deliveries unsettled for ever."""
        if task.cancelled():
            self._give_back()
        elif (error := task.exception()) is not None:
            log.error("delivery_task_died", exc_info=error, extra={"queue": self.queue.name})
            self._give_back()

    async def handle(self, delivery: Delivery) -> Decision | None:
        """Decide a delivery's fate and carry it out. None: not settled, do not acknowledge."""
        began = time.monotonic()
        with bind(**context_of(delivery)), self.span_of(delivery) as current:
            if delivery.job:
                delivery.job = replace(delivery.job, traceparent=current.traceparent)
            try:
                error = await self._try(delivery)
                decision = self._decide(delivery, error)
                settled = await self._settle(delivery, decision, error)
            except asyncio.CancelledError:
                await self.take_back([delivery])
                raise
            self.tell(decision, error, seconds=time.monotonic() - began)
            if decision == Done():
                observe_way(delivery, self.bus.record.now())
        await self._consider_pausing(decision)
        return decision if settled else None

    async def run(self, jobs: list[Job[Any]]) -> None:
        await run_limited(
            self._work(jobs),
            timeout_s=self.queue.timeout_s,
            hurry=[job.hurry for job in jobs],
            on_stuck=lambda: self.bus.on_stuck(self.queue.name),
        )

    async def attempt(self, jobs: list[Job[Any]]) -> Exception | None:
        """Run a batch; what it raised is handed back for somebody to decide on."""
        try:
            await self.run(jobs)
        except Exception as error:
            return error
        return None

    def span_of(self, delivery: Delivery) -> Any:  # noqa: ANN401 -- a context manager of Span
        return span(
            self._span_name,
            kind="consumer",
            parent=delivery.headers.get("traceparent", ""),
            tracestate=delivery.headers.get("tracestate", ""),
            attributes=attributes_of(delivery),
        )

    def tell(self, decision: Decision, error: Exception | None, *, seconds: float) -> None:
        name, reason = names_of(decision)
        DELIVERIES.labels(self.queue.name, name, reason).inc()
        observe(STAGE_DURATION_SECONDS.labels(self.queue.name, name), seconds)
        if isinstance(decision, Done):
            LAST_SUCCESS.labels(self.queue.name).set_to_current_time()
            if decision.outcome == "already_applied":
                INBOX_DUPLICATES.labels(self.queue.name).inc()
        is_bug = name == "dead_letter" and reason == "bug"
        log.log(
            logging.ERROR if is_bug else logging.INFO,
            "delivery_finished",
            exc_info=error if is_bug else None,
            extra={
                "decision": name,
                "reason": reason,
                "error": str(error) if error else None,
                "seconds": round(seconds, 4),
            },
        )

    async def _work(self, jobs: list[Job[Any]]) -> None:
        if self._consumption.many is not None:
            await self._consumption.many(jobs)
        elif self._consumption.one is not None:
            for job in jobs:
                await self._consumption.one(job)

    async def _try(self, delivery: Delivery) -> Exception | None:
        if delivery.error is not None or delivery.job is None:
            return delivery.error
        try:
            await self._run_once(delivery, delivery.job)
        except Exception as error:
            return error
        return None

    async def _run_once(self, delivery: Delivery, job: Job[Body]) -> None:
        if self.queue.inbox and await self.bus.record.is_finished(self.queue, job):
            raise AlreadyHandled
        starts = (await self.past_starts([delivery])).get(job.job_id, 0)
        if starts >= STARTS_MAX:
            raise Poisonous(f"started {starts} times, and its process died each time")
        alone = starts == STARTS_MAX - 1
        async with self.bus.solo.alone() if alone else self.bus.solo.together():
            await self.start([delivery])
            await failpoint("consumer.before_handler")
            await self.run([job])
            await failpoint("consumer.after_handler")

    async def past_starts(self, deliveries: Sequence[Delivery]) -> Mapping[UUID, int]:
        """How often each redelivered job was started before, and its process died of it."""
        again = [d.job_id for d in deliveries if _may_be_suspect(d) and d.job_id is not None]
        if not again:
            return {}
        REDELIVERED.labels(self.queue.name).inc(len(again))
        return await self.bus.record.past_starts(self.queue, again)

    async def start(self, deliveries: Sequence[Delivery]) -> None:
        """Count a start when it begins and no sooner: whoever only waits for his turn when a
        neighbour kills the process must not be suspected of it."""
        again = [d.job_id for d in deliveries if _may_be_suspect(d) and d.job_id is not None]
        if again:
            await self.bus.record.count_starts(self.queue, again)
        for delivery in deliveries:
            delivery.started = True

    def _decide(self, delivery: Delivery, error: Exception | None) -> Decision:
        now = self.bus.record.now()
        attempt = delivery.envelope.header.attempt if delivery.envelope else 1
        standing = Standing(
            attempt=attempt,
            deferrals=as_count(delivery.headers, DEFERRALS),
            since=as_moment(delivery.since) or now,
            now=now,
        )
        return decide(error, standing=standing, queue=self.queue, uniform=random.random)

    async def _settle(
        self, delivery: Delivery, decision: Decision, error: Exception | None
    ) -> bool:
        try:
            await self.settler.carry_out(delivery, decision, error)
        except Exception as failure:
            log.warning("not_settled", extra={"error": repr(failure)}, exc_info=failure)
            # The process lives, so this start is no evidence against the message.
            await self.take_back([delivery])
            if isinstance(failure, Retryable) and failure.dependency:
                await self._pause_for(failure.dependency, str(failure))
            self._give_back()
            return False
        await self._forget_starts(delivery)
        return True

    async def _forget_starts(self, delivery: Delivery) -> None:
        if not delivery.redelivered or delivery.job_id is None:
            return
        try:
            await self.bus.record.forget_starts(self.queue, [delivery.job_id])
        except Retryable as away:
            # It is settled all the same; given back, it would be sent on once more.
            log.info("starts_not_forgotten", extra={"error": str(away)})

    async def take_back(self, deliveries: Sequence[Delivery]) -> None:
        """A shutdown is not a crash: these starts do not count against their messages. At once
        for all, or a silent database would be waited for once for each."""
        begun = [one for one in deliveries if one.started]
        for delivery in begun:
            delivery.started = False
        job_ids = [one.job_id for one in begun if one.job_id is not None]
        if not job_ids:
            return
        try:
            async with asyncio.timeout(TAKE_BACK_TIMEOUT_S):
                await self.bus.record.take_back_starts(self.queue, job_ids)
        except (Retryable, TimeoutError) as error:
            told = {"count": len(job_ids), "error": str(error)}
            log.warning("starts_not_taken_back", extra=told)

    async def _consider_pausing(self, decision: Decision) -> None:
        self.protection.note(decision)
        if isinstance(decision, Wait) and decision.pause:
            await self._pause_for(decision.pause, decision.reason)
        elif self.protection.tripped:
            await self.bus.board.pause(
                self.queue.name,
                reason=PROTECTIVE_STOP,
                detail=self.protection.detail,
                probe_every_s=PROTECTIVE_PROBE_EVERY_S,
            )

    async def _pause_for(self, dependency: str, detail: str) -> None:
        await self.bus.board.pause(
            self.queue.name,
            reason=f"{dependency}_away",
            detail=detail,
            probe_every_s=DEPENDENCY_PROBE_EVERY_S,
        )


def _may_be_suspect(delivery: Delivery) -> bool:
    # Once begun it has been counted, also when its batch is then divided.
    return delivery.redelivered and not delivery.started

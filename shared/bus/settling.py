"""Carrying a decision out, up to the acknowledgement that comes last.

Whatever is sent on or written down is confirmed or committed here, before the delivery is
acknowledged: a crash in between doubles a message, and the inbox drops the double. When
carrying out fails, nothing is acknowledged and the broker delivers again.
"""

import logging
from dataclasses import replace
from datetime import timedelta

from shared.bus.answering import answer_message
from shared.bus.decision import DeadLetter, Decision, Done, Wait
from shared.bus.delivery import Delivery
from shared.bus.failure import document_failed, document_waiting, failure_headers, refusal
from shared.bus.frames import Outgoing
from shared.bus.headers import DEAD_FIRST_AT, DEFERRALS, RUN, SINCE, as_count
from shared.bus.ports import Burial, JobRecord
from shared.bus.publisher import Publisher
from shared.contracts.body import Answer
from shared.contracts.envelope import with_attempt
from shared.errors import Retryable
from shared.failpoints import failpoint
from shared.observability.metrics import ANSWERS, DEAD_LETTERS
from shared.topology.ladder import DELAY_S_MAX, rest
from shared.topology.queues import DEAD, JOBS, WorkQueue

log = logging.getLogger(__name__)

OCTETS = "application/octet-stream"


class Settler:
    def __init__(self, queue: WorkQueue, publisher: Publisher, record: JobRecord) -> None:
        self._queue = queue
        self._publisher = publisher
        self._record = record

    async def carry_out(
        self, delivery: Delivery, decision: Decision, error: Exception | None
    ) -> None:
        match decision:
            case Done(outcome):
                await self._note_replay(delivery, outcome)
            case Wait():
                await self._announce_wait(delivery, decision)
                await self.send_to_wait(delivery, decision)
            case DeadLetter():
                await self._send_to_dead(delivery, decision, error)

    async def send_to_wait(self, delivery: Delivery, wait: Wait) -> None:
        headers, now = dict(delivery.headers), self._record.now().isoformat()
        if wait.attempt > 1:
            headers.setdefault(DEAD_FIRST_AT, now)
        if wait.deferrals:
            headers[DEFERRALS] = str(wait.deferrals)
            headers.setdefault(SINCE, now)
        home = Outgoing(
            exchange=JOBS,
            routing_key=self._queue.name,
            body=with_attempt(delivery.raw, wait.attempt),
            type=delivery.type,
            headers=headers,
            priority=delivery.priority,
        )
        if wait.delay_s > DELAY_S_MAX:
            await self._record.keep_for_later(home, after_s=wait.delay_s)
        else:
            rung = rest(wait.delay_s, self._queue.name)
            await self._publisher.publish_one(
                replace(home, exchange=rung.exchange, routing_key=rung.routing_key)
            )
        await failpoint("consumer.waiting_published")

    async def _note_replay(self, delivery: Delivery, outcome: str) -> None:
        # A replay that was done says so in its own commit, where there is a mark to make.
        told = outcome == "done" and self._queue.inbox
        if not told and delivery.job and delivery.job.replay_id:
            await self._record.settle_replay(delivery.job, outcome)

    async def _announce_wait(self, delivery: Delivery, wait: Wait) -> None:
        job = delivery.job
        if job is None or not self._queue.fails_document or wait.pause == "postgres":
            return
        until = self._record.now() + timedelta(seconds=wait.delay_s)
        fact = document_waiting(job, wait, until)
        try:
            await self._record.announce([fact] if fact else [], cause=job)
        except Retryable as away:
            # The wait itself matters more than telling of it.
            log.warning("wait_not_announced", extra={"error": str(away)})

    async def _send_to_dead(
        self, delivery: Delivery, decision: DeadLetter, error: Exception | None
    ) -> None:
        DEAD_LETTERS.labels(self._queue.name, decision.reason).inc()
        headers = {
            **delivery.headers,
            **failure_headers(delivery, decision, error, self._record.now()),
        }
        if delivery.envelope is None:
            # Without a job id there is nothing to mark; the bytes are kept as they came.
            await self._publisher.publish_one(
                Outgoing(
                    exchange=DEAD,
                    routing_key=self._queue.name,
                    body=delivery.raw,
                    type=delivery.type,
                    headers=headers,
                    priority=delivery.priority,
                    content_type=OCTETS,
                )
            )
            await self._answer_now(delivery, refusal(delivery, decision, error))
            return
        buried = await self._record.bury(
            Burial(
                queue=self._queue,
                job_id=delivery.envelope.header.job_id,
                run=as_count(delivery.headers, RUN),
                type=delivery.type,
                body=delivery.raw,
                headers=headers,
                priority=delivery.priority,
                fact=document_failed(delivery, decision, error),
                answer=refusal(delivery, decision, error),
            )
        )
        if not buried:
            log.info("dead_letter_already_settled")
        await failpoint("consumer.buried")

    async def _answer_now(self, delivery: Delivery, answer: Answer | None) -> None:
        if answer is None:
            return
        message = answer_message(answer, delivery.headers, now=self._record.now())
        # Whatever becomes of it: the letter is safe, and that alone settles the delivery.
        [outcome] = await self._publisher.publish([message])
        ANSWERS.labels(outcome.value).inc()

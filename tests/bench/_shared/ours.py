"""The bus as a service runs it, with handlers that do nothing.

Everything is on: decoding, inbox, commit, acknowledgement, spans, metrics and the log lines.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from shared.bus.consumer import Consumption
from shared.bus.frames import Outgoing
from shared.bus.jobs import Job
from shared.bus.queue_consumer import QueueConsumer
from shared.contracts.envelope import encode
from shared.contracts.identity import new_id
from shared.contracts.orders import ExtractDocumentV1
from shared.ledger.postgres import INSERT_OUTBOX
from shared.ledger.rows import OutboxRow, columns
from shared.observability.tracing import span
from shared.topology.queues import EXTRACT, JOBS
from tests.broker.bus_bench import BusBench
from tests.builders import extract_document

BATCH = 200
ENVELOPE_BYTES = 1024
INSERT_AT_ONCE = 1000


class OurClient:
    def __init__(self, bench: BusBench) -> None:
        self._bench = bench

    def messages(self, count: int) -> list[Outgoing]:
        """Envelopes of about 1 KB, each with a job id and a trace of its own."""
        order, now = extract_document(), self._bench.clock.now()
        bare = encode(order, job_id=new_id(), created_at=now, traceparent=None)
        order = order.model_copy(update={"filename": "x" * (ENVELOPE_BYTES - len(bare))})
        return [self._message(order) for _ in range(count)]

    async def owe(self, messages: Sequence[Outgoing]) -> None:
        """As committed rows of the outbox, where the relay finds them."""
        rows = [
            OutboxRow(m.priority, m.exchange, m.routing_key, m.type, m.headers, m.body)
            for m in messages
        ]
        for start in range(0, len(rows), INSERT_AT_ONCE):
            some = columns(rows[start : start + INSERT_AT_ONCE])
            await self._bench.pool.execute(INSERT_OUTBOX, *some)

    async def relay(self) -> None:
        await self._bench.relay.drain()

    async def consume_batches(self, count: int) -> None:
        done = _Countdown(count)

        async def many(jobs: Sequence[Job[ExtractDocumentV1]]) -> None:
            async with self._bench.ledger.handling(*jobs) as unit:
                handled = len(unit.jobs)
            done.note(handled)

        await self._consume(Consumption(self._bench.queue, many=many), done)

    async def consume_singly(self, count: int) -> None:
        done = _Countdown(count)

        async def one(job: Job[ExtractDocumentV1]) -> None:
            async with self._bench.ledger.handling(job):
                pass
            done.note(1)

        queue = replace(self._bench.queue, batch=0, slots=EXTRACT.slots)
        await self._consume(Consumption(queue, one=one), done)

    async def _consume(self, consumption: Consumption, done: "_Countdown") -> None:
        consumer = QueueConsumer(consumption, self._bench.bus())
        running = asyncio.ensure_future(consumer.run())
        await done.reached.wait()
        await consumer.stop()
        await running

    def _message(self, order: ExtractDocumentV1) -> Outgoing:
        with span("bench") as current:
            body = encode(
                order,
                job_id=new_id(),
                created_at=self._bench.clock.now(),
                traceparent=current.traceparent,
            )
            headers = {"traceparent": current.traceparent}
        name = self._bench.queue.name
        return Outgoing(JOBS, name, body, order.type, headers, int(order.priority))


class _Countdown:
    def __init__(self, count: int) -> None:
        self._left = count
        self.reached = asyncio.Event()

    def note(self, count: int) -> None:
        self._left -= count
        if self._left <= 0:
            self.reached.set()

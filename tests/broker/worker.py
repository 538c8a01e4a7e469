"""A consumer as a process of its own, for tests that kill it: `python -m tests.broker.worker`.

It does what a service does and nothing else: takes a queue, commits an effect, relays. What
it should die of, and when, comes with its arguments or lies in the message itself.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from shared import failpoints
from shared.bus.consumer import Consumption
from shared.bus.jobs import Job
from shared.bus.queue_consumer import QueueConsumer
from shared.contracts.orders import ExtractDocumentV1
from shared.errors import Rejected, Retryable
from shared.ledger.upkeep import Upkeep
from tests.broker.bus_bench import BusBench, open_bench, work_queue

# What a document does to the worker is said by its name.
POISON = "poison.pdf"
BUSY_AT_FIRST = "busy-at-first.pdf"
UNREADABLE = "unreadable.pdf"


@dataclass(frozen=True, slots=True)
class Orders:
    """What the parent wants of the worker."""

    amqp_url: str
    database_url: str
    schema: str
    queue: str
    batch: int = 0
    failpoint: str = ""
    relays: bool = True

    def as_argument(self) -> str:
        return json.dumps(asdict(self))


async def work(orders: Orders) -> None:
    size = {"batch": orders.batch} if orders.batch else {}
    queue = work_queue(name=orders.queue, **size)
    async with open_bench(orders.amqp_url, orders.database_url, queue, orders.schema) as bench:

        async def one(job: Job[ExtractDocumentV1]) -> None:
            await _do(bench, [job])

        async def many(jobs: Sequence[Job[ExtractDocumentV1]]) -> None:
            await _do(bench, jobs)

        handlers: dict[str, Any] = {"many": many} if orders.batch else {"one": one}
        consumer = QueueConsumer(Consumption(queue, **handlers), bench.bus())
        stopping = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
        failpoints.arm(orders.failpoint)
        # Before the first delivery: that one may be the end of this process.
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        background = [asyncio.ensure_future(consumer.run())]
        if orders.relays:
            background.append(asyncio.ensure_future(bench.relay.run()))
            upkeep = Upkeep(bench.pool, wake=bench.relay.wake)
            background.append(asyncio.ensure_future(upkeep.run()))
        await stopping.wait()
        await consumer.stop()
        for task in background:
            task.cancel()
        await asyncio.gather(*background, return_exceptions=True)


async def _do(bench: BusBench, jobs: Sequence[Job[ExtractDocumentV1]]) -> None:
    if any(job.body.filename == POISON for job in jobs):
        # What a parser bomb does: the process is gone, without a word.
        os.kill(os.getpid(), signal.SIGKILL)
    for job in jobs:
        if job.body.filename == BUSY_AT_FIRST and job.attempt == 1:
            raise Retryable("busy")
        if job.body.filename == UNREADABLE:
            raise Rejected("unreadable")
    async with bench.ledger.handling(*jobs) as unit:
        await bench.effects_of(unit)


if __name__ == "__main__":
    asyncio.run(work(Orders(**json.loads(sys.argv[1]))))

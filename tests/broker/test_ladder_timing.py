"""The delay ladder on a real broker: on time, in any mixture, and nobody blocked by another."""

import asyncio
import time
from collections.abc import AsyncIterator
from uuid import UUID

import pytest

from shared.bus.jobs import Job
from shared.contracts.body import Priority
from shared.contracts.identity import new_id
from shared.contracts.orders import ExtractDocumentV1
from shared.topology.ladder import rest
from tests.broker.bus_bench import BusBench, bus_bench, work_queue
from tests.builders import extract_document
from tests.eventually import eventually

TOLERANCE_S = 0.3


class Arrivals:
    """Remembers when each job came home."""

    def __init__(self, bench: BusBench) -> None:
        self.bench = bench
        self.sent_at: dict[UUID, float] = {}
        self.came_at: dict[UUID, float] = {}
        self.delay_s: dict[UUID, float] = {}

    async def send(self, delay_s: float, **how: object) -> None:
        job_id = new_id()
        self.sent_at[job_id] = time.monotonic()
        self.delay_s[job_id] = delay_s
        way = rest(delay_s, self.bench.queue.name)
        await self.bench.submit(
            extract_document(),
            job_id=job_id,
            exchange=way.exchange,
            routing_key=way.routing_key,
            **how,
        )

    async def __call__(self, job: Job[ExtractDocumentV1]) -> None:
        self.came_at[job.job_id] = time.monotonic()

    def lateness_s(self) -> list[float]:
        return [
            self.came_at[job_id] - sent_at - self.delay_s[job_id]
            for job_id, sent_at in self.sent_at.items()
        ]


@pytest.fixture
async def arrivals(amqp_url: str, database_url: str) -> AsyncIterator[Arrivals]:
    queue = work_queue(slots=50, inbox=False)
    async with bus_bench(amqp_url, database_url, queue) as bench:
        yield Arrivals(bench)


async def test_mixed_delays_in_flight_all_come_home_on_time(arrivals: Arrivals) -> None:
    delays_s = [10, 0.25, 3.75, 1, 3.75, 0.25, 1, 10, 0.25, 1, 3.75] * 4

    async with arrivals.bench.consuming_with(one=arrivals):
        # The long ones first: in one queue with the others they would block them all.
        await asyncio.gather(*(arrivals.send(delay_s) for delay_s in delays_s))
        await eventually(lambda: len(arrivals.came_at) == len(delays_s), within_s=15)

    lateness_s = arrivals.lateness_s()
    assert min(lateness_s) > -0.02, "a wait must never be cut short"
    assert max(lateness_s) < TOLERANCE_S


async def test_a_message_for_nobody_does_not_hold_up_the_rung(arrivals: Arrivals) -> None:
    nowhere = rest(0.5, "no.such.queue")
    for _ in range(40):
        await arrivals.bench.submit(exchange=nowhere.exchange, routing_key=nowhere.routing_key)

    async with arrivals.bench.consuming_with(one=arrivals):
        for _ in range(5):
            await arrivals.send(0.5)
        await eventually(lambda: len(arrivals.came_at) == 5)

    await eventually(lambda: _holds(arrivals.bench, "unroutable", 40))
    assert max(arrivals.lateness_s()) < TOLERANCE_S


async def test_priority_survives_the_ladder(amqp_url: str, database_url: str) -> None:
    order: list[Priority] = []

    async def note(job: Job[ExtractDocumentV1]) -> None:
        order.append(job.body.priority)

    async with bus_bench(amqp_url, database_url, work_queue(slots=1, inbox=False)) as bench:
        way = rest(0.25, bench.queue.name)
        for priority in (Priority.BULK, Priority.NORMAL, Priority.URGENT):
            await bench.submit(
                extract_document(priority=priority),
                exchange=way.exchange,
                routing_key=way.routing_key,
                priority=int(priority),
            )
        await eventually(lambda: _holds(bench, bench.queue.name, 3))
        async with bench.consuming_with(one=note):
            await eventually(lambda: len(order) == 3)

    assert order == [Priority.URGENT, Priority.NORMAL, Priority.BULK]


async def _holds(bench: BusBench, queue: str, count: int) -> bool:
    return await bench.depth(queue) == count

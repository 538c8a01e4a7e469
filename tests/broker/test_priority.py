"""Urgent work overtakes a backlog, as far as the prefetch lets it."""

from collections.abc import AsyncIterator

import pytest

from shared.bus.jobs import Job
from shared.contracts.body import Priority
from shared.contracts.orders import ExtractDocumentV1
from tests.broker.bus_bench import BusBench, bus_bench, work_queue
from tests.builders import extract_document
from tests.eventually import eventually

BACKLOG = 100


@pytest.fixture
async def bench(amqp_url: str, database_url: str) -> AsyncIterator[BusBench]:
    async with bus_bench(amqp_url, database_url, work_queue(slots=2)) as bench:
        yield bench


async def test_an_urgent_document_behind_a_backlog_is_among_the_next(bench: BusBench) -> None:
    order: list[Priority] = []

    async def note(job: Job[ExtractDocumentV1]) -> None:
        order.append(job.body.priority)
        if len(order) == 1:
            await _submit(bench, Priority.URGENT)

    for _ in range(BACKLOG):
        await _submit(bench, Priority.NORMAL)
    async with bench.consuming_with(one=note):
        await eventually(lambda: len(order) == BACKLOG + 1)

    # Two are in the hands of the consumer when it arrives, and one more may be on its way.
    assert order.index(Priority.URGENT) <= 4


async def test_the_relay_sends_the_most_urgent_first(bench: BusBench) -> None:
    levels = [Priority.BULK, Priority.NORMAL, Priority.URGENT, Priority.HIGH] * 5

    await bench.owe(*(extract_document(priority=level) for level in levels))
    await bench.relay.drain()

    assert await bench.depth() == len(levels)
    sent = [await bench.take() for _ in levels]
    priorities = [one.header.properties.priority for one in sent if one is not None]
    assert priorities == sorted((int(level) for level in levels), reverse=True)


async def _submit(bench: BusBench, priority: Priority) -> None:
    await bench.submit(extract_document(priority=priority), priority=int(priority))

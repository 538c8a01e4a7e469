"""Answers leave through the relay, and never hold up what is owed to ourselves.

Where they go was said by a stranger: the queue may be gone, full, or forbidden to us.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiormq.abc import DeliveredMessage
from pamqp.common import FieldValue

from shared.bus.connection import Link
from shared.bus.publisher import Publisher
from shared.contracts.answers import SubmissionAnsweredV1
from shared.contracts.envelope import decode, open_body
from shared.ledger.relay import Relay
from tests.broker.bus_bench import BusBench, bus_bench, work_queue
from tests.broker.messages import raw_channel
from tests.broker.vhosts import account
from tests.builders import extract_document, job
from tests.eventually import eventually

ANSWER = SubmissionAnsweredV1(outcome="rejected", reason="encrypted")


@pytest.fixture
async def bench(amqp_url: str, database_url: str) -> AsyncIterator[BusBench]:
    async with bus_bench(amqp_url, database_url, work_queue()) as bench:
        yield bench


async def _answer(bench: BusBench, *queues: str) -> None:
    async with bench.ledger.unit() as unit:
        for queue in queues:
            asked = job(extract_document(), reply_to=queue)
            unit.answer(ANSWER, to=asked)


async def _counts(bench: BusBench) -> tuple[Any, ...]:
    row = await bench.pool.fetchrow(
        "SELECT (SELECT count(*) FROM outbox), (SELECT count(*) FROM outbox_later),"
        " (SELECT count(*) FROM outbox_parked)"
    )
    return tuple(row or ())


async def test_an_answer_reaches_the_queue_of_who_asked(bench: BusBench) -> None:
    heard: list[DeliveredMessage] = []

    async def arrived(message: DeliveredMessage) -> None:
        heard.append(message)

    async with raw_channel(bench.amqp_url) as channel:
        queue = (await channel.queue_declare(exclusive=True, auto_delete=True)).queue or ""
        await channel.basic_consume(queue, arrived, no_ack=True)
        await _answer(bench, queue)
        await bench.relay.drain()
        await eventually(lambda: heard)

    assert open_body(decode(heard[0].body)) == ANSWER
    assert heard[0].header.properties.delivery_mode == 2


async def test_an_answer_to_nobody_is_neither_kept_nor_parked(bench: BusBench) -> None:
    await _answer(bench, "reply.of.nobody", "amq.gen-gone")
    await bench.owe(extract_document())

    await bench.relay.drain()

    assert await bench.depth() == 1
    assert await _counts(bench) == (0, 0, 0)


async def test_a_senders_full_queue_is_its_own_loss(bench: BusBench) -> None:
    full: dict[str, FieldValue] = {"x-max-length": 1, "x-overflow": "reject-publish"}
    async with raw_channel(bench.amqp_url) as channel:
        await channel.queue_declare("reply.full", exclusive=True, arguments=full)
        await _answer(bench, *["reply.full"] * 3)

        await bench.relay.drain()

        assert (await channel.queue_declare("reply.full", passive=True)).message_count == 1
    assert await _counts(bench) == (0, 0, 0)


async def test_without_the_right_to_answer_everything_else_still_leaves(
    bench: BusBench,
) -> None:
    await _answer(bench, "reply.acme")
    await bench.owe(extract_document(), extract_document())

    rights = {"configure": "^$", "write": "^jobs$", "read": "^$"}
    async with account(bench.amqp_url, rights) as mute, _relay(bench, mute) as relay:
        await relay.drain()

    assert await bench.depth() == 2
    # The answer waits for the right to be given; its own counter says so.
    assert await _counts(bench) == (0, 1, 0)


@asynccontextmanager
async def _relay(bench: BusBench, amqp_url: str) -> AsyncIterator[Relay]:
    link = Link(amqp_url, purpose="publish", name="mute")
    keeping = asyncio.ensure_future(link.keep())
    try:
        await eventually(lambda: link.is_up)
        yield Relay(bench.pool, Publisher(link, app_id="mute"))
    finally:
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)

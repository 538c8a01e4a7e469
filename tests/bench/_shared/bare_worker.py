"""A worker of the bare work: aio-pika and asyncpg, commit, then send, then acknowledge.

`python -m tests.bench._shared.bare_worker AMQP_URL DATABASE_URL FOLDER [--sync]`. It says when
it is ready, takes nothing before it is told to by a line, and ends when told by another.
"""

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import aio_pika
import asyncpg
from aio_pika.abc import AbstractChannel, AbstractIncomingMessage

from shared.process.doors import new_loop
from tests.bench._shared.bare_work import SCHEMA, BareWork
from tests.bench._shared.report import say

EXTRACT, STORE, REVIEW = QUEUES = ("bare.extract", "bare.store", "bare.review")
PREFETCH = 20
READY = "ready"
PARSER = argparse.ArgumentParser()
PARSER.add_argument("amqp_url")
PARSER.add_argument("database_url")
PARSER.add_argument("folder", type=Path)
PARSER.add_argument("--sync", action="store_true")

Stage = Callable[[bytes], Awaitable[bytes | None]]


async def work(given: argparse.Namespace) -> None:
    connection = await aio_pika.connect(given.amqp_url)
    pool = asyncpg.create_pool(
        given.database_url, min_size=4, max_size=8, server_settings={"search_path": SCHEMA}
    )
    async with connection, pool, connection.channel() as publishing:
        bare = BareWork(pool, given.folder, given.sync)
        say(READY)
        await asyncio.to_thread(sys.stdin.readline)
        stages: Sequence[tuple[str, Stage, str]] = (
            (EXTRACT, bare.extract, STORE),
            (STORE, bare.store, REVIEW),
            (REVIEW, bare.review, ""),
        )
        for queue, stage, after in stages:
            channel = await connection.channel(publisher_confirms=False)
            await _take(channel, queue, _settled(stage, after, publishing))
        await asyncio.to_thread(sys.stdin.readline)


async def _take(
    channel: AbstractChannel,
    queue: str,
    handle: Callable[[AbstractIncomingMessage], Awaitable[None]],
) -> None:
    await channel.set_qos(prefetch_count=PREFETCH)
    await (await channel.get_queue(queue)).consume(handle)


def _settled(
    stage: Stage, after: str, publishing: AbstractChannel
) -> Callable[[AbstractIncomingMessage], Awaitable[None]]:
    async def handle(message: AbstractIncomingMessage) -> None:
        told = await stage(message.body)
        if told is not None:
            await publishing.default_exchange.publish(durable(told), after)
        await message.ack()

    return handle


def durable(body: bytes) -> aio_pika.Message:
    return aio_pika.Message(body, delivery_mode=aio_pika.DeliveryMode.PERSISTENT)


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(work(PARSER.parse_args()))

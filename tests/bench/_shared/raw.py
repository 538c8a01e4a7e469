"""The broker without us: what the client library can do by itself, in four ways.

Our own rates mean something only beside these, taken from the same queue in the same round.
The last two are the fastest that this client has: ready bytes and nothing but waiting for
their confirmations, and a counter with an acknowledgement for many at once.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import aio_pika
import pamqp.frame
from aio_pika.abc import AbstractIncomingMessage
from aiormq.abc import ChannelFrame
from pamqp import commands
from pamqp.body import ContentBody
from pamqp.header import ContentHeader

from shared.bus.frames import Outgoing

PREFETCH = 200
ACK_EVERY = 100
WINDOW = 100
BULK = 500


@asynccontextmanager
async def raw_client(amqp_url: str, queue: str, exchange: str) -> AsyncIterator["RawClient"]:
    connection = await aio_pika.connect(amqp_url)
    async with connection:
        channel = await connection.channel(on_return_raises=True)
        yield RawClient(
            connection,
            channel,
            await channel.get_exchange(exchange),
            await channel.get_queue(queue),
        )


class RawClient:
    def __init__(
        self,
        connection: aio_pika.abc.AbstractConnection,
        channel: aio_pika.abc.AbstractChannel,
        exchange: aio_pika.abc.AbstractExchange,
        queue: aio_pika.abc.AbstractQueue,
    ) -> None:
        self._connection = connection
        self._channel = channel
        self._exchange = exchange
        self._queue = queue

    async def publish_one_by_one(self, messages: Sequence[Outgoing]) -> None:
        for message in messages:
            await self._publish(message)

    async def publish_in_window(self, messages: Sequence[Outgoing]) -> None:
        left = iter(messages)

        async def keep_publishing() -> None:
            for message in left:
                await self._publish(message)

        await asyncio.gather(*(keep_publishing() for _ in range(WINDOW)))

    async def marshalled(self, messages: Sequence[Outgoing]) -> list[list[bytes]]:
        """The frames of each message, in the pieces that one write takes; off the clock."""
        number = (await self._channel.get_underlay_channel()).number
        frames = [_frames(message, number, str(n)) for n, message in enumerate(messages)]
        return [frames[start : start + BULK] for start in range(0, len(frames), BULK)]

    async def publish_in_bulk(self, writes: Sequence[Sequence[bytes]]) -> None:
        channel: Any = await self._channel.get_underlay_channel()
        for frames in writes:
            confirmed = []
            for _ in frames:
                channel.delivery_tag += 1
                future = channel.create_future()
                channel.confirmations[channel.delivery_tag] = future
                confirmed.append(future)
            joined = b"".join(frames)
            await channel.write_queue.put(ChannelFrame(joined, should_close=False))
            await asyncio.gather(*confirmed)

    async def consume(self, count: int) -> None:
        taken, enough = 0, asyncio.Event()

        async def take(message: AbstractIncomingMessage) -> None:
            nonlocal taken
            taken += 1
            if taken % ACK_EVERY == 0 or taken == count:
                await message.ack(multiple=True)
            if taken == count:
                enough.set()

        async with self._connection.channel(publisher_confirms=False) as channel:
            await channel.set_qos(prefetch_count=PREFETCH)
            queue = await channel.get_queue(self._queue.name)
            tag = await queue.consume(take)
            await enough.wait()
            await queue.cancel(tag)

    async def purge(self) -> None:
        await self._queue.purge()

    async def _publish(self, message: Outgoing) -> None:
        await self._exchange.publish(
            aio_pika.Message(
                message.body,
                content_type=message.content_type,
                delivery_mode=aio_pika.DeliveryMode.PERSISTENT,
                headers=dict(message.headers),
                priority=message.priority,
                type=message.type,
            ),
            message.routing_key,
            mandatory=True,
        )


def _frames(message: Outgoing, channel: int, message_id: str) -> bytes:
    properties = commands.Basic.Properties(
        content_type=message.content_type,
        delivery_mode=2,
        headers=dict(message.headers),
        message_id=message_id,
        priority=message.priority,
        message_type=message.type,
    )
    publish = commands.Basic.Publish(
        exchange=message.exchange, routing_key=message.routing_key, mandatory=True
    )
    parts = (
        publish,
        ContentHeader(body_size=len(message.body), properties=properties),
        ContentBody(message.body),
    )
    return b"".join(pamqp.frame.marshal(part, channel) for part in parts)

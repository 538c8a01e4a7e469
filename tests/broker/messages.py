"""Looking at messages, and doing to a broker what a person with rights might do by hand."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiormq.abc import AbstractChannel, DeliveredMessage

from shared.bus.headers import DEAD_REASON, Headers, as_text
from shared.dialling import dial


@asynccontextmanager
async def raw_channel(amqp_url: str) -> AsyncIterator[AbstractChannel]:
    """A channel on a connection of its own."""
    connection = await dial(amqp_url)
    try:
        async with connection.channel() as channel:
            yield await channel.get_underlay_channel()
    finally:
        await connection.close()


def headers_of(message: DeliveredMessage) -> Headers:
    received = message.header.properties.headers or {}
    return {name: as_text(value) for name, value in received.items()}


def reason_of(message: DeliveredMessage) -> str:
    return headers_of(message)[DEAD_REASON]

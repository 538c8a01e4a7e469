"""A connection to the broker, or none: what could not be opened is closed here.

aio-pika closes it when the garbage collector finds it; that may be in a thread without a
loop, where a close that nobody awaits is all that comes of it.
"""

from contextlib import AsyncExitStack

import aio_pika
from aio_pika.abc import AbstractConnection
from pamqp.common import FieldTable
from yarl import URL


async def dial(
    url: str | URL, *, name: str | None = None, timeout_s: float | None = None
) -> AbstractConnection:
    """`name` is what the broker's own pages call it."""
    properties: FieldTable | None = {"connection_name": name} if name else None
    connection = aio_pika.Connection(URL(url), client_properties=properties)
    async with AsyncExitStack() as undo:
        undo.push_async_callback(connection.close)
        await connection.connect(timeout=timeout_s)
        undo.pop_all()
    return connection

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
        try:
            await connection.connect(timeout=timeout_s)
        except StopAsyncIteration as error:
            # So the client calls a connection that was taken and closed again before it was
            # open, as a balancer does whose nodes are all down.
            raise ConnectionError("closed by the other side while it was opened") from error
        undo.pop_all()
    return connection

"""How losing the broker looks to a program: what the client raises, and what it should."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from aio_pika.exceptions import AMQPError

# What the client may raise when the broker, or the way to it, is not well.
BROKER_ERRORS = (AMQPError, OSError, TimeoutError, asyncio.InvalidStateError, RuntimeError)


@contextmanager
def loss_as_error() -> Iterator[None]:
    """What waits for a connection that fell silent is rejected by the client with a
    cancellation that nobody ordered. Left alone, it would end a task of ours without a word."""
    try:
        yield
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise ConnectionError("the connection was given up") from error

"""What could not be opened leaves nothing behind."""

import aio_pika
import pytest
from aio_pika.exceptions import AMQPConnectionError

from shared.dialling import dial


async def test_a_connection_that_was_refused_is_closed_already(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[aio_pika.Connection] = []

    class Remembered(aio_pika.Connection):
        async def connect(self, timeout: float | None = None) -> None:  # noqa: ASYNC109 -- theirs
            made.append(self)
            await super().connect(timeout)

    monkeypatch.setattr(aio_pika, "Connection", Remembered)

    with pytest.raises(AMQPConnectionError):
        await dial("amqp://nobody:wrong@127.0.0.1:1/none", timeout_s=5)

    assert [one.is_closed for one in made] == [True]


async def test_a_connection_that_is_closed_while_it_is_opened_is_no_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # As a balancer closes it whose nodes are down. What the client says of it, now and then,
    # is not what it says of a broker that is away, and would end our process.
    class CutOff(aio_pika.Connection):
        async def connect(self, timeout: float | None = None) -> None:  # noqa: ASYNC109 -- theirs
            raise StopAsyncIteration

    monkeypatch.setattr(aio_pika, "Connection", CutOff)

    with pytest.raises(ConnectionError):
        await dial("amqp://nobody:wrong@127.0.0.1:1/none", timeout_s=5)

"""Publishing with a confirmation for every message, many messages in one write.

The outcome of a publish is one of four, and `unknown` is one of them: a publish that timed
out may well have arrived. Whoever gets it sends again, and consumers drop the copy.
A fresh AMQP message id is made for every publish, because the client matches returned
messages to publishes by it and confuses two in flight with the same id.
"""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Sequence
from enum import Enum
from itertools import count
from secrets import token_hex
from typing import TYPE_CHECKING, Any, cast

from aiormq.abc import AbstractChannel, ChannelFrame
from aiormq.exceptions import PublishError

from shared.bus.connection import Link, close_channel
from shared.bus.frames import Outgoing, publish_frames
from shared.bus.losses import BROKER_ERRORS, loss_as_error
from shared.errors import Retryable
from shared.observability.metrics import (
    PUBLISH_SECONDS,
    PUBLISH_UNKNOWN,
    PUBLISH_UNROUTABLE,
    PUBLISHED,
)

if TYPE_CHECKING:
    from aiormq.channel import Channel

log = logging.getLogger(__name__)

PUBLISH_TIMEOUT_S = 10.0


class Outcome(Enum):
    CONFIRMED = "confirmed"
    # Nobody's queue took it: the broker handed it back.
    RETURNED = "returned"
    # The broker said no, as a full queue does.
    REFUSED = "refused"
    UNKNOWN = "unknown"


class Unroutable(Exception):
    """A message for which no queue is bound: the topology is broken, not the message."""


class Publisher:
    def __init__(
        self, link: Link, *, app_id: str, timeout_s: float = PUBLISH_TIMEOUT_S
    ) -> None:
        self._link = link
        self._app_id = app_id
        self._timeout_s = timeout_s
        self._channel: AbstractChannel | None = None
        # On which nothing more is published; others may still wait for its confirmations.
        self._left = set[AbstractChannel]()
        self._opening = asyncio.Lock()
        # The client's queue of writes may be full, and whoever waits there can be overtaken:
        # then the tags we count and the order the broker counts would come apart.
        self._writing = asyncio.Lock()
        self._prefix = token_hex(6)
        self._numbers = count()

    async def publish(self, messages: Sequence[Outgoing]) -> list[Outcome]:
        """Never raises for what the broker does; says what became of each message."""
        if not messages:
            return []
        started = time.monotonic()
        outcomes = await self._publish(messages)
        PUBLISH_SECONDS.observe(time.monotonic() - started)
        _tell(messages, outcomes)
        return outcomes

    async def publish_one(self, message: Outgoing) -> None:
        [outcome] = await self.publish([message])
        if outcome is Outcome.RETURNED:
            raise Unroutable(f"no queue is bound for {message.exchange} {message.routing_key}")
        if outcome is not Outcome.CONFIRMED:
            raise Retryable(f"publish {outcome.value}", dependency="broker")

    async def close(self) -> None:
        channel, self._channel = self._channel, None
        left, self._left = self._left, set()
        if channel is not None:
            left.add(channel)
        for one in left:
            await close_channel(one)

    async def _publish(self, messages: Sequence[Outgoing]) -> list[Outcome]:
        batch: _Batch | None = None
        try:
            with loss_as_error():
                async with asyncio.timeout(self._timeout_s):
                    channel = await self._open()
                    batch = _Batch(channel, [self._new_id() for _ in messages])
                    async with self._writing:
                        await batch.write(messages, self._app_id)
                    await batch.settled
        except (Retryable, *BROKER_ERRORS) as error:
            log.warning("publish_unknown", extra={"error": repr(error), "count": len(messages)})
            # Late confirmations of this channel would be taken for later messages' own.
            await self.close()
        if batch is None:
            return [Outcome.UNKNOWN] * len(messages)
        batch.forget()
        if Outcome.REFUSED in batch.outcomes:
            self._leave(channel)
        await self._close_left()
        return batch.outcomes

    def _leave(self, channel: AbstractChannel) -> None:
        """Where a quorum queue of RabbitMQ 3.10 had no leader when a channel first published to
        it, it refuses whatever comes by that channel, long after it has got one."""
        if self._channel is channel:
            self._channel = None
        self._left.add(channel)

    async def _close_left(self) -> None:
        done = {one for one in self._left if one.is_closed or not _is_awaited(one)}
        self._left -= done
        for one in done:
            await close_channel(one)

    def _new_id(self) -> str:
        return f"{self._prefix}{next(self._numbers):x}"

    async def _open(self) -> AbstractChannel:
        async with self._opening:
            if self._channel is None or self._channel.is_closed:
                self._channel = await self._link.open_channel(confirms=True)
            return self._channel


def _is_awaited(channel: AbstractChannel) -> bool:
    return bool(cast("Channel", channel).confirmations)


def _tell(messages: Sequence[Outgoing], outcomes: Sequence[Outcome]) -> None:
    # Counted first: finding a labelled series costs as much as building a message's frames.
    exchanges = (message.exchange for message in messages)
    for (exchange, outcome), number in Counter(zip(exchanges, outcomes, strict=True)).items():
        match outcome:
            case Outcome.UNKNOWN:
                PUBLISH_UNKNOWN.labels(exchange).inc(number)
            case Outcome.RETURNED:
                PUBLISH_UNROUTABLE.labels(exchange).inc(number)
            case _:
                PUBLISHED.labels(exchange, outcome.value).inc(number)


class _Batch:
    """Messages that are written at once and whose confirmations are awaited together."""

    def __init__(self, channel: AbstractChannel, ids: list[str]) -> None:
        self._channel: Any = channel
        self._ids = ids
        self._open = len(ids)
        self.outcomes = [Outcome.UNKNOWN] * len(ids)
        # Rejected by the client when the channel closes, so nobody waits for ever.
        self.settled: asyncio.Future[None] = self._channel.create_future()

    async def write(self, messages: Sequence[Outgoing], app_id: str) -> None:
        # Under the publisher's lock: the broker counts messages in the order of their bytes.
        channel, now = self._channel, int(time.time())
        frame_max = channel.connection.connection_tune.frame_max
        payload = []
        for index, (message, message_id) in enumerate(zip(messages, self._ids, strict=True)):
            frames = publish_frames(
                message,
                channel=channel.number,
                message_id=message_id,
                stamp=(now, app_id),
                frame_max=frame_max,
            )
            payload.append(frames)
            channel.delivery_tag += 1
            channel.confirmations[channel.delivery_tag] = _Slot(self, index)
            channel.message_id_delivery_tag[message_id] = channel.delivery_tag
        await channel.write_queue.put(ChannelFrame(b"".join(payload), should_close=False))

    def settle(self, index: int, outcome: Outcome) -> None:
        self.outcomes[index] = outcome
        self._open -= 1
        if not self._open and not self.settled.done():
            self.settled.set_result(None)

    def forget(self) -> None:
        for message_id in self._ids:
            self._channel.message_id_delivery_tag.pop(message_id, None)


class _Slot:
    """Stands where the client expects one future per message; a list entry is cheaper."""

    __slots__ = ("_batch", "_done", "_index")

    def __init__(self, batch: _Batch, index: int) -> None:
        self._batch = batch
        self._index = index
        self._done = False

    def done(self) -> bool:
        return self._done

    def cancelled(self) -> bool:
        return False

    def set_result(self, _: object) -> None:
        self._settle(Outcome.CONFIRMED)

    def set_exception(self, error: BaseException) -> None:
        returned = isinstance(error, PublishError)
        self._settle(Outcome.RETURNED if returned else Outcome.REFUSED)

    def _settle(self, outcome: Outcome) -> None:
        self._done = True
        self._batch.settle(self._index, outcome)

"""A queue whose arguments changed is made anew without losing a message it holds.

RabbitMQ keeps the arguments a queue was made with. So another queue stands in for it and takes
what comes; what it held moves there, it is deleted and declared as planned, and everything
moves back. A message is confirmed where it arrives before it is acknowledged where it was: a
kill in between doubles it, which every consumer bears. The stand-in is named after its queue,
so that a second run finishes what the first began.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import uuid4

from aio_pika.abc import AbstractConnection
from aiormq.abc import AbstractChannel, DeliveredMessage
from pamqp.common import FieldTable

from shared.failpoints import failpoint
from shared.topology.declare import (
    active,
    asked,
    bind,
    connected,
    opened,
    passive,
    unbind,
)
from shared.topology.plan import Binding, Plan, Queue

AT_ONCE = 200
MOVE_TIMEOUT_S = 3_600.0
STAND_IN = ".stand-in"
LOOKS_MAX = 100
LOOK_EVERY_S = 0.1


class InUse(Exception):
    """Somebody consumes from it, and what they hold cannot be moved; or it is never empty."""

    def __init__(self, queue: str, consumers: int) -> None:
        super().__init__(
            f"queue {queue} has {consumers} consumers: stop the services that take from it"
            if consumers
            else f"queue {queue} keeps being filled by a binding that `verify` calls unknown"
        )


@dataclass(frozen=True, slots=True)
class Moved:
    queue: str
    messages: int


async def migrate(url: str, plan: Plan) -> list[Moved]:
    """Every queue that exists with other arguments, and what an earlier run left behind."""
    moved = []
    async with connected(url, within_s=MOVE_TIMEOUT_S) as connection:
        changed = [one for one in plan.queues if await _needs_moving(connection, one)]
        # All are asked before the first is touched.
        for queue in changed:
            await _require_unused(connection, queue)
        for queue in changed:
            bindings = [one for one in plan.bindings if _leads_to(one, queue)]
            moved.append(await _made_anew(connection, queue, bindings))
    return moved


async def _needs_moving(connection: AbstractConnection, queue: Queue) -> bool:
    stand_in = Queue(queue.name + STAND_IN, {})
    return await _exists(connection, stand_in) or await _is_altered(connection, queue)


async def _exists(connection: AbstractConnection, queue: Queue) -> bool:
    return await asked(connection, passive(queue)) is None


async def _is_altered(connection: AbstractConnection, queue: Queue) -> bool:
    # Only what exists may be declared again: that compares arguments, nothing else.
    return (
        await _exists(connection, queue) and await asked(connection, active(queue)) == "altered"
    )


async def _require_unused(connection: AbstractConnection, queue: Queue) -> None:
    # One that is as planned already may be in use: it only gets its messages back.
    if not await _is_altered(connection, queue):
        return
    async with opened(connection) as channel:
        found = await channel.queue_declare(queue.name, passive=True)
    if found.consumer_count:
        raise InUse(queue.name, found.consumer_count)


async def _made_anew(
    connection: AbstractConnection, queue: Queue, bindings: Sequence[Binding]
) -> Moved:
    stand_in = queue.name + STAND_IN
    there = [_to(stand_in, one) for one in bindings]
    async with opened(connection) as channel:
        await channel.queue_declare(
            stand_in, durable=True, arguments={"x-queue-type": "quorum"}
        )
        # Never is there a moment in which nobody takes what comes.
        for binding in there:
            await bind(channel, binding)
    await failpoint("topology.stand_in_bound")
    if await _is_altered(connection, queue):
        async with opened(connection) as channel:
            for binding in bindings:
                await unbind(channel, binding)
        await _moved_and_deleted(connection, queue.name, stand_in)
    await failpoint("topology.queue_deleted")
    async with opened(connection) as channel:
        await active(queue)(channel)
        for binding in bindings:
            await bind(channel, binding)
        for binding in there:
            await unbind(channel, binding)
    await failpoint("topology.queue_bound")
    return Moved(queue.name, await _moved_and_deleted(connection, stand_in, queue.name))


async def _moved_and_deleted(connection: AbstractConnection, source: str, target: str) -> int:
    moved = looks = 0
    consumers: int | None = 0
    while looks < LOOKS_MAX:
        count = await _all_moved(connection, source, target)
        moved += count
        looks = 0 if count else looks + 1
        consumers = await _consumers_or_deleted(connection, source)
        if consumers is None:
            return moved
        # Whoever took from a quorum queue by hand counts as a consumer of it until it has
        # noted the acknowledgement, which is a moment later.
        await asyncio.sleep(LOOK_EVERY_S)
    raise InUse(source, consumers or 0)


async def _consumers_or_deleted(connection: AbstractConnection, queue: str) -> int | None:
    """None once it is deleted: only when it is empty and nobody takes from it."""
    async with opened(connection) as channel:
        # Quorum queues know no deletion on condition, so it is asked first.
        found = await channel.queue_declare(queue, passive=True)
        if found.message_count or found.consumer_count:
            return found.consumer_count or 0
        await channel.queue_delete(queue)
    return None


async def _all_moved(connection: AbstractConnection, source: str, target: str) -> int:
    count = 0
    async with opened(connection) as channel:
        while batch := await _taken(channel, source):
            await asyncio.gather(*(_published(channel, one, target) for one in batch))
            await failpoint("topology.moved")
            await channel.basic_ack(batch[-1].delivery_tag or 0, multiple=True)
            count += len(batch)
    return count


async def _taken(channel: AbstractChannel, queue: str) -> list[DeliveredMessage]:
    taken: list[DeliveredMessage] = []
    while len(taken) < AT_ONCE:
        message = await channel.basic_get(queue)
        if message.delivery_tag is None:
            break
        taken.append(message)
    return taken


async def _published(channel: AbstractChannel, message: DeliveredMessage, to: str) -> None:
    properties = message.header.properties
    # The client tells two publishes in flight apart by their id.
    properties.message_id = uuid4().hex
    properties.headers = _without_the_past(properties.headers or {})
    await channel.basic_publish(
        message.body, routing_key=to, properties=properties, mandatory=True
    )


def _without_the_past(headers: FieldTable) -> FieldTable:
    """What the broker wrote (deaths, delivery counts) would be believed in the new queue."""
    return {
        name: value
        for name, value in headers.items()
        if not name.startswith("x-") and name not in ("CC", "BCC")
    }


def _leads_to(binding: Binding, queue: Queue) -> bool:
    return binding.destination == queue.name and not binding.to_exchange


def _to(queue: str, binding: Binding) -> Binding:
    return Binding(binding.source, queue, binding.routing_key)

"""From the plan to a broker, and back: declare what is missing, find what was altered.

Arguments of a queue cannot be changed once it exists, so a difference is told and never
repaired here. Bindings cannot be listed over AMQP; they are compared through the broker's
management API (`shared/topology/inspect.py`) when its address is known.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from aio_pika.abc import AbstractConnection
from aiormq.abc import AbstractChannel
from aiormq.exceptions import ChannelNotFoundEntity, ChannelPreconditionFailed
from pamqp.common import FieldValue

from shared.dialling import dial
from shared.topology.plan import Binding, Exchange, Plan, Queue

CONNECT_TIMEOUT_S = 5.0
PLAN_TIMEOUT_S = 120.0

Call = Callable[[AbstractChannel], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Difference:
    what: str
    problem: str  # missing | altered | unknown

    def __str__(self) -> str:
        return f"{self.what}: {self.problem}"


@dataclass(frozen=True, slots=True)
class Applied:
    created: tuple[str, ...]
    # What exists with other arguments: that is for `migrate`, not for declaring again.
    altered: tuple[Difference, ...]


async def apply(url: str, plan: Plan) -> Applied:
    """Declare everything. Saying it twice changes nothing."""
    created: list[str] = []
    altered: list[Difference] = []
    async with connected(url) as connection:
        for item in _declared(plan):
            is_new = await asked(connection, passive(item)) == "missing"
            problem = await asked(connection, active(item))
            if problem:
                altered.append(Difference(_name(item), problem))
            elif is_new:
                created.append(_name(item))
        async with opened(connection) as channel:
            for binding in plan.bindings:
                await bind(channel, binding)
    return Applied(tuple(created), tuple(altered))


async def differences(url: str, plan: Plan) -> list[Difference]:
    """What is missing or was altered by hand, as far as AMQP tells. Declares nothing new."""
    found = []
    async with connected(url) as connection:
        for item in _declared(plan):
            problem = await asked(connection, passive(item))
            # Only what exists may be declared again: that compares arguments, nothing else.
            problem = problem or await asked(connection, active(item))
            if problem:
                found.append(Difference(_name(item), problem))
    return found


async def missing_queues(url: str, names: Iterable[str]) -> list[str]:
    async with connected(url) as connection:
        return [
            name
            for name in names
            if await asked(connection, passive(Queue(name, {}))) == "missing"
        ]


def _declared(plan: Plan) -> tuple[Exchange | Queue, ...]:
    return (*plan.exchanges, *plan.queues)


@asynccontextmanager
async def connected(
    url: str, *, within_s: float = PLAN_TIMEOUT_S
) -> AsyncIterator[AbstractConnection]:
    connection = await dial(url, timeout_s=CONNECT_TIMEOUT_S)
    try:
        async with asyncio.timeout(within_s):
            yield connection
    finally:
        await connection.close()


@asynccontextmanager
async def opened(connection: AbstractConnection) -> AsyncIterator[AbstractChannel]:
    """A channel. After a refusal the broker has closed it, and there is nothing to close."""
    if connection.transport is None:
        raise ConnectionError("the broker closed the connection")
    try:
        channel = await connection.transport.connection.channel()
        try:
            yield channel
        finally:
            if not channel.is_closed:
                await channel.close()
    except (RuntimeError, asyncio.InvalidStateError) as closed:
        # The client's words for a connection that was lost while it was not looking.
        raise ConnectionError(f"the broker closed the connection: {closed}") from closed


async def asked(connection: AbstractConnection, call: Call) -> str | None:
    """What the broker objects to. A refusal closes the channel, hence one for each question."""
    async with opened(connection) as channel:
        try:
            await call(channel)
        except ChannelNotFoundEntity:
            return "missing"
        except ChannelPreconditionFailed:
            return "altered"
    return None


def passive(item: Exchange | Queue) -> Call:
    if isinstance(item, Exchange):
        return lambda channel: channel.exchange_declare(item.name, passive=True)
    return lambda channel: channel.queue_declare(item.name, passive=True)


def active(item: Exchange | Queue) -> Call:
    arguments: dict[str, FieldValue] = dict(item.arguments)
    if isinstance(item, Exchange):
        return lambda channel: channel.exchange_declare(
            item.name, exchange_type=item.kind, durable=True, arguments=arguments
        )
    return lambda channel: channel.queue_declare(item.name, durable=True, arguments=arguments)


async def bind(channel: AbstractChannel, binding: Binding) -> None:
    if binding.to_exchange:
        await channel.exchange_bind(
            destination=binding.destination,
            source=binding.source,
            routing_key=binding.routing_key,
        )
    else:
        await channel.queue_bind(
            queue=binding.destination,
            exchange=binding.source,
            routing_key=binding.routing_key,
        )


async def unbind(channel: AbstractChannel, binding: Binding) -> None:
    """From a queue: bindings between exchanges are never taken away."""
    await channel.queue_unbind(
        queue=binding.destination, exchange=binding.source, routing_key=binding.routing_key
    )


def _name(item: Exchange | Queue) -> str:
    return f"{'exchange' if isinstance(item, Exchange) else 'queue'} {item.name}"

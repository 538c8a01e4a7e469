"""How far one extractor has come at a moment, and what everybody had used by then.

Asked of the database, the broker and the provider's double, never of the extractor itself: it
has better things to do while it is measured.
"""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aio_pika
import asyncpg
from pamqp.commands import Queue

from deploy.local import gemini_double, processes
from deploy.local.endpoints import endpoints
from shared.topology.queues import EXTRACT
from tests.bench._shared.cost import pid_of, tree_cpu_s
from tests.bench._shared.household import Household, household_of
from tests.bench._shared.model_calls import Model
from tests.system.replicas import Replica
from tests.system.stack import Stack

# An answer that is kept is a document read; the second column is what was read without the
# provider.
KEPT = "SELECT count(*), count(*) FILTER (WHERE degraded) FROM extractor.processed_documents"


@dataclass(frozen=True, slots=True)
class Moment:
    at: float
    read: int
    degraded: int
    waiting: int
    in_flight: int
    home: Household
    database_s: float
    broker_s: float
    double_s: float


class Watch:
    def __init__(
        self,
        extractor: Replica,
        model: Model,
        database: "asyncpg.Connection[asyncpg.Record]",
        waiting: "Waiting",
    ) -> None:
        self._state = extractor.state
        self._model = model
        self._database = database
        self._waiting = waiting
        process = processes.running(extractor.state, extractor.component)
        assert process is not None
        self._pid = process.pid

    async def moment(self) -> Moment:
        seen = await self._model.seen()
        row = await self._database.fetchrow(KEPT)
        assert row is not None
        return Moment(
            at=time.monotonic(),
            read=row[0],
            degraded=row[1],
            waiting=await self._waiting.count(),
            in_flight=seen["in_flight"],
            home=household_of(self._pid),
            database_s=self._cpu_s("postgres"),
            broker_s=self._cpu_s("rabbitmq"),
            double_s=self._cpu_s(gemini_double.COMPONENT),
        )

    def _cpu_s(self, component: str) -> float:
        return tree_cpu_s(pid_of(self._state, component)) or 0.0


class Waiting:
    """Orders that nobody has in hand."""

    def __init__(self, channel: aio_pika.abc.AbstractChannel) -> None:
        self._channel = channel

    async def count(self) -> int:
        return (await self._told()).message_count or 0

    async def is_taken(self) -> bool:
        """Somebody would take the next one."""
        return bool((await self._told()).consumer_count)

    async def _told(self) -> Queue.DeclareOk:
        queue = await self._channel.declare_queue(EXTRACT.name, passive=True)
        return queue.declaration_result


@asynccontextmanager
async def waiting_in(stack: Stack) -> AsyncIterator[Waiting]:
    connection = await aio_pika.connect(endpoints(stack.state).amqp["admin"])
    async with connection, connection.channel() as channel:
        yield Waiting(channel)


@asynccontextmanager
async def watch_over(
    extractor: Replica, model: Model, waiting: Waiting
) -> AsyncIterator[Watch]:
    database = await asyncpg.connect(extractor.database_url)
    try:
        yield Watch(extractor, model, database, waiting)
    finally:
        await database.close()

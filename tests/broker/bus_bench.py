"""A piece of the real bus: one queue of its own, a ledger, and everything between them.

The queue takes the extractor's orders, because any order does; its handlers are the test's.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from secrets import token_hex
from typing import Any
from urllib.parse import quote
from uuid import UUID

from aiormq.abc import DeliveredMessage

import shared.ledger
from shared.bus.connection import Link
from shared.bus.consumer import Bus, Consumption
from shared.bus.frames import Outgoing
from shared.bus.jobs import BatchHandler, JobHandler
from shared.bus.publisher import Publisher
from shared.bus.queue_consumer import QueueConsumer
from shared.bus.running import Solo
from shared.contracts.body import Body, DocumentBody, Priority
from shared.contracts.envelope import Envelope, decode, encode
from shared.contracts.identity import derived_id, new_id
from shared.contracts.orders import ExtractDocumentV1
from shared.database.clock import DatabaseClock
from shared.database.pool import DatabaseSettings, Pool, open_pool
from shared.errors import Retryable
from shared.ledger.board import PostgresPauseBoard
from shared.ledger.port import Unit
from shared.ledger.postgres import INSERT_OUTBOX, PostgresLedger
from shared.ledger.record import PostgresJobRecord
from shared.ledger.relay import Relay
from shared.ledger.rows import columns, row_for
from shared.topology.declare import apply
from shared.topology.plan import plan
from shared.topology.queues import JOBS, PRIORITY_MAX, WorkQueue, dead_queue
from tests.broker.database import Servers, migrations_of
from tests.broker.tables import make_tables_at
from tests.broker.vhosts import BrokerApi
from tests.builders import extract_document as extract_order
from tests.eventually import eventually

EFFECTS = "CREATE TABLE effects (document_id uuid, job_id uuid, at timestamptz DEFAULT now())"


def work_queue(**changes: Any) -> WorkQueue:  # noqa: ANN401
    """A queue that nobody else uses, with waits that a test can see the end of."""
    given = {
        "name": f"bench.{token_hex(4)}",
        "takes": (ExtractDocumentV1,),
        "priority_max": PRIORITY_MAX,
        "backoff_base_s": 0.25,
        "timeout_s": 30.0,
        "fails_document": True,
        **({} if "batch" in changes else {"slots": 4}),
        **changes,
    }
    return WorkQueue(**given)


@dataclass(slots=True)
class BusBench:
    queue: WorkQueue
    amqp_url: str
    database_url: str
    schema: str
    pool: Pool
    clock: DatabaseClock
    publishing: Link
    consuming: Link
    publisher: Publisher
    relay: Relay
    ledger: PostgresLedger
    record: PostgresJobRecord
    board: PostgresPauseBoard
    stuck: list[str] = field(default_factory=list)
    drain_s: float = 5.0

    def bus(self) -> Bus:
        return Bus(
            link=self.consuming,
            publisher=self.publisher,
            record=self.record,
            board=self.board,
            solo=Solo(),
            on_stuck=self.stuck.append,
            drain_s=self.drain_s,
        )

    @asynccontextmanager
    async def consuming_with(
        self, one: JobHandler[Any] | None = None, many: BatchHandler[Any] | None = None
    ) -> AsyncIterator[QueueConsumer]:
        """A consumer that has begun, and that is drained at the end."""
        async with self.starting_with(one, many) as consumer:
            await eventually(self.has_consumer)
            yield consumer

    @asynccontextmanager
    async def starting_with(
        self, one: JobHandler[Any] | None = None, many: BatchHandler[Any] | None = None
    ) -> AsyncIterator[QueueConsumer]:
        consumer = QueueConsumer(Consumption(self.queue, one=one, many=many), self.bus())
        running = asyncio.ensure_future(consumer.run())
        try:
            yield consumer
        finally:
            await consumer.stop()
            await running

    async def submit(self, body: Body | None = None, **how: Any) -> UUID:  # noqa: ANN401
        """Publish an order straight to the queue. Returns its job id."""
        body, job_id = body or extract_order(), how.pop("job_id", None) or new_id()
        raw = encode(body, job_id=job_id, created_at=self.clock.now(), traceparent=None)
        await self.publish(raw, **how)
        return job_id

    async def publish(self, raw: bytes, **how: Any) -> None:  # noqa: ANN401
        given: dict[str, Any] = {
            "exchange": JOBS,
            "routing_key": self.queue.name,
            "type": ExtractDocumentV1.type,
            "priority": int(Priority.NORMAL),
            **how,
        }
        await self.publisher.publish_one(Outgoing(body=raw, **given))

    async def owe(self, *bodies: Body, routing_key: str | None = None) -> None:
        """Orders in the outbox, addressed to this bench's own queue, in one commit.

        Their job ids follow from their documents: a commit that was reported as an error and
        happened all the same may be said again."""
        now = self.clock.now()
        rows = [
            row_for(body, cause=None, job_id=_job_id(body), created_at=now) for body in bodies
        ]
        to = routing_key or self.queue.name
        values = columns([replace(row, routing_key=to) for row in rows])
        await self.pool.execute(INSERT_OUTBOX, *values)
        self.relay.wake()

    async def owed(self, *bodies: Body) -> bool:
        """The same, once the database takes it: for tests in which it goes away."""
        try:
            await self.owe(*bodies)
        except Retryable:
            return False
        return True

    async def drop_connections(self) -> None:
        """What a broker does that has had enough of somebody."""
        servers = Servers()
        assert servers.amqp_api_url is not None
        api = BrokerApi(servers.amqp_api_url)
        for found in await api.call("GET", "connections"):
            if (
                found.get("client_properties", {})
                .get("connection_name", "")
                .startswith(self.schema)
            ):
                await api.call("DELETE", f"connections/{quote(found['name'])}")

    async def effects_of(self, unit: Unit) -> None:
        """What the jobs of a unit do: one row each, in its transaction."""
        for job in unit.jobs:
            document_id = getattr(job.body, "document_id", None)
            await unit.connection.execute(
                "INSERT INTO effects (document_id, job_id) VALUES ($1, $2)",
                document_id,
                job.job_id,
            )

    async def effects(self) -> list[UUID]:
        """The job of each effect, doubles included."""
        return [row["job_id"] for row in await self.pool.fetch("SELECT job_id FROM effects")]

    async def outbox(self, type_: str | None = None) -> list[Envelope]:
        """What was written to be sent and is still here. Nobody listens to this bench's facts,
        so a relay parks them."""
        rows = await self.pool.fetch(
            "SELECT type, body FROM outbox UNION ALL SELECT type, body FROM outbox_parked"
        )
        return [decode(row["body"]) for row in rows if type_ in (None, row["type"])]

    async def depth(self, queue: str | None = None) -> int:
        async with self.consuming.channel() as channel:
            declared = await channel.queue_declare(queue or self.queue.name, passive=True)
        return declared.message_count or 0

    async def has_consumer(self) -> bool:
        async with self.consuming.channel() as channel:
            declared = await channel.queue_declare(self.queue.name, passive=True)
        return bool(declared.consumer_count)

    async def take(self, queue: str | None = None) -> DeliveredMessage | None:
        """One message, acknowledged."""
        async with self.consuming.channel() as channel:
            message = await channel.basic_get(queue or self.queue.name)
            if message.delivery_tag is None:
                return None
            await channel.basic_ack(message.delivery_tag)
        return message

    async def letter(self) -> DeliveredMessage:
        """The next dead letter. The relay has to carry it there first."""
        taken: list[DeliveredMessage] = []

        async def arrived() -> bool:
            await self.relay.drain()
            message = await self.take(dead_queue(self.queue.name))
            if message is not None:
                taken.append(message)
            return bool(taken)

        await eventually(arrived)
        return taken[0]

    async def is_quiet(self) -> bool:
        return await self.depth() == 0 and await self.depth(dead_queue(self.queue.name)) == 0


def _job_id(body: Body) -> UUID:
    return (
        derived_id(body.document_id, "owed", 0) if isinstance(body, DocumentBody) else new_id()
    )


@asynccontextmanager
async def bus_bench(
    amqp_url: str, database_url: str, queue: WorkQueue
) -> AsyncIterator[BusBench]:
    """A new queue and a new schema."""
    await apply(amqp_url, plan([queue]))
    schema = f"bus_{token_hex(4)}"
    await make_tables_at(database_url, schema=schema, locations=[migrations_of(shared.ledger)])
    async with open_bench(amqp_url, database_url, queue, schema) as bench:
        await bench.pool.execute(EFFECTS)
        yield bench


@asynccontextmanager
async def open_bench(
    amqp_url: str, database_url: str, queue: WorkQueue, schema: str
) -> AsyncIterator[BusBench]:
    """The connections to a queue and a schema that exist already."""
    settings = DatabaseSettings(database_url, acquire_timeout_s=2.0, connect_timeout_s=2.0)
    async with AsyncExitStack() as stack:
        pool = await open_pool(settings, schema=schema, application=schema)
        stack.push_async_callback(pool.close)
        clock = DatabaseClock()
        await clock.refresh(pool)
        bench = _assemble(amqp_url, database_url, schema, queue, pool, clock)
        background: Sequence[Callable[[], Coroutine[Any, Any, None]]] = (
            bench.publishing.keep,
            bench.consuming.keep,
            bench.board.run,
        )
        tasks = [asyncio.ensure_future(work()) for work in background]
        stack.push_async_callback(_cancel, tasks)
        await eventually(lambda: bench.publishing.is_up and bench.consuming.is_up)
        yield bench


def _assemble(
    amqp_url: str,
    database_url: str,
    schema: str,
    queue: WorkQueue,
    pool: Pool,
    clock: DatabaseClock,
) -> BusBench:
    publishing = Link(amqp_url, purpose="publish", name=schema)
    relay = Relay(pool, Publisher(publishing, app_id="relay"), poll_s=0.05)
    return BusBench(
        queue=queue,
        amqp_url=amqp_url,
        database_url=database_url,
        schema=schema,
        pool=pool,
        clock=clock,
        publishing=publishing,
        consuming=Link(amqp_url, purpose="consume", name=schema),
        publisher=Publisher(publishing, app_id="bench", timeout_s=5),
        relay=relay,
        ledger=PostgresLedger(pool, clock, wake=relay.wake),
        record=PostgresJobRecord(pool, clock, wake=relay.wake),
        board=PostgresPauseBoard(pool, clock, [queue.name], wake=relay.wake),
    )


async def _cancel(tasks: Sequence["asyncio.Future[None]"]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)

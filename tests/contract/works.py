"""A service at work, as far as its metrics go: its own handlers, on fakes, doing what they do
when all is well and when something is not."""

import shutil
from asyncio import StreamReader, StreamWriter, start_server
from collections import namedtuple
from contextlib import suppress
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast
from uuid import uuid4

import pytest

from services.extractor.adapters.breaker import PostgresBreaker
from services.extractor.domain.protection import BreakerState, BreakerTerms
from services.ingest.domain.sweeping import Patience
from services.ingest.domain.webhooks import Answer
from services.ingest.handlers.sweep import (
    measure_sweeps,
    start_sweeps_at_zero,
    sweep_documents,
)
from services.ingest.ports import Leftovers, Released, Stuck
from services.monitor.adapters.certificates import TlsCertificates
from services.monitor.domain.conservation import Violation
from services.monitor.domain.levels import Measured
from services.monitor.domain.overview import QueueState
from services.monitor.handlers.certifying import look_at_certificates
from services.monitor.handlers.conserving import check_conservation
from services.monitor.handlers.promising import check_levels
from services.monitor.handlers.surveying import measure
from shared.blobs import room
from shared.bus.consumer import Consumption
from shared.bus.ports import Pause
from shared.bus.queue_consumer import QueueConsumer
from shared.bus.telling import observe_way
from shared.clock import WallClock
from shared.contracts.body import Priority
from shared.database.pool import Pool
from shared.errors import Retryable
from shared.ledger.upkeep import Upkeep
from shared.observability import metrics
from shared.observability.exposition import start_queues_at_zero
from shared.topology.queues import REVIEW, WORK_QUEUES, WorkQueue
from tests import builders
from tests.fakes.certificates import certified_for
from tests.fakes.clock import NOON
from tests.fakes.deliveries import delivery
from tests.fakes.desk import DeskWorld
from tests.unit.ingest.desk import Desk
from tests.unit.ingest.webhook_world import ToldWorld
from tests.unit.monitor.world import World

# As `shutil.disk_usage` answers.
Disk = namedtuple("Disk", "total used free")
TERABYTE = 10**12
LOOKED_AT = Path("/")


class Works:
    def __init__(self, service: str) -> None:
        self.service = service
        # Whether the monitor measures.
        self.looks = True
        self._disk = pytest.MonkeyPatch()
        # Of a server with a certificate: the same address, also when it shows another.
        self._port = 0
        queues = [queue.name for queue in WORK_QUEUES if queue.service == service]
        start_queues_at_zero(queues)
        for name in queues:
            metrics.CONSUMERS.labels(name).set(1)

    async def begin(self) -> None:
        if self.service == "monitor":
            await self.prove()
        if self.service == "storage":
            await self.have_free(0.5)
        if self.service == "ingest":
            start_sweeps_at_zero()

    async def go_on(self) -> None:
        """What is done all the time."""
        if self.service == "monitor" and self.looks:
            self.monitor.clock.moment = WallClock().now()
            await measure(self.monitor.ports)

    @cached_property
    def monitor(self) -> World:
        world = World()
        world.clock.moment = WallClock().now()
        world.broker.queues = [QueueState(queue.name, 0, 0, 1) for queue in WORK_QUEUES]
        return world

    @cached_property
    def ingest(self) -> Desk:
        return Desk()

    async def prove(self, *violations: Violation, late: int = 0) -> None:
        """As every five minutes."""
        world = self.monitor
        world.conserved.violations = list(violations)
        world.numbers.measured = [Measured(Priority.NORMAL, due=100, late=late, excused=0)]
        world.duties.done.clear()
        await check_conservation(world.ports)
        await check_levels(world.ports)

    async def prove_nothing(self, for_s: float) -> None:
        duties = self.monitor.duties
        since = WallClock().now() - timedelta(seconds=for_s)
        duties.done = {name: (told, since) for name, (told, _) in duties.done.items()}

    async def fill(self, queue: WorkQueue, ready: int, consumers: int) -> None:
        self.monitor.broker.queues = [QueueState(queue.name, ready, 0, consumers)]
        metrics.CONSUMERS.labels(queue.name).set(consumers)

    async def stand_still(self, stage: str, seconds: float) -> None:
        self.monitor.documents.oldest = {stage: seconds}

    async def measure_long_ago(self, seconds: float) -> None:
        self.looks = not seconds
        metrics.MEASURED.set(WallClock().now().timestamp() - seconds)

    async def show_certificate(self, ends_in_days: int) -> None:
        """Of a server that runs, and is asked."""
        with TemporaryDirectory() as folder:
            certified, _ = certified_for(Path(folder), "localhost", days=ends_in_days)
        server = await start_server(_hang_up, "127.0.0.1", self._port, ssl=certified)
        async with server:
            self._port = server.sockets[0].getsockname()[1]
            await look_at_certificates([f"127.0.0.1:{self._port}"], TlsCertificates())

    async def leave(self, *, stuck: int = 0, oldest_erasure_s: float = 0.0) -> None:
        self.ingest.sweeps.leftovers = Leftovers(
            stuck, int(oldest_erasure_s > 0), oldest_erasure_s
        )
        await measure_sweeps(self.ingest.use)

    async def sweep(self) -> None:
        lost = Released(
            document_id=uuid4(),
            owner_id=builders.OWNER,
            accepted_at=builders.ACCEPTED_AT,
            priority=Priority.NORMAL,
            content_key=builders.CONTENT_KEY,
            sha256=builders.SHA256,
            size_bytes=len(builders.PDF),
            media_type="application/pdf",
            filename="invoice.pdf",
            run=1,
            traceparent=None,
        )
        self.ingest.sweeps.stuck = [Stuck(lost, "extract", lost=False, attempts=1)]
        await sweep_documents(self.ingest.use, Patience(3600, 360, 900))

    async def fail_uploads(self) -> None:
        self.ingest.ledger.error = Retryable("no connection", dependency="postgres")
        answer = await self.ingest.upload()
        assert answer.is_server_error, answer.text

    async def give_up_on_a_webhook(self) -> None:
        world = ToldWorld(Answer(0.1, error="no answer"))
        await world.endpoint()
        await world.record(builders.stored(document_id=await world.accepted()))
        for _ in range(world.sending.attempts_max):
            await world.deliver_due()
            world.clock.advance(3600)

    async def deliver(
        self, queue: WorkQueue, *, error: Exception | None = None, redelivered: bool = False
    ) -> None:
        world = DeskWorld(queue)
        world.error = error
        await world.deliver(redelivered=redelivered)

    async def review_late(self) -> None:
        opened = delivery(REVIEW)
        observe_way(opened, NOON + timedelta(minutes=1))

    async def pause(self, queue: WorkQueue, reason: str) -> None:
        consumer = QueueConsumer(Consumption(queue), DeskWorld(queue).desk.bus)
        await consumer._pause(Pause(queue.name, reason, probe_due=False))

    async def resume(self, queue: WorkQueue, reason: str) -> None:
        metrics.PAUSED.labels(queue.name, reason).set(0)

    async def see_breaker(self, state: BreakerState) -> None:
        row = {"state": state, "failures": 5, "reason": "timeout"}
        breaker = PostgresBreaker(cast(Pool, _Told(row)), "gemini", BreakerTerms())
        await breaker.look_at_breaker()

    async def owe(self, *, oldest_age_s: float = 0.0, parked: int = 0, dead: int = 0) -> None:
        row = {"unsent": 1, "oldest_age_s": oldest_age_s, "parked": parked, "dead": dead}
        await Upkeep(cast(Pool, _Told(row)), wake=lambda: None).measure()

    async def have_free(self, share: float) -> None:
        free = int(share * TERABYTE)
        disk = Disk(TERABYTE, TERABYTE - free, free)
        self._disk.setattr(shutil, "disk_usage", lambda _: disk)
        room.measure_room(LOOKED_AT)
        with suppress(Retryable):
            room.Room(LOOKED_AT, free_bytes_min=TERABYTE // 1000).require()

    async def lose_room(self) -> None:
        """A gigabyte each time."""
        share = metrics.BLOBS_FREE_BYTES._value.get() / TERABYTE
        await self.have_free(share - 0.001)


def _hang_up(_: StreamReader, writer: StreamWriter) -> None:
    writer.close()


class _Told:
    """A database that is asked for one row."""

    def __init__(self, row: dict[str, Any]) -> None:
        self._row = row

    async def fetchrow(self, *_: object) -> dict[str, Any]:
        return self._row

"""From a service's description to a running process, the same way for all five.

A service says which handlers take which queues and what its API is; opening connections,
relaying the outbox, watching pauses and the order of an orderly stop are decided here once.
"""

import asyncio
import gc
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

import shared.ledger
from shared.blobs.open import open_blobs
from shared.blobs.port import Blobs
from shared.bus.connection import Link
from shared.bus.consumer import Bus, Consumption
from shared.bus.letter_drain import LetterDrain
from shared.bus.letters import LetterHandler
from shared.bus.publisher import Publisher
from shared.bus.queue_consumer import QueueConsumer
from shared.bus.running import Solo
from shared.clock import Clock
from shared.database.clock import DatabaseClock
from shared.database.pool import Pool
from shared.errors import Retryable
from shared.ledger.board import PostgresPauseBoard
from shared.ledger.port import Ledger
from shared.ledger.postgres import PostgresLedger
from shared.ledger.record import PostgresJobRecord
from shared.ledger.relay import Relay
from shared.ledger.reporting import Reporter
from shared.ledger.upkeep import Upkeep
from shared.observability.exposition import start_queues_at_zero
from shared.process import doors
from shared.process.doors import Door, ServiceDoors
from shared.process.drain import Lifetime
from shared.process.opening import open_database
from shared.process.operators import describe_process, nothing_to_say, obey_operators
from shared.process.probes import Probes
from shared.process.settings import ProcessSettings
from shared.process.tls import keep_certificate
from shared.topology.queues import WorkQueue

__all__ = ["Consumption", "Runtime", "Service", "looks_every_s", "main"]

log = logging.getLogger(__name__)

S = TypeVar("S", bound=ProcessSettings)
CLOCK_REFRESH_S = 10.0
# Where a process hears of its own commits, looks find what others left when they died.
LEFT_BEHIND_S = 2.0
TAKING_BACK_S = 3.0
# Objects made and not yet gone: the interpreter looks every 700.
GARBAGE_AFTER = 10_000
LEDGER_MIGRATIONS = Path(shared.ledger.__file__).parent / "migrations"


@dataclass(frozen=True, slots=True)
class Runtime(Generic[S]):
    """What a service's wiring builds on."""

    service: str
    settings: S
    pool: Pool
    ledger: Ledger
    blobs: Blobs
    clock: Clock
    lifetime: Lifetime
    door: Door


def looks_every_s(door: Door, poll_s: float) -> float:
    """How far apart a process looks for what is to be sent or let go. One that only works finds
    so what those that only serve have committed. With all doors open it hears of its own
    commits, and need not wake up several times a second while nobody does anything."""
    return poll_s if door == "work" else max(poll_s, LEFT_BEHIND_S)


@dataclass(frozen=True, slots=True)
class Service(Generic[S]):
    name: str
    settings: type[S]
    migrations: tuple[Path, ...]
    consumptions: Callable[[Runtime[S]], Sequence[Consumption]] = lambda _: ()
    letters: Callable[[Runtime[S]], Mapping[str, LetterHandler]] = lambda _: {}
    tasks: Callable[[Runtime[S]], Mapping[str, Callable[[], Awaitable[None]]]] = lambda _: {}
    # Serves until the process stops. Imports its web framework inside, so that the work door
    # never loads one.
    api: Callable[[Runtime[S]], Coroutine[Any, Any, None]] | None = None
    # What only this service knows of how it stands, for operators: `breaker.gemini` is `open`.
    conditions: Callable[[Runtime[S]], Awaitable[Mapping[str, str]]] = nothing_to_say
    extra_schemas: Mapping[str, tuple[Path, ...]] = field(default_factory=dict)


def main(service: Service[S], arguments: Sequence[str] | None = None) -> None:
    doors.main(
        ServiceDoors(
            name=service.name,
            load_settings=service.settings,
            run=partial(_run, service),
            migrate=partial(_migrate, service),
            check=partial(_check, service),
        ),
        arguments,
    )


async def _migrate(service: Service[S], settings: S) -> None:
    # These two doors alone load the migration tools.
    from shared.process.readiness import migrate_service  # noqa: PLC0415

    await migrate_service(service.name, settings, _schemas(service))


async def _check(service: Service[S], settings: S) -> list[str]:
    from shared.process.readiness import check_service  # noqa: PLC0415

    return await check_service(service.name, settings, _schemas(service))


def _schemas(service: Service[S]) -> dict[str, tuple[Path, ...]]:
    return {
        **service.extra_schemas,
        service.name: (LEDGER_MIGRATIONS, *service.migrations),
    }


async def _run(service: Service[S], settings: S, door: Door, life: Lifetime) -> None:
    async with AsyncExitStack() as stack:
        probes = Probes(stopping=life.stopping, may_scrape=settings.may_scrape)
        tls = settings.tls()
        if tls is not None:
            life.spawn("certificate", keep_certificate(tls))
        own = tls.context if tls else None
        await stack.enter_async_context(probes.listen(settings.host, settings.ops_port, own))
        pool = await open_database(service.name, settings, life)
        if pool is None:
            return
        stack.push_async_callback(pool.close)
        process = _Process(service, settings, door, life, pool)
        await process.run(probes)


class _Process(Generic[S]):
    def __init__(
        self, service: Service[S], settings: S, door: Door, life: Lifetime, pool: Pool
    ) -> None:
        self._service = service
        self._settings = settings
        self._door = door
        self._life = life
        self._pool = pool
        self._clock = DatabaseClock()
        self._relay: Relay | None = None
        self._stops: list[Callable[[], Awaitable[None]]] = []

    async def run(self, probes: Probes) -> None:
        await self._clock.refresh(self._pool)
        self._life.spawn("clock", self._keep_clock())
        runtime = self._runtime()
        probes.add_check("database", self._database)
        works = self._door in ("work", "all")
        work = await self._start_work(runtime, probes) if works else []
        serving = self._serve(runtime)
        _spare_what_stays()
        probes.started.set()
        log.info("process_started", extra={"door": self._door})
        async with asyncio.TaskGroup() as group:
            for task in (*work, *([serving] if serving else [])):
                group.create_task(task)
            await self._life.stopping.wait()
            await asyncio.gather(*(stop() for stop in self._stops))
        if self._relay is not None:
            # What the last handlers committed need not wait for another process.
            await self._relay.drain()

    def _runtime(self) -> Runtime[S]:
        settings = self._settings
        return Runtime(
            service=self._service.name,
            settings=settings,
            pool=self._pool,
            ledger=PostgresLedger(self._pool, self._clock, wake=self._wake),
            blobs=open_blobs(settings.blobs_url, settings.blob_options()),
            clock=self._clock,
            lifetime=self._life,
            door=self._door,
        )

    async def _start_work(
        self, runtime: Runtime[S], probes: Probes
    ) -> list[Coroutine[Any, Any, None]]:
        url, name = self._settings.amqp_address, f"paperline-{runtime.service}"
        publishing = Link(url, purpose="publish", name=name)
        consuming = Link(url, purpose="consume", name=name)
        publisher = Publisher(publishing, app_id=runtime.service)
        self._relay = Relay(
            self._pool,
            Publisher(publishing, app_id=runtime.service),
            poll_s=looks_every_s(self._door, self._settings.relay_poll_s),
        )
        probes.add_check("broker", partial(_links_up, publishing, consuming))
        consumptions = self._consumptions(runtime)
        board = self._board([one.queue for one in consumptions])
        await board.read()
        for task_name, task in {
            "publish-link": publishing.keep(),
            "consume-link": consuming.keep(),
            "relay": self._relay.run(),
            "upkeep": Upkeep(self._pool, wake=self._wake).run(),
            "pauses": board.run(),
            "report": self._report(runtime, consumptions),
        }.items():
            self._life.spawn(task_name, task)
        bus = Bus(
            link=consuming,
            publisher=publisher,
            record=PostgresJobRecord(self._pool, self._clock, wake=self._wake),
            board=board,
            solo=Solo(),
            on_stuck=lambda queue: self._life.fatal(f"a handler of {queue} cannot be stopped"),
            # Shorter than the process's own limit: what is cut off still has to be taken back.
            drain_s=max(self._settings.drain_s - TAKING_BACK_S, 0),
        )
        for name, own in self._service.tasks(runtime).items():
            self._life.spawn(name, _awaited(own))
        return self._consumers(bus, consumptions, runtime)

    def _consumers(
        self, bus: Bus, consumptions: Sequence[Consumption], runtime: Runtime[S]
    ) -> list[Coroutine[Any, Any, None]]:
        start_queues_at_zero(one.queue.name for one in consumptions)
        consumers: list[QueueConsumer | LetterDrain] = [
            QueueConsumer(consumption, bus) for consumption in consumptions
        ]
        for queue, keep in self._service.letters(runtime).items():
            consumers.append(LetterDrain(bus.link, queue, keep))
        self._stops += [consumer.stop for consumer in consumers]
        return [consumer.run() for consumer in consumers]

    def _serve(self, runtime: Runtime[S]) -> Coroutine[Any, Any, None] | None:
        if self._service.api is None or self._door not in ("serve", "all"):
            return None
        return self._service.api(runtime)

    def _board(self, queues: Sequence[WorkQueue]) -> PostgresPauseBoard:
        names = [queue.name for queue in queues]
        return PostgresPauseBoard(self._pool, self._clock, names, wake=self._wake)

    def _consumptions(self, runtime: Runtime[S]) -> Sequence[Consumption]:
        own = self._service.consumptions(runtime)
        return (
            *own,
            *obey_operators(runtime.service, own, self._pool, self._clock, self._wake),
        )

    async def _report(self, runtime: Runtime[S], own: Sequence[Consumption]) -> None:
        about = describe_process(runtime, self._door, own)
        conditions = partial(self._service.conditions, runtime)
        await Reporter(about, self._pool, self._clock, conditions, wake=self._wake).run()

    def _wake(self) -> None:
        if self._relay is not None:
            self._relay.wake()

    async def _database(self) -> str | None:
        try:
            await self._clock.refresh(self._pool)
        except Retryable as away:
            return str(away)
        return None

    async def _keep_clock(self) -> None:
        while True:
            await asyncio.sleep(CLOCK_REFRESH_S)
            try:
                await self._clock.refresh(self._pool)
            except Retryable as away:
                log.info("clock_not_refreshed", extra={"error": str(away)})


def _spare_what_stays() -> None:
    """What lives as long as the process need not be looked through for garbage again and again:
    that costs as much as some of the work. And what a job leaves is mostly gone by itself."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(GARBAGE_AFTER)


async def _links_up(*links: Link) -> str | None:
    return None if all(link.is_up for link in links) else "not connected to the broker"


async def _awaited(task: Callable[[], Awaitable[None]]) -> None:
    await task()

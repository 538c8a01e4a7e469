"""What stands behind each port of the monitor, and which handler takes which queue."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from services.monitor.adapters.broker_api import ManagementApi
from services.monitor.adapters.broker_nodes import BrokerNodes
from services.monitor.adapters.certificates import TlsCertificates
from services.monitor.adapters.conservation import PostgresConserved
from services.monitor.adapters.database_server import PostgresServer
from services.monitor.adapters.duties import PostgresDuties, PostgresNumbers
from services.monitor.adapters.facts import PostgresFacts
from services.monitor.adapters.groups import PostgresGroups
from services.monitor.adapters.job_logs import JobLogs
from services.monitor.adapters.letters import PostgresLetters
from services.monitor.adapters.operations import PostgresOperations
from services.monitor.adapters.passive_broker import PassiveBroker, RicherBroker
from services.monitor.adapters.processes import PostgresProcesses
from services.monitor.adapters.replays import PostgresReplays
from services.monitor.adapters.sightings import PostgresDocuments, PostgresPauses
from services.monitor.adapters.snapshots import SnapshotFiles
from services.monitor.adapters.trail import AuditTrail
from services.monitor.domain.levels import Terms
from services.monitor.handlers.capacity import measure_capacity
from services.monitor.handlers.certifying import look_at_certificates
from services.monitor.handlers.conserving import check_conservation
from services.monitor.handlers.keeping import keep_letters
from services.monitor.handlers.operating import step_operation
from services.monitor.handlers.promising import check_levels
from services.monitor.handlers.snapshotting import keep_snapshots
from services.monitor.handlers.surveying import measure
from services.monitor.handlers.watching import watch_facts
from services.monitor.ports import Broker, Limits, Ports
from services.monitor.ports.capacity import Server
from services.monitor.settings import Settings
from shared import audit, limits
from shared.bus.letters import LetterHandler
from shared.bus.looking import QueueLooker
from shared.bus.waiting import until_beat
from shared.contracts.body import Priority
from shared.errors import Retryable
from shared.process.runtime import Consumption, Runtime, Service
from shared.topology.queues import UNROUTABLE, WATCH, WORK_QUEUES, dead_queue

HERE = Path(__file__).parent

WORKED = tuple(queue.name for queue in WORK_QUEUES)
DRAINED = (*(dead_queue(name) for name in WORKED), UNROUTABLE)
# How often somebody looks whether a duty is due.
DUTIES_EVERY_S = 15.0
# The same for an operation, while there is none that moves: another process may begin one.
NONE_MOVES_EVERY_S = 2.0
# Set when this process may have made an operation due.
DUE = asyncio.Event()

log = logging.getLogger(__name__)


def ports(runtime: Runtime[Settings]) -> Ports:
    return Ports(
        letters=PostgresLetters(runtime.pool),
        replays=PostgresReplays(runtime.pool),
        operations=PostgresOperations(runtime.pool),
        groups=PostgresGroups(runtime.pool),
        documents=PostgresDocuments(runtime.pool),
        pauses=PostgresPauses(runtime.pool),
        processes=PostgresProcesses(runtime.pool),
        facts=PostgresFacts(runtime.pool),
        logs=JobLogs(runtime.blobs),
        duties=PostgresDuties(runtime.pool),
        numbers=PostgresNumbers(runtime.pool),
        conserved=PostgresConserved(runtime.pool),
        snapshots=SnapshotFiles(runtime.blobs),
        broker=broker(runtime.settings),
        trail=AuditTrail(),
        ledger=runtime.ledger,
        clock=runtime.clock,
        limits=Limits(
            operation_letters_max=runtime.settings.operation_letters_max,
            replay_rate_max=runtime.settings.replay_rate_max,
            replay_batch=runtime.settings.replay_batch,
            letters_kept_days=runtime.settings.letters_kept_days,
            metrics_kept_days=runtime.settings.metrics_kept_days,
            facts_kept_days=runtime.settings.facts_kept_days,
        ),
        terms=terms(runtime.settings),
        wake=DUE.set,
    )


def terms(settings: Settings) -> Terms:
    return Terms(
        targets_s={
            Priority.URGENT: settings.service_level_urgent_s,
            Priority.HIGH: settings.service_level_high_s,
            Priority.NORMAL: settings.service_level_normal_s,
            Priority.BULK: settings.service_level_bulk_s,
        },
        ratio_min=settings.service_level_ratio_min,
    )


def broker(settings: Settings) -> Broker:
    api_url = settings.broker_api_url.get_secret_value() if settings.broker_api_url else None
    timeout_s = settings.broker_api_timeout_s
    return _broker(settings.amqp_address, api_url, timeout_s, settings.ca_file)


@cache
def _broker(url: str, api_url: str | None, timeout_s: float, ca_file: Path | None) -> Broker:
    # One for the whole process: it keeps its connection.
    plain = PassiveBroker(QueueLooker(url, (*WORKED, *DRAINED), timeout_s))
    if api_url is None:
        return plain
    vhost = unquote(urlsplit(url).path.removeprefix("/")) or "/"
    return RicherBroker(ManagementApi(api_url, vhost, timeout_s, ca_file), plain)


def consumptions(runtime: Runtime[Settings]) -> Sequence[Consumption]:
    return (Consumption(WATCH, many=partial(watch_facts, use=ports(runtime))),)


def letters(runtime: Runtime[Settings]) -> Mapping[str, LetterHandler]:
    keep = partial(keep_letters, use=ports(runtime))
    return dict.fromkeys(DRAINED, keep)


def api(runtime: Runtime[Settings]) -> Coroutine[Any, Any, None]:
    # Here, because doors without an API load no web framework.
    from services.monitor.api import build
    from shared.web.entrance import open_entrance
    from shared.web.server import serve_app

    settings = runtime.settings
    entrance = open_entrance(runtime.pool, settings, runtime.clock)
    app = build(
        ports(runtime),
        entrance,
        sign_in_url=settings.sign_in_url,
        trace_url=settings.trace_url,
    )
    stopping = runtime.lifetime.stopping
    return serve_app(app, settings, stopping)


def tasks(runtime: Runtime[Settings]) -> Mapping[str, Callable[[], Awaitable[None]]]:
    return {
        "gauges": partial(measure_forever, runtime),
        "capacity": partial(watch_capacity, runtime),
        "operations": partial(operate_forever, runtime),
        "duties": partial(attend_to_duties, runtime),
        "certificates": partial(watch_certificates, runtime.settings),
    }


async def measure_forever(runtime: Runtime[Settings]) -> None:
    use = ports(runtime)
    while True:
        try:
            await measure(use)
        except Retryable as error:
            # Only the gauges stand still; readiness tells what is away.
            log.warning("gauges_not_measured", extra={"reason": str(error)})
        await asyncio.sleep(runtime.settings.gauges_every_s)


async def watch_capacity(runtime: Runtime[Settings]) -> None:
    while True:
        await measure_capacity(servers(runtime))
        await asyncio.sleep(runtime.settings.gauges_every_s)


def servers(runtime: Runtime[Settings]) -> Sequence[Server]:
    database = PostgresServer(runtime.pool)
    settings = runtime.settings
    if settings.broker_api_url is None:
        return [database]
    api_url = settings.broker_api_url.get_secret_value()
    api = ManagementApi(api_url, "/", settings.broker_api_timeout_s, settings.ca_file)
    return [database, BrokerNodes(api)]


async def watch_certificates(settings: Settings) -> None:
    addresses = settings.watched_addresses()
    while True:
        await look_at_certificates(addresses, TlsCertificates())
        await asyncio.sleep(settings.certificates_every_s)


async def attend_to_duties(runtime: Runtime[Settings]) -> None:
    use = ports(runtime)
    while True:
        for duty in (check_levels, check_conservation, keep_snapshots):
            try:
                await duty(use)
            except Retryable as error:
                # It was not done, and is still due.
                log.warning("duty_waits", extra={"duty": duty.__name__, "reason": str(error)})
        await asyncio.sleep(DUTIES_EVERY_S)


async def operate_forever(runtime: Runtime[Settings]) -> None:
    use, settings = ports(runtime), runtime.settings
    while True:
        DUE.clear()
        rest_s, moved = settings.operations_every_s, False
        try:
            if await use.operations.is_any_moving():
                moved = await step_operation(use)
            else:
                rest_s = max(rest_s, NONE_MOVES_EVERY_S)
        except Retryable as error:
            # The step was rolled back whole, and comes again.
            log.warning("operation_not_moved", extra={"reason": str(error)})
        if not moved:
            # Others may make one due too, and so does the time.
            with suppress(TimeoutError):
                async with asyncio.timeout(until_beat(rest_s)):
                    await DUE.wait()


SERVICE = Service(
    name="monitor",
    settings=Settings,
    migrations=(HERE / "migrations", limits.MIGRATIONS, audit.MIGRATIONS),
    consumptions=consumptions,
    letters=letters,
    tasks=tasks,
    api=api,
)

"""Write down each hour in numbers, and forget what is older than anybody asks for.

The files come before the note that they are there, under the name of their hour: a crash in
between writes them again. What cannot be counted any more, such as how full a queue was, is
missing in hours that were caught up on.
"""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from functools import partial

from services.monitor.domain.duties import CONSERVATION, LEVELS, SNAPSHOTS
from services.monitor.domain.processes import FORGOTTEN_S
from services.monitor.domain.snapshots import Number, hours_to_keep
from services.monitor.handlers.duties import Result, perform
from services.monitor.handlers.surveying import look_at_queues
from services.monitor.ports import Ports
from shared.ledger.port import Unit

LOOK_EVERY_S = 60.0
FORGET_AT_ONCE = 10_000
# In an hour; what is over is forgotten in the next.
FORGET_TIMES_MAX = 20


async def keep_snapshots(use: Ports) -> bool:
    return await perform(SNAPSHOTS, LOOK_EVERY_S, partial(_keep, use=use), use)


async def _keep(unit: Unit, before: Result, *, use: Ports) -> Result:
    now = use.clock.now()
    last = datetime.fromisoformat(before["hour"]) if "hour" in before else None
    hours = hours_to_keep(last, now)
    for hour in hours:
        numbers = await use.numbers.count_hour(hour)
        if hour == hours[-1]:
            numbers += await _standing(use)
        await use.snapshots.keep_snapshot(hour, now, numbers)
    if hours:
        await _forget(now, use)
        last = hours[-1]
    return {"hour": last.astimezone(UTC).isoformat()} if last else {}


async def _standing(use: Ports) -> list[Number]:
    workings = await look_at_queues(use)
    documents = await use.documents.count_documents()
    numbers = [Number("documents", status, count) for status, count in documents.items()]
    for queue in workings.queues:
        if queue.ready is not None:
            numbers.append(Number("queue_ready", queue.name, queue.ready))
        numbers.append(Number("dead_letters_open", queue.name, queue.dead_open))
    for service in workings.services:
        numbers.append(Number("outbox_unsent", service.service, service.outbox_unsent))
    for done in await use.duties.list_duties():
        if done.name == LEVELS:
            numbers += [
                Number("service_level", name, told["ratio"])
                for name, told in done.result.items()
            ]
        if done.name == CONSERVATION:
            numbers += [Number("violations", name, n) for name, n in done.result.items()]
    return numbers


async def _forget(now: datetime, use: Ports) -> None:
    await use.snapshots.forget_snapshots(now - timedelta(days=use.limits.metrics_kept_days))
    kept_days = use.limits.facts_kept_days
    await _repeatedly(use.letters.forget_letters, use.limits.letters_kept_days)
    await _repeatedly(use.facts.forget_purged, kept_days)
    await _repeatedly(use.facts.forget_facts, kept_days)
    await use.processes.forget_processes(FORGOTTEN_S)


async def _repeatedly(forget: Callable[[int, int], Awaitable[int]], days: int) -> None:
    for _ in range(FORGET_TIMES_MAX):
        if await forget(days, FORGET_AT_ONCE) < FORGET_AT_ONCE:
            return

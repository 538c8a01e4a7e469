"""Does the monitor stay quick, and small, when a million letters have died?

Some are drained from a real dead queue while memory is watched; the rest are put beside them by
the database. Then pages are listed, letters are sent back at a set rate, and an operation that
runs is cancelled.
"""

import argparse
import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import quantiles

from services.monitor.domain.letters import LetterState
from services.monitor.domain.operations import Kind, Operation, Pace, Selection, Wish
from services.monitor.domain.steering import cancelled
from services.monitor.handlers.keeping import keep_letters
from services.monitor.handlers.operating import step_operation
from services.monitor.handlers.requesting import get_operation, request_operation
from services.monitor.handlers.steering import steer_operation
from services.monitor.ports import Filter, Place, Ports
from shared.bus.connection import Link
from shared.bus.frames import Outgoing
from shared.bus.letter_drain import LetterDrain
from shared.bus.publisher import Publisher
from shared.process.doors import new_loop
from shared.topology.declare import apply
from shared.topology.plan import plan
from shared.topology.queues import DEAD, dead_queue
from tests.bench._shared.report import Goal, conclude, say, table
from tests.broker.database import Servers, own_database
from tests.broker.monitor_world import Monitor, monitor_service
from tests.broker.vhosts import own_vhost
from tests.eventually import eventually
from tests.unit.monitor.world import QUEUE, dead_letter

NAME = "monitor"
P95 = 94
PUBLISHED_AT_ONCE = 500
ROWS_A_TIME = 25_000
PAGE = 50
HOUR_S = 3_600
FILTERS = (
    Filter(),
    Filter(state=LetterState.OPEN),
    Filter(queue=QUEUE),
    Filter(reason="unreadable"),
    Filter(fingerprint="f" * 16),
)
# From one of those that were drained.
COPIES = """
INSERT INTO dead_letters (
       letter_id, natural_key, dead_queue, origin_queue, job_id, type, document_id, owner_id,
       run, reason, category, exception, message, fingerprint, attempts, body, body_bytes,
       headers, content_type, priority, arrived_at)
SELECT gen_random_uuid(), 'copy ' || n, dead_queue, origin_queue, gen_random_uuid(), type,
       gen_random_uuid(), owner_id, run, CASE WHEN n % 10 = 0 THEN 'bug' ELSE reason END,
       category, exception, message,
       CASE WHEN n % 3 = 0 THEN fingerprint ELSE 'g' || n % 50 END, attempts, body, body_bytes,
       headers, content_type, priority, arrived_at - n * interval '1 millisecond'
  FROM (SELECT * FROM dead_letters LIMIT 1) AS one
 CROSS JOIN generate_series($1::integer, $2::integer) AS n
"""


@dataclass(frozen=True, slots=True)
class Options:
    letters: int
    drained: int
    replayed: int
    rate: float
    pages: int


@dataclass(slots=True)
class Memory:
    before_mb: float
    most_mb: float

    @property
    def growth_mb(self) -> float:
        return self.most_mb - self.before_mb


def main() -> None:
    options = _options()
    if Servers().database_url is None:
        raise SystemExit("There are no servers to measure: run ./paperline bench monitor.")
    with asyncio.Runner(loop_factory=new_loop) as runner:
        figures = runner.run(_measure(options))
    say()
    table(("figure", "value"), [(name, f"{value:,.2f}") for name, value in figures.items()])
    say()
    goals = [
        Goal("F51 drain_rss_growth_mb", figures["drain_rss_growth_mb"], "<=", 150),
        Goal("F51 list_p95_ms", figures["list_p95_ms"], "<=", 300),
        Goal("F51 replay_rate_vs_set", figures["replays_per_s"] / options.rate, ">=", 0.95),
        Goal("F51 cancel_s", figures["cancel_s"], "<=", 2),
    ]
    conclude(NAME, figures, goals)


def _options() -> Options:
    parser = argparse.ArgumentParser(prog="./paperline bench monitor")
    parser.add_argument("--letters", type=int, default=1_000_000)
    parser.add_argument("--drained", type=int, default=100_000)
    parser.add_argument("--replayed", type=int, default=100_000)
    parser.add_argument("--rate", type=float, default=2_000)
    parser.add_argument("--pages", type=int, default=100)
    given = parser.parse_args()
    return Options(given.letters, given.drained, given.replayed, given.rate, given.pages)


async def _measure(options: Options) -> dict[str, float]:
    async with own_database() as url, monitor_service(url) as monitor:
        drained = await _drain(options, monitor)
        await _fill(options, monitor)
        listed = await _list(options, monitor.use)
        replays_per_s = await _replay(options, monitor.use)
        cancel_s = await _cancel(options, monitor.use)
    return {
        **drained,
        "letters": float(options.letters),
        "list_p95_ms": quantiles(listed, n=100)[P95] * 1000,
        "list_worst_ms": max(listed) * 1000,
        "replays_per_s": replays_per_s,
        "cancel_s": cancel_s,
    }


async def _drain(options: Options, monitor: Monitor) -> dict[str, float]:
    async with own_vhost() as broker_url, _links(broker_url) as (publishing, consuming):
        await apply(broker_url, plan())
        say(f"publishing {options.drained:,} dead letters")
        await _publish(options.drained, Publisher(publishing, app_id="bench"))
        say("draining them")
        keep = partial(keep_letters, use=monitor.use)
        drain = LetterDrain(consuming, dead_queue(QUEUE), keep)
        began = time.monotonic()
        memory = Memory(_rss_mb(), _rss_mb())

        async def all_kept() -> bool:
            memory.most_mb = max(memory.most_mb, _rss_mb())
            return await monitor.count("dead_letters") >= options.drained

        async with asyncio.TaskGroup() as group:
            group.create_task(drain.run())
            await eventually(all_kept, within_s=HOUR_S, every_s=0.25)
            seconds = time.monotonic() - began
            await drain.stop()
    return {
        "drained_per_s": options.drained / seconds,
        "drain_rss_growth_mb": memory.growth_mb,
    }


@asynccontextmanager
async def _links(url: str) -> AsyncIterator[tuple[Link, Link]]:
    publishing = Link(url, purpose="publish", name="bench")
    links = publishing, Link(url, purpose="consume", name="bench")
    kept = [asyncio.ensure_future(link.keep()) for link in links]
    try:
        yield links
    finally:
        for one in kept:
            one.cancel()
            with suppress(asyncio.CancelledError):
                await one


async def _publish(count: int, publisher: Publisher) -> None:
    for _ in range(0, count, PUBLISHED_AT_ONCE):
        letters = [dead_letter() for _ in range(PUBLISHED_AT_ONCE)]
        await publisher.publish(
            [
                Outgoing(
                    exchange=DEAD,
                    routing_key=QUEUE,
                    type="document.extract",
                    headers=dict(letter.headers),
                    body=letter.body,
                    priority=letter.priority,
                )
                for letter in letters
            ]
        )


def _rss_mb() -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    [rss] = [line.split()[1] for line in lines if line.startswith("VmRSS:")]
    return int(rss) / 1024


async def _fill(options: Options, monitor: Monitor) -> None:
    rest = options.letters - options.drained
    say(f"putting {rest:,} more beside them")
    for first in range(0, rest, ROWS_A_TIME):
        last = min(rest, first + ROWS_A_TIME) - 1
        await monitor.schema.owner.execute(COPIES, first, last)
    await monitor.schema.owner.execute("ANALYZE dead_letters")


async def _list(options: Options, use: Ports) -> list[float]:
    """Page after page of each kind of list, to somewhere deep."""
    taken = []
    for which in FILTERS:
        after = None
        for _ in range(options.pages):
            began = time.monotonic()
            page = await use.letters.list_letters(which, after=after, limit=PAGE)
            taken.append(time.monotonic() - began)
            after = Place(page[-1].arrived_at, page[-1].letter_id)
    return taken


async def _replay(options: Options, use: Ports) -> float:
    operation = await _asked(use, "all", options.rate, options.replayed)
    say(f"sending {options.replayed:,} back at {options.rate:,.0f} a second")
    async with _stepping(use):
        await eventually(lambda: _sent(use, operation), within_s=HOUR_S)
        began = time.monotonic()
        first = await _sent(use, operation)

        async def all_sent() -> bool:
            return await _sent(use, operation) >= options.replayed

        await eventually(all_sent, within_s=HOUR_S)
        seconds = time.monotonic() - began
    await _end(use, operation)
    return (options.replayed - first) / seconds


async def _cancel(options: Options, use: Ports) -> float:
    """From the request to the moment from which on nothing more is sent."""
    operation = await _asked(use, "rest", options.rate, options.letters)
    async with _stepping(use):
        await eventually(lambda: _sent(use, operation), within_s=HOUR_S)
        began = time.monotonic()
        await _end(use, operation)
        seconds = time.monotonic() - began
        sent = await _sent(use, operation)
    for _ in range(10):
        await step_operation(use)
    if await _sent(use, operation) != sent:
        raise SystemExit("a cancelled operation went on sending")
    return seconds


async def _end(use: Ports, operation: Operation) -> None:
    # A canary or a failure may have moved it on; only the version of this moment counts.
    now = await get_operation(operation.operation_id, use)
    await steer_operation(
        operation.operation_id, now.version, cancelled, actor="o", action="cancelled", use=use
    )


async def _sent(use: Ports, operation: Operation) -> int:
    return (await get_operation(operation.operation_id, use)).sent


@asynccontextmanager
async def _stepping(use: Ports) -> AsyncIterator[None]:
    async def stepped_enough() -> bool:
        while await step_operation(use):
            if leaving.is_set():
                return True
        return leaving.is_set()

    leaving = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(eventually(stepped_enough, within_s=HOUR_S))
        yield
        leaving.set()


async def _asked(use: Ports, key: str, rate: float, most: int) -> Operation:
    selection = Selection(arrived_before=use.clock.now(), queue=QUEUE)
    pace = Pace(rate_per_s=rate, in_flight_max=1_000_000)
    wish = Wish(Kind.REPLAY, selection, pace, "Fixed.", "olga", most, key, key)
    operation, _ = await request_operation(wish, use)
    return operation


if __name__ == "__main__":
    main()

"""Does the monitor stay quick, and small, when a million letters have died?

They are drained from a real dead queue while memory is watched. Then pages are listed, letters
are sent back at a set rate, and operations are cancelled, one while it is prepared and one
while it runs. With `--drained` fewer take that way, and the database puts the rest beside them.
"""

import argparse
import asyncio
import time
from dataclasses import dataclass
from statistics import quantiles

from services.monitor.domain.letters import LetterState
from services.monitor.domain.operations import (
    Kind,
    Operation,
    OperationState,
    Pace,
    Selection,
    Wish,
)
from services.monitor.domain.steering import cancelled
from services.monitor.handlers.operating import step_operation
from services.monitor.handlers.requesting import get_operation, request_operation
from services.monitor.handlers.steering import steer_operation
from services.monitor.ports import Filter, Place, Ports
from shared.process.doors import new_loop
from tests.bench._shared.draining import Memory, drain
from tests.bench._shared.dying import RARE_REASON, RARE_WORD
from tests.bench._shared.report import Goal, conclude, say, table
from tests.broker.database import Servers, own_database
from tests.broker.monitor_world import Monitor, monitor_service, stepping
from tests.eventually import eventually
from tests.unit.monitor.world import QUEUE

NAME = "monitor"
P95 = 94
REPLAYS_PER_S = 2_000
ROWS_A_TIME = 25_000
PAGE = 50
HOUR_S = 3_600
FILTERS = (
    Filter(),
    Filter(state=LetterState.OPEN),
    Filter(queue=QUEUE),
    Filter(reason=RARE_REASON),
    Filter(fingerprint=f"{1:016x}"),
    Filter(owner_id="acme"),
    # What all speak of, and few.
    Filter(words="page"),
    Filter(words=RARE_WORD),
)
# From one of those that were drained.
COPIES = """
INSERT INTO dead_letters (
       letter_id, natural_key, dead_queue, origin_queue, job_id, type, document_id, owner_id,
       run, reason, category, exception, message, fingerprint, attempts, body, body_bytes,
       headers, content_type, priority, arrived_at)
SELECT gen_random_uuid(), 'copy ' || n, dead_queue, origin_queue, gen_random_uuid(), type,
       gen_random_uuid(), owner_id, run, CASE WHEN n % 10 = 0 THEN 'bug' ELSE reason END,
       category, exception,
       CASE WHEN n % 1000 = 0 THEN message || ' needle' ELSE message END,
       lpad(to_hex(n % 50), 16, '0'), attempts, body, body_bytes,
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


def main() -> None:
    options = _options()
    if Servers().database_url is None:
        raise SystemExit("There are no servers to measure: run ./paperline bench monitor.")
    with asyncio.Runner(loop_factory=new_loop) as runner:
        figures = runner.run(_measure(options))
    say()
    table(("figure", "value"), [(name, f"{value:,.2f}") for name, value in figures.items()])
    say()
    rate = figures["replays_per_s"] / options.rate
    goals = [
        Goal("F51 drain_rss_growth_mb", figures["drain_rss_growth_mb"], "<=", 150),
        Goal("F51 list_p95_ms", figures["list_p95_ms"], "<=", 300),
        Goal("F51 groups_ms", figures["groups_ms"], "<=", 2_000),
        Goal("F51 replay_rate_vs_set", rate, ">=", 0.95),
        Goal("F51 replay_rate_over_set", rate, "<=", 1.05),
        Goal("P9 replays_per_s", figures["replays_per_s"], ">=", REPLAYS_PER_S),
        Goal("P9 replay_rss_growth_mb", figures["replay_rss_growth_mb"], "<=", 50),
        Goal("F51 cancel_s", figures["cancel_s"], "<=", 2),
        Goal("F51 cancel_while_preparing_s", figures["cancel_while_preparing_s"], "<=", 2),
    ]
    conclude(NAME, figures, goals)


def _options() -> Options:
    parser = argparse.ArgumentParser(prog="./paperline bench monitor")
    parser.add_argument("--letters", type=int, default=1_000_000)
    parser.add_argument("--drained", type=int, help="of these, through the broker: all")
    parser.add_argument("--replayed", type=int, default=100_000)
    # Above the goal: a pace that is kept exactly would miss it by nothing.
    parser.add_argument("--rate", type=float, default=1.05 * REPLAYS_PER_S)
    parser.add_argument("--pages", type=int, default=100)
    given = parser.parse_args()
    drained = given.letters if given.drained is None else given.drained
    return Options(given.letters, drained, given.replayed, given.rate, given.pages)


async def _measure(options: Options) -> dict[str, float]:
    async with own_database() as url, monitor_service(url) as monitor:
        drained = await drain(options.drained, monitor)
        await _fill(options, monitor)
        listed = await _list(options, monitor.use)
        groups_s = await _groups(monitor.use)
        preparing_s = await _cancel_while_preparing(options, monitor.use)
        replayed = await _replay(options, monitor.use)
        cancel_s = await _cancel(options, monitor.use)
    return {
        **drained,
        "letters": float(options.letters),
        "list_p95_ms": quantiles(listed, n=100)[P95] * 1000,
        "list_worst_ms": max(listed) * 1000,
        "groups_ms": groups_s * 1000,
        **replayed,
        "cancel_s": cancel_s,
        "cancel_while_preparing_s": preparing_s,
    }


async def _fill(options: Options, monitor: Monitor) -> None:
    rest = options.letters - options.drained
    if rest:
        say(f"putting {rest:,} more beside them")
    for first in range(0, rest, ROWS_A_TIME):
        last = min(rest, first + ROWS_A_TIME) - 1
        await monitor.schema.owner.execute(COPIES, first, last)
    # As the server does by itself after so many.
    await monitor.schema.owner.execute("VACUUM ANALYZE dead_letters")


async def _list(options: Options, use: Ports) -> list[float]:
    """Page after page of each kind of list, to somewhere deep."""
    say(f"listing {options.pages} pages of each of {len(FILTERS)} lists")
    taken = []
    for which in FILTERS:
        after = None
        for _ in range(options.pages):
            began = time.monotonic()
            page = await use.letters.list_letters(which, after=after, limit=PAGE)
            taken.append(time.monotonic() - began)
            if not page:
                break
            after = Place(page[-1].arrived_at, page[-1].letter_id)
    return taken


async def _groups(use: Ports) -> float:
    began = time.monotonic()
    if not await use.groups.list_groups(PAGE):
        raise SystemExit("there are no groups")
    return time.monotonic() - began


async def _replay(options: Options, use: Ports) -> dict[str, float]:
    operation = await _asked(use, "all", options.rate, options.replayed)
    say(f"sending {options.replayed:,} back at {options.rate:,.0f} a second")
    async with stepping(use):
        await eventually(lambda: _sent(use, operation), within_s=HOUR_S)
        began = time.monotonic()
        first, memory = await _sent(use, operation), Memory()

        async def all_sent() -> bool:
            memory.look()
            return await _sent(use, operation) >= options.replayed

        await eventually(all_sent, within_s=HOUR_S)
        seconds = time.monotonic() - began
    await _end(use, operation)
    return {
        "replays_per_s": (options.replayed - first) / seconds,
        "replay_rss_growth_mb": memory.growth_mb,
    }


async def _cancel_while_preparing(options: Options, use: Ports) -> float:
    say("cancelling an operation while its letters are written down")
    operation = await _asked(use, "none", options.rate, options.letters)

    async def some_written() -> bool:
        return (await get_operation(operation.operation_id, use)).total > 0

    async with stepping(use):
        await eventually(some_written, within_s=HOUR_S)
        began = time.monotonic()
        await _end(use, operation)
        seconds = time.monotonic() - began
    now = await get_operation(operation.operation_id, use)
    if now.prepared or now.state is not OperationState.CANCELLED:
        raise SystemExit("it was not cancelled while it was prepared")
    return seconds


async def _cancel(options: Options, use: Ports) -> float:
    """From the request to the moment from which on nothing more is sent."""
    say("cancelling an operation while it sends")
    operation = await _asked(use, "rest", options.rate, options.letters)
    async with stepping(use):
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


async def _asked(use: Ports, key: str, rate: float, most: int) -> Operation:
    selection = Selection(arrived_before=use.clock.now(), queue=QUEUE)
    pace = Pace(rate_per_s=rate, in_flight_max=1_000_000)
    wish = Wish(Kind.REPLAY, selection, pace, "Fixed.", "olga", most, key, key)
    operation, _ = await request_operation(wish, use)
    return operation


if __name__ == "__main__":
    main()

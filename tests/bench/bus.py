"""Is the bus worth its guarantees? Our rates beside the same broker's raw ones, in one run.

Rounds interleave everything that is compared, and a ratio is taken within a round, so that
what else the machine does falls on both sides. Messages are persistent, of about 1 KB, and go
through one queue as the table of work queues declares it: classic with priorities like the
extractor's, or quorum like the status view's.
"""

import argparse
import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from deploy.local.state import State
from shared.observability.logging import configure_logging
from shared.process.doors import new_loop
from shared.topology.queues import JOBS, PRIORITY_MAX, WorkQueue
from tests.bench._shared.cost import Cost, Meter
from tests.bench._shared.ours import BATCH, OurClient
from tests.bench._shared.raw import RawClient, raw_client
from tests.bench._shared.report import Goal, conclude, folder, say, table
from tests.broker.bus_bench import bus_bench, work_queue
from tests.broker.database import Servers, own_database
from tests.broker.vhosts import own_vhost

NAME = "bus"
ROWS = {
    "raw_one_by_one": "aio-pika: publish, awaited one by one",
    "raw_window": "aio-pika: publish, window of 100",
    "raw_bulk": "raw bulk: 500 ready messages a write, confirmations gathered",
    "relay": "relay: outbox to confirmed messages",
    "raw_consume": "aio-pika: consume, prefetch 200, multiple ack",
    "batch": f"our consumer, batches of {BATCH}",
    "single": "our consumer, one message a slot",
}
# The slow ones do a part of the messages: their rate is known soon enough.
ONE_BY_ONE_PART, WINDOW_PART, SINGLE_PART = 10, 2, 5
# A message that never arrives must not be waited for all night.
ROUND_S_MAX = 300.0


@dataclass(frozen=True, slots=True)
class Options:
    messages: int
    rounds: int
    queue: WorkQueue


class Bench:
    def __init__(self, options: Options, raw: RawClient, ours: OurClient, meter: Meter) -> None:
        self._messages = options.messages
        self._raw = raw
        self._ours = ours
        self._meter = meter

    async def one_round(self) -> dict[str, Cost]:
        costs: dict[str, Cost] = {}
        messages = self._ours.messages(self._messages // ONE_BY_ONE_PART)
        with self._meter.measure(len(messages)) as costs["raw_one_by_one"]:
            await self._raw.publish_one_by_one(messages)
        messages = self._ours.messages(self._messages // WINDOW_PART)
        with self._meter.measure(len(messages)) as costs["raw_window"]:
            await self._raw.publish_in_window(messages)
        await self._raw.purge()
        messages = self._ours.messages(self._messages)
        # Each is consumed in the order it was sent: what one leaves is the other's backlog.
        writes = await self._raw.marshalled(messages)
        with self._meter.measure(len(messages)) as costs["raw_bulk"]:
            await self._raw.publish_in_bulk(writes)
        with self._meter.measure(len(messages)) as costs["raw_consume"]:
            await self._raw.consume(len(messages))
        await self._ours.owe(messages)
        with self._meter.measure(len(messages)) as costs["relay"]:
            await self._ours.relay()
        with self._meter.measure(len(messages)) as costs["batch"]:
            await self._ours.consume_batches(len(messages))
        messages = self._ours.messages(self._messages // SINGLE_PART)
        await self._raw.publish_in_bulk(await self._raw.marshalled(messages))
        with self._meter.measure(len(messages)) as costs["single"]:
            await self._ours.consume_singly(len(messages))
        return costs


def main() -> None:
    options = _options()
    if Servers().amqp_url is None:
        raise SystemExit("There are no servers to measure: run ./paperline bench bus.")
    _log_to(folder() / f"{NAME}.log")
    with asyncio.Runner(loop_factory=new_loop) as runner:
        rounds = runner.run(_measure(options))
    kind = "classic with priorities" if options.queue.priority_max else "quorum"
    say(f"\n{options.messages} persistent messages of 1 KB, a {kind} queue, the median of")
    say(f"{options.rounds} rounds; client, broker and database in CPU µs per envelope\n")
    table(
        ("", "envelopes/s", "client", "broker", "database"),
        [(text, *_cells(rounds, key)) for key, text in ROWS.items()],
    )
    say()
    figures = {key: _medians(rounds, key) for key in ROWS}
    conclude(NAME, {"queue": kind, **figures}, _goals(rounds))


def _options() -> Options:
    parser = argparse.ArgumentParser(prog="./paperline bench bus")
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--queue", choices=("classic", "quorum"), default="classic")
    given = parser.parse_args()
    priorities = PRIORITY_MAX if given.queue == "classic" else 0
    queue = work_queue(batch=BATCH, priority_max=priorities)
    return Options(messages=given.messages, rounds=given.rounds, queue=queue)


def _log_to(file: Path) -> None:
    """What a service would write is written here too: it is a part of the cost."""
    configure_logging("bench")
    for handler in logging.getLogger().handlers:
        if isinstance(handler, logging.StreamHandler):
            handler.setStream(file.open("w"))


async def _measure(options: Options) -> list[dict[str, Cost]]:
    async with _opened(options) as bench:
        say("warming up")
        await bench.one_round()
        rounds = []
        for number in range(options.rounds):
            say(f"round {number + 1} of {options.rounds}")
            async with asyncio.timeout(ROUND_S_MAX):
                rounds.append(await bench.one_round())
        return rounds


@asynccontextmanager
async def _opened(options: Options) -> AsyncIterator[Bench]:
    state = Servers().state
    meter = Meter(State(Path(state)) if state else None)
    async with (
        own_database() as database_url,
        own_vhost() as amqp_url,
        bus_bench(amqp_url, database_url, options.queue) as bench,
        raw_client(amqp_url, options.queue.name, JOBS) as raw,
    ):
        yield Bench(options, raw, OurClient(bench), meter)


def _medians(rounds: Sequence[dict[str, Cost]], key: str) -> dict[str, Any]:
    columns: dict[str, list[float]] = {}
    for costs in rounds:
        for name, value in costs[key].figures.items():
            columns.setdefault(name, []).extend(() if value is None else (value,))
    return {n: round(median(some), 1) if some else None for n, some in columns.items()}


def _cells(rounds: Sequence[dict[str, Cost]], key: str) -> tuple[str, ...]:
    values = _medians(rounds, key).values()
    return tuple("–" if value is None else f"{value:,.0f}" for value in values)


def _goals(rounds: Sequence[dict[str, Cost]]) -> list[Goal]:
    relay = median(one["relay"].rate / one["raw_bulk"].rate for one in rounds)
    batch = median(one["batch"].rate / one["raw_consume"].rate for one in rounds)
    cpu = median(one["batch"].cpu_s / one["raw_consume"].cpu_s for one in rounds)
    single = median(one["single"].rate / one["raw_consume"].rate for one in rounds)
    say(f"single_vs_raw_consume {single:.2f} (for information)")
    return [
        Goal("P2 relay_vs_raw_bulk", relay, ">=", 0.6),
        Goal("P2 batch_vs_raw_consume", batch, ">=", 0.4),
        Goal("P2 batch_cpu_vs_raw_consume", cpu, "<=", 2.5),
    ]


if __name__ == "__main__":
    main()

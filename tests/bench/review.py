"""Does claiming what comes next stay as quick when a million items wait?

Two queues of one PostgreSQL, a small one and a large one, are asked in turns, so that a slow
moment of the machine is both's. Measured is the handler: the reviewer noted, what has ended
woken, the item lent, the audit log written, all of it committed. Then many reviewers claim at
once, each until the time is up.
"""

import argparse
import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from statistics import median, quantiles

from services.review.handlers.claiming import claim_next_item, release_item
from services.review.ports import Ports
from shared import audit
from shared.process.doors import new_loop
from tests.bench._shared.report import Goal, conclude, say, table
from tests.broker.database import Servers, own_database
from tests.broker.review_world import ports_over
from tests.broker.service_schema import ServiceSchema, service_schema
from tests.fakes.blobs import InMemoryBlobs

NAME = "review"
GOAL = 2.0
P95 = 94
ROWS_A_TIME = 25_000
REVIEWERS = 20
TURN = 25


@dataclass(frozen=True, slots=True)
class Options:
    small: int
    large: int
    claims: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Queue:
    schema: ServiceSchema
    use: Ports


def main() -> None:
    options = _options()
    if Servers().database_url is None:
        raise SystemExit("There are no servers to measure: run ./paperline bench review.")
    with asyncio.Runner(loop_factory=new_loop) as runner:
        waits, rates = runner.run(_measure(options))
    sizes = (options.small, options.large)
    figures = {
        size: {
            "p50_ms": median(taken) * 1000,
            "p95_ms": quantiles(taken, n=100)[P95] * 1000,
            "claims_per_s": rates[size],
        }
        for size, taken in waits.items()
    }
    say(f"\n{options.claims} claims of each in turns; then {REVIEWERS} reviewers at once\n")
    table(
        ("items", "p50 ms", "p95 ms", "claims/s"),
        [
            (
                f"{size:,}",
                *(f"{figures[size][one]:.1f}" for one in ("p50_ms", "p95_ms")),
                f"{figures[size]['claims_per_s']:,.0f}",
            )
            for size in sizes
        ],
    )
    say()
    small, large = (figures[size]["p95_ms"] for size in sizes)
    told = {str(size): one for size, one in figures.items()}
    conclude(NAME, told, [Goal("claim_p95_large_vs_small", large / small, "<=", GOAL)])


def _options() -> Options:
    parser = argparse.ArgumentParser(prog="./paperline bench review")
    parser.add_argument("--small", type=int, default=1_000)
    parser.add_argument("--large", type=int, default=1_000_000)
    parser.add_argument("--claims", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=5)
    given = parser.parse_args()
    return Options(given.small, given.large, given.claims, given.seconds)


async def _measure(
    options: Options,
) -> tuple[dict[int, list[float]], dict[int, float]]:
    sizes = (options.small, options.large)
    async with own_database() as url, AsyncExitStack() as stack:
        queues = {size: await stack.enter_async_context(_queue(url, size)) for size in sizes}
        for queue in queues.values():
            await _claim(queue, TURN)
        waits: dict[int, list[float]] = {size: [] for size in sizes}
        while len(waits[options.large]) < options.claims:
            for size, queue in queues.items():
                waits[size] += await _claim(queue, TURN)
        return waits, {
            size: await _rate(queue, options.seconds) for size, queue in queues.items()
        }


@asynccontextmanager
async def _queue(url: str, size: int) -> AsyncIterator[Queue]:
    async with service_schema(url, "review", [audit.MIGRATIONS]) as schema:
        say(f"opening {size:,} items")
        for first in range(0, size, ROWS_A_TIME):
            await schema.owner.execute(ITEMS, first, min(size, first + ROWS_A_TIME) - 1)
        # Alone: it does not run in a transaction.
        await schema.owner.execute("ANALYZE review_items")
        yield Queue(schema, ports_over(schema.pool, schema.ledger, InMemoryBlobs()))


# A twentieth is overdue, a twentieth assigned, a fiftieth escalated, a fiftieth put off.
ITEMS = """
INSERT INTO review_items (
       document_id, owner_id, accepted_at, priority, confidence, engine, extraction_key,
       result_version, sha256, duplicate, filename, job_id, run, opened_at, due_at, base,
       vendor_name, invoice_number, breached_at, assigned_to, level, postponed_until)
SELECT gen_random_uuid(), 'acme', now(), 3, 0.9, 'pdf_text', 'k', 1,
       repeat(md5(n::text), 2), false, 'invoice-' || n || '.pdf',
       gen_random_uuid(), 0, now() - make_interval(secs => n),
       now() + CASE WHEN n % 20 = 0 THEN -interval '1 hour'
                    ELSE make_interval(secs => 3600 + random() * 400000) END,
       random() * 70, 'Vendor ' || n % 5000, 'R-' || n,
       CASE WHEN n % 20 = 0 THEN now() END, CASE WHEN n % 20 = 1 THEN 'boris' END,
       CASE WHEN n % 50 = 2 THEN 2 ELSE 1 END,
       CASE WHEN n % 50 = 3 THEN now() + interval '1 day' END
  FROM generate_series($1::integer, $2::integer) AS n
"""


async def _claim(queue: Queue, times: int) -> list[float]:
    """Seconds of each; the item is given back before the next."""
    taken = []
    for _ in range(times):
        began = time.monotonic()
        item = await claim_next_item("anna", queue.use)
        taken.append(time.monotonic() - began)
        if item is None:
            raise SystemExit("the queue is empty: measure with more items")
        await release_item(item.document_id, "anna", queue.use)
    return taken


async def _rate(queue: Queue, seconds: float) -> float:
    until = time.monotonic() + seconds
    claimed = 0

    async def review(name: str) -> None:
        nonlocal claimed
        while time.monotonic() < until:
            item = await claim_next_item(name, queue.use)
            if item is None:
                return
            claimed += 1
            await release_item(item.document_id, name, queue.use)

    async with asyncio.TaskGroup() as group:
        for one in range(REVIEWERS):
            group.create_task(review(f"reviewer-{one}"))
    return claimed / seconds


if __name__ == "__main__":
    main()

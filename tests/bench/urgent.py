"""Does urgent work overtake ten thousand documents, and does the rest still move meanwhile?

All five services, with an engine that only takes its time. Urgent documents go through one by
one, first on an idle system, then under a backlog that lasts to the end. Then there is always
more urgent work than the engine can do, and what came through of the others is counted.
"""

import argparse
import asyncio
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from shared.contracts.body import Priority
from shared.process.doors import new_loop
from tests.bench._shared.bars import draw
from tests.bench._shared.journeys import journeys, percentile
from tests.bench._shared.line import WINDOW_OF_SLOTS, Line, documents, line_of
from tests.bench._shared.passage import carry
from tests.bench._shared.report import Goal, conclude, say, table
from tests.eventually import eventually

NAME = "urgent"
URGENT = "urgent"
EVERY_S = 0.5
LOOK_EVERY_S = 0.25
# What had been released before the urgent work came is not what moves under it.
SKIPPED_S = 10.0
TIMES_UNLOADED = 3.0
SHARE_MIN = 0.1
OPEN = """
SELECT count(*) FROM ingest.documents
 WHERE status IN ('queued', 'processing') AND priority = $1
"""
CAME_THROUGH = """
SELECT priority, count(*) FROM ingest.documents
 WHERE completed_at >= $1 AND status = 'completed' GROUP BY priority
"""
NOW = "SELECT clock_timestamp()"


@dataclass(frozen=True, slots=True)
class Options:
    backlog: int
    urgent: int
    slots: int
    think_s: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Found:
    idle_s: Sequence[float]
    loaded_s: Sequence[float]
    waited: int
    # Documents a second while there was endless urgent work.
    urgent_per_s: float
    others_per_s: float

    @property
    def others_share(self) -> float:
        return self.others_per_s / (self.urgent_per_s + self.others_per_s)


def main() -> None:
    options = _options()
    with asyncio.Runner(loop_factory=new_loop) as runner:
        found = runner.run(_measure(options))
    say(f"\n{options.urgent} urgent documents one by one, in ms; the engine takes")
    say(f"{options.think_s * 1000:g} ms on {options.slots} slots\n")
    told = {"idle": _ms(found.idle_s), f"behind {found.waited:,}": _ms(found.loaded_s)}
    table(
        ("", *_ms(found.idle_s)),
        [(name, *(f"{ms:,.0f}" for ms in one.values())) for name, one in told.items()],
    )
    say(f"\nwith endless urgent work: {found.urgent_per_s:.1f} urgent and")
    say(f"{found.others_per_s:.1f} others a second; load {os.getloadavg()[0]:.1f}")
    shown = {f"{name}, {one}": {"ms": ms} for name in told for one, ms in told[name].items()}
    draw(NAME, "How long an urgent document is on its way", "ms", shown)
    figures = {
        "idle_ms": _ms(found.idle_s),
        "loaded_ms": _ms(found.loaded_s),
        "backlog": found.waited,
        "urgent_per_s": round(found.urgent_per_s, 2),
        "others_per_s": round(found.others_per_s, 2),
        "load": os.getloadavg()[0],
    }
    conclude(NAME, figures, _goals(options, found))


def _options() -> Options:
    parser = argparse.ArgumentParser(prog="./paperline bench urgent")
    parser.add_argument("--backlog", type=int, default=10_000)
    parser.add_argument("--urgent", type=int, default=60, help="documents, one by one")
    parser.add_argument("--slots", type=int, default=8)
    parser.add_argument("--think", type=float, default=0.5, metavar="S", help="of the engine")
    parser.add_argument("--seconds", type=float, default=60.0, help="of endless urgent work")
    given = parser.parse_args()
    return Options(given.backlog, given.urgent, given.slots, given.think, given.seconds)


async def _measure(options: Options) -> Found:
    async with line_of("urgent-stack", slots=options.slots, think_s=options.think_s) as line:
        say("warming up")
        await carry(line, documents(2 * options.slots))
        say("urgent documents on an idle system")
        idle_s = await _urgent(line, options)
        say(f"handing in {options.backlog:,} documents")
        await line.hand_in(documents(options.backlog))
        waited = await line.database.fetchval(OPEN, int(Priority.NORMAL))
        say("urgent documents before them")
        loaded_s = await _urgent(line, options)
        say("endless urgent work")
        came, took_s = await _endless(line, options)
        if not await line.database.fetchval(OPEN, int(Priority.NORMAL)):
            raise SystemExit("the backlog is gone: measure with more documents")
    urgent = came.get(Priority.URGENT, 0)
    others = sum(came.values()) - urgent
    return Found(idle_s, loaded_s, waited, urgent / took_s, others / took_s)


async def _urgent(line: Line, options: Options) -> Sequence[float]:
    return await journeys(line, documents(options.urgent), every_s=EVERY_S, priority=URGENT)


async def _endless(line: Line, options: Options) -> tuple[Mapping[int, int], float]:
    """By priority how many came through, and in how many seconds."""
    most = 2 * WINDOW_OF_SLOTS * options.slots

    async def supply(seconds: float) -> None:
        ends_at = time.monotonic() + seconds

        async def is_over() -> bool:
            missing = most - await line.database.fetchval(OPEN, int(Priority.URGENT))
            await line.hand_in(documents(max(0, missing)), priority=URGENT)
            return time.monotonic() >= ends_at

        await eventually(is_over, within_s=seconds + 60, every_s=LOOK_EVERY_S)

    await supply(SKIPPED_S)
    began_at: datetime = await line.database.fetchval(NOW)
    began = time.monotonic()
    await supply(options.seconds)
    rows = await line.database.fetch(CAME_THROUGH, began_at)
    return {one[0]: one[1] for one in rows}, time.monotonic() - began


def _ms(took_s: Sequence[float]) -> dict[str, float]:
    return {
        f"p{percent}": round(percentile(took_s, percent) * 1000, 1) for percent in (50, 95, 99)
    }


def _goals(options: Options, found: Found) -> list[Goal]:
    most_s = TIMES_UNLOADED * median(found.idle_s) + options.think_s
    return [
        Goal("P4 urgent_p95_of_its_limit", percentile(found.loaded_s, 95) / most_s, "<=", 1.0),
        Goal("P4 share_of_others", found.others_share, ">=", SHARE_MIN),
    ]


if __name__ == "__main__":
    main()

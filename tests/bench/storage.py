"""What does keeping a result cost, and what merging a day? Beside bare pyarrow, in one run.

Ours is the handler: the order's extraction read, JSON and Parquet written under their version
and under the dated paths, rows, index and messages committed, all of it on the disk. Bare is
pyarrow and fsync of the same bytes, by as many threads. Rounds interleave, and a ratio is taken
within a round. A day is merged by a process of its own, so that its memory is its own.
"""

import argparse
import asyncio
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

from shared import audit, limits
from shared.process.doors import new_loop
from tests.bench._shared.kept import Bare, Ours, extractions
from tests.bench._shared.merging import Orders, keep_a_day
from tests.bench._shared.report import Goal, conclude, folder, say, table
from tests.broker.database import Servers, own_database
from tests.broker.service_schema import ServiceSchema, service_schema
from tests.house.repository import ROOT

NAME = "storage"
ROWS = {
    "bare_once": "pyarrow and fsync, one JSON and one Parquet",
    "bare": "pyarrow and fsync, versions and dated copies",
    "ours": "storage: the same, its rows, index and messages",
}
GOAL = 0.7
RSS_MB_GOAL = 300.0
BATCH = 100
ROUND_S_MAX = 900.0

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Options:
    documents: int
    rounds: int
    files: int


def main() -> None:
    options = _options()
    if Servers().database_url is None:
        raise SystemExit("There are no servers to measure: run ./paperline bench storage.")
    with asyncio.Runner(loop_factory=new_loop) as runner:
        rounds = runner.run(_measure(options))
        merged = runner.run(_merge(options.files)) if options.files else {}
    say(f"\n{options.documents} documents in batches of {BATCH}, the median of")
    say(f"{options.rounds} rounds\n")
    rates = {key: round(median(one[key] for one in rounds), 1) for key in ROWS}
    table(("", "documents/s"), [(text, f"{rates[key]:,.0f}") for key, text in ROWS.items()])
    if merged:
        say(f"\na day of {options.files:,} files of one row each, merged\n")
        table(("", ""), [(name, f"{value:,.0f}") for name, value in merged.items()])
    say()
    once = median(one["ours"] / one["bare_once"] for one in rounds)
    say(f"ours_vs_bare_once {once:.2f} (for information: half of the bytes, and no index)")
    conclude(NAME, {"documents_per_s": rates, "merging": merged}, _goals(rounds, merged))


def _goals(rounds: Sequence[dict[str, float]], merged: dict[str, Any]) -> list[Goal]:
    ratio = median(one["ours"] / one["bare"] for one in rounds)
    goals = [Goal("ours_vs_bare", ratio, ">=", GOAL)]
    if merged:
        goals.append(Goal("merging_peak_rss_mb", merged["peak_rss_mb"], "<=", RSS_MB_GOAL))
    return goals


def _options() -> Options:
    parser = argparse.ArgumentParser(prog="./paperline bench storage")
    parser.add_argument("--documents", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--files", type=int, default=100_000, help="to merge; 0: none")
    given = parser.parse_args()
    return Options(given.documents, given.rounds, given.files)


@asynccontextmanager
async def _storage() -> AsyncIterator[tuple[ServiceSchema, str, Path]]:
    migrations = [limits.MIGRATIONS, audit.MIGRATIONS]
    async with own_database() as url, service_schema(url, "storage", migrations) as schema:
        with tempfile.TemporaryDirectory(dir=folder()) as kept:
            yield schema, url, Path(kept)


async def _measure(options: Options) -> list[dict[str, float]]:
    rounds = []
    async with _storage() as (schema, _, kept):
        for number in range(options.rounds + 1):
            say(f"round {number} of {options.rounds}" if number else "warming up")
            async with asyncio.timeout(ROUND_S_MAX):
                rounds.append(await _round(options.documents, schema, kept / str(number)))
            await asyncio.to_thread(shutil.rmtree, kept / str(number))
    return rounds[1:]


async def _round(documents: int, schema: ServiceSchema, root: Path) -> dict[str, float]:
    read = extractions(documents)
    ours = Ours(schema, root / "ours")
    jobs = await ours.order(read)
    return {
        "bare_once": await _rate(Bare(root / "once", copies=1).keep, read),
        "bare": await _rate(Bare(root / "bare", copies=2).keep, read),
        "ours": await _rate(ours.keep, jobs),
    }


async def _rate(keep: Callable[[Sequence[T]], Awaitable[None]], given: Sequence[T]) -> float:
    # What was written before is on the disk, so that nobody pays for another's bytes.
    await asyncio.to_thread(os.sync)
    began = time.monotonic()
    for first in range(0, len(given), BATCH):
        await keep(given[first : first + BATCH])
    return len(given) / (time.monotonic() - began)


async def _merge(files: int) -> dict[str, Any]:
    async with _storage() as (schema, url, kept):
        say(f"making a day of {files:,} files")
        await keep_a_day(schema, kept / "blobs", files)
        await asyncio.to_thread(os.sync)
        say("merging it")
        orders = Orders(url, schema.name, str(kept / "blobs"), str(kept))
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.bench._shared.merging", orders.as_argument()),
            cwd=ROOT,
            stdout=asyncio.subprocess.PIPE,
        )
        told, _ = await process.communicate()
        return dict(json.loads(told))


if __name__ == "__main__":
    main()

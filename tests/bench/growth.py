"""Does a document cost more when a million others lie in the tables?

One and the same line of five services, its tables filled further and further; at each size a
backlog is carried through several times, so that outbox and inbox churn for the whole run. The
numbers of two sizes are of one run, on one machine, one after the other.
"""

import argparse
import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from shared.process.doors import new_loop
from tests.bench._shared.line import Line, documents, line_of
from tests.bench._shared.multiplied import multiply
from tests.bench._shared.passage import Passage, carry
from tests.bench._shared.report import Goal, conclude, say, table
from tests.bench._shared.side_by_side import PARTS, measured, medians
from tests.bench._shared.used import DISTURBED

NAME = "growth"
GOAL = 1.15
# What the others are copied from.
ORIGINALS = 500
GIGABYTE = 1e9
SIZE = "SELECT pg_database_size(current_database())"


@dataclass(frozen=True, slots=True)
class Options:
    sizes: Sequence[int]
    documents: int
    rounds: int
    slots: int


@dataclass(frozen=True, slots=True)
class Grown:
    passages: Sequence[Passage]
    database_gb: float

    @property
    def figures(self) -> dict[str, Any]:
        rounds = [{NAME: measured(one.count, one.rate, one.carried)} for one in self.passages]
        accepting = median(one.whole_cpu_us - one.cpu_us for one in self.passages)
        return {
            **medians(rounds, NAME),
            "accepting_us": round(accepting),
            "database_gb": round(self.database_gb, 2),
        }


def main() -> None:
    options = _options()
    with asyncio.Runner(loop_factory=new_loop) as runner:
        grown = runner.run(_measure(options))
    figures = {f"{size}": one.figures for size, one in grown.items()}
    say(f"\n{options.rounds} times {options.documents} documents at each size, the medians;")
    say("CPU µs of one document\n")
    columns = ("documents_per_s", "cpu_us", *(f"{part}_us" for part in PARTS), "accepting_us")
    table(
        ("documents", "a second", "CPU", *PARTS, "accepting", "others", "GB"),
        [
            (
                f"{int(size):,}",
                *(f"{one[column]:,.0f}" for column in columns),
                *(f"{one['others']:.2f}", f"{one['database_gb']:.1f}"),
            )
            for size, one in figures.items()
        ],
    )
    if any(one["others"] > DISTURBED for one in figures.values()):
        say("NOT QUIET: somebody else used the processors too")
    say()
    conclude(NAME, figures | {"load": os.getloadavg()[0]}, [_goal(grown)])


def _options() -> Options:
    parser = argparse.ArgumentParser(prog="./paperline bench growth")
    parser.add_argument("--sizes", default="10000,100000,1000000", metavar="N,N,…")
    parser.add_argument("--documents", type=int, default=1_500, help="carried at a time")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--slots", type=int, default=16)
    given = parser.parse_args()
    sizes = sorted(int(one) for one in given.sizes.split(","))
    return Options(sizes, given.documents, given.rounds, given.slots)


async def _measure(options: Options) -> Mapping[int, Grown]:
    grown = {}
    async with line_of("growth-stack", slots=options.slots) as line:
        say("carrying those that the others are copied from")
        await carry(line, documents(ORIGINALS))
        for size in options.sizes:
            await multiply(line.database, size)
            grown[size] = await _at_this_size(line, options)
    return grown


async def _at_this_size(line: Line, options: Options) -> Grown:
    # The first pays for what the filling threw out of the memory.
    await carry(line, documents(options.documents))
    passages = []
    for number in range(options.rounds):
        say(f"round {number + 1} of {options.rounds}")
        passages.append(await carry(line, documents(options.documents)))
    size: int = await line.database.fetchval(SIZE)
    return Grown(passages, size / GIGABYTE)


def _goal(grown: Mapping[int, Grown]) -> Goal:
    costs = [median(passage.cpu_us for passage in one.passages) for one in grown.values()]
    return Goal("P5 cpu_largest_vs_smallest", costs[-1] / costs[0], "<=", GOAL)


if __name__ == "__main__":
    main()

"""Does a document cost more when a million others lie in the tables?

One and the same line of five services, its tables filled further and further; at each size a
backlog is carried through several times, so that outbox and inbox churn for the whole run. The
numbers of two sizes are of one run, on one machine, one after the other. The goal is about all
that a document costs, from its upload on: accepting one looks into the largest tables too.
"""

import argparse
import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from shared.process.doors import new_loop
from tests.bench._shared.bars import draw
from tests.bench._shared.line import Line, documents, line_of
from tests.bench._shared.multiplied import Multiplier, multiplier
from tests.bench._shared.passage import Passage, carry, come_to_rest
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
    def whole_cpu_us(self) -> float:
        return median(one.whole_cpu_us for one in self.passages)

    @property
    def carried_cpu_us(self) -> float:
        return median(one.cpu_us for one in self.passages)

    @property
    def figures(self) -> dict[str, Any]:
        rounds = [{NAME: measured(one.count, one.rate, one.carried)} for one in self.passages]
        accepting = median(one.whole_cpu_us - one.cpu_us for one in self.passages)
        return {
            **medians(rounds, NAME),
            "accepting_us": round(accepting),
            "whole_us": round(self.whole_cpu_us),
            "database_gb": round(self.database_gb, 2),
        }


def main() -> None:
    options = _options()
    with asyncio.Runner(loop_factory=new_loop) as runner:
        grown = runner.run(_measure(options))
    figures = {f"{size}": one.figures for size, one in grown.items()}
    say(f"\n{options.rounds} times {options.documents} documents at each size, the medians;")
    say("CPU µs of one document\n")
    parts = (f"{part}_us" for part in PARTS)
    columns = ("documents_per_s", "cpu_us", *parts, "accepting_us", "whole_us")
    table(
        ("documents", "a second", "carrying", *PARTS, "accepting", "whole", "others", "GB"),
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
    shown = {
        f"{int(size):,} documents": {part: one[f"{part}_us"] for part in (*PARTS, "accepting")}
        for size, one in figures.items()
    }
    draw(NAME, "CPU of one document, by how many lie in the tables", "µs", shown)
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
        await come_to_rest(line)
        async with multiplier(line.stack.database_url) as copies:
            for size in options.sizes:
                await _fill(line, copies, size)
                grown[size] = await _at_this_size(line, options)
    return grown


async def _fill(line: Line, copies: Multiplier, size: int) -> None:
    await copies.fill(size)
    # What the services found to do with it is no document's cost.
    await come_to_rest(line)
    # Otherwise that would be done sooner or later, in the middle of what is measured.
    await line.database.execute("VACUUM (ANALYZE)")
    await line.database.execute("CHECKPOINT")


async def _at_this_size(line: Line, options: Options) -> Grown:
    # The first pays for what the filling threw out of the memory.
    await carry(line, documents(options.documents))
    await come_to_rest(line)
    passages = []
    for number in range(options.rounds):
        say(f"round {number + 1} of {options.rounds}")
        passages.append(await carry(line, documents(options.documents)))
    size: int = await line.database.fetchval(SIZE)
    return Grown(passages, size / GIGABYTE)


def _goal(grown: Mapping[int, Grown]) -> Goal:
    sizes = list(grown.values())
    smallest, largest = sizes[0], sizes[-1]
    carried = largest.carried_cpu_us / smallest.carried_cpu_us
    say(f"carried_cpu_largest_vs_smallest {carried:.2f} (for information)")
    whole = largest.whole_cpu_us / smallest.whole_cpu_us
    return Goal("P5 cpu_largest_vs_smallest", whole, "<=", GOAL)


if __name__ == "__main__":
    main()

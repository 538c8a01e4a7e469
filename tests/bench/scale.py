"""Do two extractors do twice as much as one, and four four times?

Each replica has the same few slots, and the provider is our double, which thinks for seconds:
what keeps them from being as many times as fast is what they share, the broker, the database
and the machine. The documents wait in the queue before the first of them starts.
"""

import argparse
import asyncio
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass

from shared.process.doors import new_loop
from tests.bench._shared.backlog import LOOK_EVERY_S, before_a_model
from tests.bench._shared.bars import draw
from tests.bench._shared.lifted import lifted
from tests.bench._shared.model_calls import Model
from tests.bench._shared.progress_watch import Moment, Waiting, watch_over
from tests.bench._shared.report import Goal, conclude, say, table
from tests.eventually import eventually
from tests.system.replicas import replica_of
from tests.system.stack import Stack

NAME = "scale"
GOAL = 0.9
WARM_WITHIN_S = 120.0
# Everybody has had one answer, so they no longer come in step.
WARM_WAVES = 2
CONNECTIONS = 256


@dataclass(frozen=True, slots=True)
class Options:
    replicas: Sequence[int]
    slots: int
    think_s: float
    seconds: float

    def ideal(self, replicas: int) -> float:
        return replicas * self.slots / self.think_s

    @property
    def documents(self) -> int:
        """Enough that nobody finds an empty queue, even at the ideal rate. What a replica has
        in hand when it is stopped comes back."""
        return round(
            sum(
                (WARM_WAVES + 2) * one * self.slots + self.ideal(one) * (self.seconds + 5)
                for one in self.replicas
            )
        )


@dataclass(frozen=True, slots=True)
class Stretch:
    first: Moment
    last: Moment

    @property
    def rate(self) -> float:
        return (self.last.read - self.first.read) / (self.last.at - self.first.at)


def main() -> None:
    options = _options()
    with asyncio.Runner(loop_factory=new_loop) as runner:
        found = runner.run(_measure(options))
    say(f"\n{options.slots} slots each, {options.think_s:g} s of thinking, the same")
    say(f"{options.seconds:g} s of each\n")
    one = found[options.replicas[0]].rate / options.replicas[0]
    table(
        ("replicas", "documents/s", "of the slots", "of as many times one"),
        [
            (
                str(count),
                f"{stretch.rate:.2f}",
                f"{stretch.rate / options.ideal(count):.2f}",
                f"{stretch.rate / (count * one):.2f}",
            )
            for count, stretch in found.items()
        ],
    )
    say(f"\nload {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    shown = {f"replicas: {n}": {"a second": some.rate} for n, some in found.items()}
    draw(NAME, "Documents read with so many extractors", "a second", shown)
    figures = {
        "documents_per_s": {str(n): round(some.rate, 2) for n, some in found.items()},
        "slots": options.slots,
        "think_s": options.think_s,
        "load": os.getloadavg()[0],
    }
    degraded = max(stretch.last.degraded for stretch in found.values())
    goals = [
        Goal(f"linear_{count}", stretch.rate / (count * one), ">=", GOAL)
        for count, stretch in found.items()
        if count != options.replicas[0]
    ]
    conclude(NAME, figures, [*goals, Goal("read_without_the_provider", degraded, "<=", 0)])


def _options() -> Options:
    parser = argparse.ArgumentParser(prog="./paperline bench scale")
    parser.add_argument("--replicas", default="1,2,4", metavar="N,N,…")
    parser.add_argument("--slots", type=int, default=16, help="of each replica")
    parser.add_argument("--think", type=float, default=3.0, metavar="S")
    parser.add_argument("--seconds", type=float, default=90.0, help="of each number")
    given = parser.parse_args()
    replicas = sorted(int(one) for one in given.replicas.split(","))
    return Options(replicas, given.slots, given.think, given.seconds)


async def _measure(options: Options) -> Mapping[int, Stretch]:
    backlog = before_a_model("scale-stack", options.documents, options.think_s)
    async with backlog as (stack, model, waiting):
        return {
            count: await _stretch(options, count, stack, model, waiting)
            for count in options.replicas
        }


async def _stretch(
    options: Options, count: int, stack: Stack, model: Model, waiting: Waiting
) -> Stretch:
    say(f"{count} of them, warming up")
    settings = {
        "PAPERLINE_EXTRACT_SLOTS": str(options.slots),
        "PAPERLINE_GEMINI_CONNECTIONS_MAX": str(CONNECTIONS),
        "PAPERLINE_EXTRACTION_CONFIG": str(lifted(stack)),
    }
    async with AsyncExitStack() as running:
        extractors = [
            await running.enter_async_context(
                replica_of(stack, "extractor", number, door="work", **settings)
            )
            for number in range(2, 2 + count)
        ]
        # It counts what all of them have read.
        watch = await running.enter_async_context(watch_over(extractors[0], model, waiting))
        enough = (await watch.moment()).read + WARM_WAVES * count * options.slots

        async def is_warm() -> bool:
            return (await watch.moment()).read >= enough

        await eventually(is_warm, within_s=WARM_WITHIN_S, every_s=LOOK_EVERY_S)
        first = await watch.moment()

        async def is_over() -> bool:
            return time.monotonic() >= first.at + options.seconds

        await eventually(is_over, within_s=options.seconds + 60, every_s=LOOK_EVERY_S)
        last = await watch.moment()
        assert last.waiting > 0, "the queue ran empty: more documents are needed"
        return Stretch(first, last)


if __name__ == "__main__":
    main()

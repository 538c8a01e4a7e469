"""How many documents can wait for a slow provider? One extractor, whole, beside its slots.

Everything is real but the provider, which is our double and thinks for seconds. The documents
wait in the queue before the extractor starts, so it never lacks one; what is compared with is
what the slots could do if nothing else took time.
"""

import argparse
import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from time import monotonic
from typing import Any

from shared.process.doors import new_loop
from tests.bench._shared.backlog import before_a_model
from tests.bench._shared.household import MEBIBYTE
from tests.bench._shared.lifted import lifted
from tests.bench._shared.model_calls import Model
from tests.bench._shared.progress_watch import Moment, Waiting, Watch, watch_over
from tests.bench._shared.report import Goal, conclude, say, table
from tests.eventually import eventually
from tests.system.replicas import replica_of
from tests.system.stack import Stack

NAME = "provider"
GOAL_PER_S, GOAL_RATIO = 60.0, 0.9
WARM_WITHIN_S = 120.0
LOOK_EVERY_S = 1.0
# Everybody has had one answer, so they no longer come in step.
WARM_WAVES = 2


@dataclass(frozen=True, slots=True)
class Options:
    slots: int
    think_s: float
    rounds: int
    seconds: float

    @property
    def ideal(self) -> float:
        return self.slots / self.think_s

    @property
    def documents(self) -> int:
        """Enough that the last round does not find an empty queue, even at the ideal rate."""
        return round((WARM_WAVES + 2) * self.slots + self.ideal * self.seconds * self.rounds)


@dataclass(frozen=True, slots=True)
class Round:
    first: Moment
    last: Moment
    in_flight: Sequence[int]

    @property
    def count(self) -> int:
        return self.last.read - self.first.read

    @property
    def figures(self) -> dict[str, float]:
        first, last = self.first, self.last
        mine, children = (
            last.home.cpu_s - first.home.cpu_s,
            last.home.children_cpu_s - first.home.children_cpu_s,
        )
        return {
            "rate": self.count / (last.at - first.at),
            "in_flight": median(self.in_flight),
            "extractor_ms": self._ms(mine),
            "children_ms": self._ms(children),
            "database_ms": self._ms(last.database_s - first.database_s),
            "broker_ms": self._ms(last.broker_s - first.broker_s),
            "double_ms": self._ms(last.double_s - first.double_s),
            "resident_mib": last.home.resident_bytes / MEBIBYTE,
            "children_mib": sum(c.resident_bytes for c in last.home.children) / MEBIBYTE,
        }

    def _ms(self, seconds: float) -> float:
        return seconds / max(1, self.count) * 1000


def main() -> None:
    options = _options()
    with asyncio.Runner(loop_factory=new_loop) as runner:
        rounds = runner.run(_measure(options))
    told = _medians(rounds)
    say(f"\n{options.slots} slots, {options.think_s:g} s of thinking: {options.ideal:.1f}/s")
    say(f"would be ideal; {options.rounds} rounds of {options.seconds:g} s each\n")
    rows = [
        (
            "documents/s",
            *(f"{one.figures['rate']:.1f}" for one in rounds),
            f"{told['rate']:.1f}",
        ),
        *(_row(name, rounds) for name in rounds[0].figures if name != "rate"),
    ]
    table(("", *(f"round {n + 1}" for n in range(len(rounds))), "median"), rows)
    load, processors = os.getloadavg()[0], os.cpu_count()
    say(f"\nload {load:.1f} on {processors} processors; CPU in ms per document\n")
    conclude(NAME, told | {"ideal": options.ideal, "load": load}, _goals(options, rounds))


def _options() -> Options:
    parser = argparse.ArgumentParser(prog="./paperline bench provider")
    parser.add_argument("--slots", type=int, default=200)
    parser.add_argument("--think", type=float, default=3.0, metavar="S")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=9.0, help="of a round")
    given = parser.parse_args()
    return Options(given.slots, given.think, given.rounds, given.seconds)


async def _measure(options: Options) -> list[Round]:
    backlog = before_a_model("provider-stack", options.documents, options.think_s)
    async with backlog as (stack, model, waiting):
        return await _extract(options, stack, model, waiting)


async def _extract(
    options: Options, stack: Stack, model: Model, waiting: Waiting
) -> list[Round]:
    settings = {
        "PAPERLINE_EXTRACT_SLOTS": str(options.slots),
        "PAPERLINE_GEMINI_CONNECTIONS_MAX": str(max(256, options.slots)),
        "PAPERLINE_EXTRACTION_CONFIG": str(lifted(stack)),
    }
    async with (
        replica_of(stack, "extractor", 2, door="work", **settings) as extractor,
        watch_over(extractor, model, waiting) as watch,
    ):
        say("warming up")

        async def is_warm() -> bool:
            return (await watch.moment()).read >= WARM_WAVES * options.slots

        await eventually(is_warm, within_s=WARM_WITHIN_S, every_s=LOOK_EVERY_S)
        rounds = []
        for number in range(options.rounds):
            say(f"round {number + 1} of {options.rounds}")
            rounds.append(await _round(watch, options.seconds))
        return rounds


async def _round(watch: Watch, seconds: float) -> Round:
    first = await watch.moment()
    ends_at, in_flight = first.at + seconds, [first.in_flight]

    async def is_over() -> bool:
        in_flight.append((await watch.moment()).in_flight)
        return monotonic() >= ends_at

    await eventually(is_over, within_s=seconds + 60, every_s=LOOK_EVERY_S)
    last = await watch.moment()
    assert last.waiting > 0, "the queue ran empty: more documents are needed"
    return Round(first, last, in_flight)


def _medians(rounds: Sequence[Round]) -> dict[str, Any]:
    every = [one.figures for one in rounds]
    return {name: round(median(one[name] for one in every), 2) for name in every[0]}


def _row(name: str, rounds: Sequence[Round]) -> tuple[str, ...]:
    values = [one.figures[name] for one in rounds]
    return (name.replace("_", " "), *(f"{value:,.1f}" for value in (*values, median(values))))


def _goals(options: Options, rounds: Sequence[Round]) -> list[Goal]:
    rate = median(one.figures["rate"] for one in rounds)
    return [
        Goal("P6 documents_per_s", rate, ">=", GOAL_PER_S),
        Goal("P6 of_ideal", rate / options.ideal, ">=", GOAL_RATIO),
        Goal("P6 read_without_the_provider", rounds[-1].last.degraded, "<=", 0),
    ]


if __name__ == "__main__":
    main()

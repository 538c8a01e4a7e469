"""What does a document cost on its way through all five services, its engine for nothing?

Beside the least that does the same work without a promise, and beside other job systems where
their driver is at hand, in the same run. Ours has everything on: what is durable is on the
disk, and outbox, inbox, status view, monitor, traces, metrics and logs are those of every day.
Then how long one document takes on an idle system, and what one costs that came before.
"""

import argparse
import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Literal, TypeAlias

from shared.process.doors import new_loop
from tests.bench._shared.bare_run import bare_run
from tests.bench._shared.bars import draw
from tests.bench._shared.journeys import journeys, moments_ms, percentile
from tests.bench._shared.line import Line, documents, line_of
from tests.bench._shared.passage import Passage, carry, come_to_rest
from tests.bench._shared.peers import SYSTEMS, measure_peers, peers_at
from tests.bench._shared.report import Goal, conclude, say, table
from tests.bench._shared.side_by_side import (
    PARTS,
    Measured,
    Round,
    measured,
    medians,
    names,
    ratio_of_cpu,
    ratio_of_rate,
    say_how_quiet,
    service_parts,
)
from tests.bench._shared.used import rest

NAME = "pipeline"
OURS, BARE = "paperline", "bare"
Ratio: TypeAlias = Callable[[Sequence[Round], str, str], float]
# The first documents of a process pay for what all others find ready.
WARM = 100
JOURNEYS_EVERY_S = 0.05
# Whoever gathers in a steady stream does so for a while after a backlog, and not at rest.
PACED_S = 5.0
RATIOS: Sequence[tuple[str, Ratio, Literal["<=", ">="], Mapping[str, float]]] = (
    ("cpu_ratio", ratio_of_cpu, "<=", {"celery-redis": 0.33, "dramatiq": 0.5}),
    ("rate_ratio", ratio_of_rate, ">=", {"celery-redis": 3.0, "dramatiq": 1.5}),
)
LATENCY_P50_MS, LATENCY_P99_OF_P50 = 25.0, 3.0
DUPLICATE_GOAL = 0.6


@dataclass(frozen=True, slots=True)
class Options:
    documents: int
    rounds: int
    slots: int
    journeys: int
    peers: Path | None
    systems: Sequence[str]
    sync: bool


@dataclass(frozen=True, slots=True)
class Found:
    rounds: Sequence[Round]
    fresh: Sequence[Passage]
    again: Sequence[Passage]
    journeys_s: Sequence[float]
    # Of one that is alone, by what is told of it.
    moments_ms: Mapping[str, float]


def main() -> None:
    options = _options()
    with asyncio.Runner(loop_factory=new_loop) as runner:
        found = runner.run(_measure(options))
    figures = _figures(found)
    _show(options, found, figures)
    shown = {name: {part: one[f"{part}_us"] for part in PARTS} for name, one in _rows(figures)}
    draw(NAME, "CPU of one document, in the same run", "µs", shown)
    load = {"load": os.getloadavg()[0], "processors": os.cpu_count()}
    conclude(NAME, figures | load, _goals(found))


def _options() -> Options:
    parser = argparse.ArgumentParser(prog="./paperline bench pipeline")
    parser.add_argument("--documents", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--slots", type=int, default=16, help="of the extractor")
    parser.add_argument("--journeys", type=int, default=200, help="documents one at a time")
    parser.add_argument("--peers", type=Path, metavar="FOLDER", help="a driver of others")
    parser.add_argument("--systems", default=",".join(SYSTEMS), help="of that driver")
    parser.add_argument(
        "--sync", action="store_true", help="the others wait for the disk as we do"
    )
    given = parser.parse_args()
    return Options(
        given.documents,
        given.rounds,
        given.slots,
        given.journeys,
        peers_at(given.peers),
        given.systems.split(","),
        given.sync,
    )


async def _measure(options: Options) -> Found:
    async with line_of("pipeline-stack", slots=options.slots) as line:
        say("warming up")
        await carry(line, documents(WARM))
        await come_to_rest(line)
        await rest(PACED_S)
        say(f"{options.journeys} documents, one at a time")
        took_s = await journeys(line, documents(options.journeys), every_s=JOURNEYS_EVERY_S)
        moments = await moments_ms(line, options.journeys)
        rounds, fresh, again = [], [], []
        for number in range(options.rounds):
            say(f"round {number + 1} of {options.rounds}")
            contents = documents(options.documents)
            fresh.append(await carry(line, contents))
            # Every one of them was read a moment ago, for the same owner.
            again.append(await carry(line, contents, end="duplicate"))
            rounds.append({OURS: _measured(fresh[-1]), **await _baselines(line, options)})
    return Found(rounds, fresh, again, took_s, moments)


async def _baselines(line: Line, options: Options) -> Round:
    bare = await bare_run(line.stack, options.documents, sync=options.sync)
    found = {BARE: measured(bare.count, bare.rate, bare.spent)}
    if options.peers is None:
        return found
    peers = await measure_peers(
        options.peers, options.systems, options.documents, sync=options.sync
    )
    return found | dict(peers)


def _measured(passage: Passage) -> Measured:
    return measured(passage.count, passage.rate, passage.carried)


def _figures(found: Found) -> dict[str, Any]:
    own, copies = _by_service(found.fresh), _by_service(found.again)
    ms = [took * 1000 for took in found.journeys_s]
    return {
        "systems": {name: medians(found.rounds, name) for name in names(found.rounds)},
        "services_us": own,
        "duplicate_services_us": copies,
        "handing_in_us": round(median(one.whole_cpu_us - one.cpu_us for one in found.fresh)),
        "duplicate_us": round(median(one.cpu_us for one in found.again)),
        "reviewed_per_s": round(median(one.count / one.reviewed_s for one in found.fresh), 1),
        "journey_ms": {
            f"p{percent}": round(percentile(ms, percent), 1) for percent in (50, 95, 99)
        },
        "moments_ms": {name: round(at, 1) for name, at in found.moments_ms.items()},
    }


def _by_service(passages: Sequence[Passage]) -> dict[str, int]:
    parts = [service_parts(one.count, one.carried) for one in passages]
    return {name: round(median(one[name] for one in parts)) for name in parts[0]}


def _rows(figures: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return list(figures["systems"].items())


def _show(options: Options, found: Found, figures: dict[str, Any]) -> None:
    say(f"\n{options.documents} documents that wait, the median of {options.rounds} rounds;")
    say(f"CPU µs of one document; {options.slots} slots\n")
    columns = ("documents_per_s", "cpu_us", *(f"{part}_us" for part in PARTS))
    table(
        ("", "documents/s", "CPU", *PARTS, "others"),
        [
            (name, *(f"{one[column]:,.0f}" for column in columns), f"{one['others']:.2f}")
            for name, one in _rows(figures)
        ],
    )
    say_how_quiet(found.rounds)
    say("\nours by service, CPU µs of one document, and of one whose content was read before\n")
    copies = figures["duplicate_services_us"]
    table(
        ("", "CPU", "again"),
        [(name, f"{us:,}", f"{copies[name]:,}") for name, us in figures["services_us"].items()],
    )
    say(f"\naccepting one, before that: {figures['handing_in_us']:,} µs; one whose content was")
    say(f"read before: {figures['duplicate_us']:,} µs")
    told = (f"{name} {ms} ms" for name, ms in figures["journey_ms"].items())
    say(f"one alone, until everybody knows its end: {', '.join(told)};")
    say("what is told of it, in ms since it was accepted:")
    say(", ".join(f"{name} {ms}" for name, ms in figures["moments_ms"].items()))


def _goals(found: Found) -> list[Goal]:
    present = names(found.rounds)
    p50, p99 = (percentile(found.journeys_s, percent) for percent in (50, 99))
    both = list(zip(found.again, found.fresh, strict=True))
    duplicate = median(again.cpu_us / fresh.cpu_us for again, fresh in both)
    whole = median(again.whole_cpu_us / fresh.whole_cpu_us for again, fresh in both)
    say(f"cpu_vs_bare {ratio_of_cpu(found.rounds, OURS, BARE):.2f} (for information)")
    say(f"duplicate_vs_fresh_with_accepting {whole:.2f} (for information)")
    return [
        *(
            Goal(
                f"P1 {key}_{name.replace('-', '_')}", ratio(found.rounds, OURS, name), op, goal
            )
            for key, ratio, op, goals in RATIOS
            for name, goal in goals.items()
            if name in present
        ),
        Goal("P3 journey_p50_ms", p50 * 1000, "<=", LATENCY_P50_MS),
        Goal("P3 journey_p99_of_p50", p99 / p50, "<=", LATENCY_P99_OF_P50),
        Goal("P7 duplicate_vs_fresh", duplicate, "<=", DUPLICATE_GOAL),
    ]


if __name__ == "__main__":
    main()

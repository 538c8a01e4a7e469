"""What does a service hold while nobody asks for anything, and what while there is work?

The stack as `./paperline up` leaves it, each service with all of its doors. After a while of
rest its memory and processor time are taken; then invoices with a text layer and pictures of
some go through, and the most that each has held is told. Children in which files are opened
are counted apart.
"""

import argparse
import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from deploy.local import processes
from deploy.local.ports import remembered
from shared.process.doors import new_loop
from tests.bench._shared.backlog import like_samples, pictures
from tests.bench._shared.bars import draw
from tests.bench._shared.quiet_stack import UNLIMITED, own_stack
from tests.bench._shared.report import Goal, conclude, say, table
from tests.bench._shared.resident import Resident, forget_peak, peak_mb, resident
from tests.bench._shared.uploads import upload_all
from tests.bench._shared.used import SERVERS, rest, used_by
from tests.eventually import eventually
from tests.system.records import Records
from tests.system.stack import SERVICES, Stack

NAME = "memory"
IDLE_MB_MAX = {"ingest": 90, "review": 90, "monitor": 90, "storage": 170, "extractor": 150}
IDLE_CORE_PERCENT_MAX = 1.0
LOOK_EVERY_S = 0.5
DOCUMENT_S_MAX = 10.0
LEFT = "SELECT count(*) FROM ingest.documents WHERE completed_at IS NULL"
ENDS = "SELECT DISTINCT status FROM ingest.documents"


@dataclass(frozen=True, slots=True)
class Options:
    settle_s: float
    idle_s: float
    documents: int
    pictures: int


@dataclass(frozen=True, slots=True)
class Found:
    idle: Mapping[str, Resident]
    # Percent of one processor, by part.
    idle_percent: Mapping[str, float]
    loaded: Mapping[str, Resident]
    after: Mapping[str, Resident]


def main() -> None:
    options = _options()
    with asyncio.Runner(loop_factory=new_loop) as runner:
        found = runner.run(_measure(options))
    say(f"\nMB (millions of bytes) after {options.settle_s:g} s of rest, the most while")
    say(f"{options.documents} PDFs and {options.pictures} pictures went through, and after\n")
    table(
        ("", "idle", "proportional", "loaded", "children", "after", "idle CPU %"),
        [_row(name, found) for name in SERVICES],
    )
    servers = ", ".join(f"{name} {found.idle_percent[name]:.2f} %" for name in SERVERS)
    say(f"\nof one processor, meanwhile: {servers}; load {os.getloadavg()[0]:.1f}")
    draw(NAME, "Memory of the services, at rest and under load", "MB", _shown(found))
    conclude(NAME, _figures(found), _goals(found))


def _options() -> Options:
    parser = argparse.ArgumentParser(prog="./paperline bench memory")
    parser.add_argument("--settle", type=float, default=20.0, metavar="S", help="before it")
    parser.add_argument("--idle", type=float, default=60.0, metavar="S", help="of rest")
    parser.add_argument("--documents", type=int, default=400)
    parser.add_argument("--pictures", type=int, default=6)
    given = parser.parse_args()
    return Options(given.settle, given.idle, given.documents, given.pictures)


async def _measure(options: Options) -> Found:
    async with own_stack("memory-stack", **UNLIMITED) as stack:
        say(f"{options.settle_s + options.idle_s:g} s of rest")
        await rest(options.settle_s)
        parts = {**{one: one for one in SERVICES}, **SERVERS}
        before = used_by(stack.state, parts)
        await rest(options.idle_s)
        spent, idle = used_by(stack.state, parts).since(before), _resident(stack)
        percent = {name: used / spent.seconds * 100 for name, used in spent.cpu_s.items()}
        contents = [*like_samples(options.documents).contents, *pictures(options.pictures)]
        say(f"{len(contents)} documents")
        loaded = await _most_while(stack, contents)
        await rest(options.settle_s)
        return Found(idle, percent, loaded, _resident(stack))


async def _most_while(stack: Stack, contents: Sequence[bytes]) -> Mapping[str, Resident]:
    records, seen = Records(stack), list[Mapping[str, Resident]]()
    port = remembered(stack.state)["ingest_api"]
    for pid in _pids(stack).values():
        forget_peak(pid)

    def are_sent() -> bool:
        seen.append(_resident(stack))
        return sent.done()

    async def have_ended() -> bool:
        seen.append(_resident(stack))
        [[left]] = await records.rows(LEFT)
        return not left

    async with asyncio.TaskGroup() as group:
        sent = group.create_task(upload_all(port, "/v1/documents", contents, key=stack.key))
        within_s = 60 + DOCUMENT_S_MAX * len(contents)
        await eventually(are_sent, within_s=within_s, every_s=LOOK_EVERY_S)
        await eventually(have_ended, within_s=within_s, every_s=LOOK_EVERY_S)
    ends = {row["status"] for row in await records.rows(ENDS)}
    if ends != {"completed"}:
        raise RuntimeError(f"what was measured is not the reading of documents: {ends}")
    return {
        name: Resident(
            peak_mb(pid),
            max(one[name].proportional_mb for one in seen),
            max(one[name].children_mb for one in seen),
        )
        for name, pid in _pids(stack).items()
    }


def _resident(stack: Stack) -> Mapping[str, Resident]:
    return {name: resident(pid) for name, pid in _pids(stack).items()}


def _pids(stack: Stack) -> Mapping[str, int]:
    found = {}
    for service in SERVICES:
        process = processes.running(stack.state, service)
        if process is None:
            # Not an assertion, which those who wait would take for "not yet".
            raise RuntimeError(f"{service} has ended")
        found[service] = process.pid
    return found


def _row(name: str, found: Found) -> tuple[str, ...]:
    idle, loaded, after = found.idle[name], found.loaded[name], found.after[name]
    values = (
        *(idle.own_mb, idle.proportional_mb),
        *(loaded.own_mb, loaded.children_mb, after.own_mb),
    )
    told = (f"{value:,.0f}" for value in values)
    return (name, *told, f"{found.idle_percent[name]:.2f}")


def _shown(found: Found) -> dict[str, dict[str, float]]:
    return {
        name: {
            "idle": found.idle[name].own_mb,
            "more while loaded": max(0.0, loaded.own_mb - found.idle[name].own_mb),
            "children while loaded": loaded.children_mb,
        }
        for name, loaded in found.loaded.items()
    }


def _figures(found: Found) -> dict[str, object]:
    return {
        "idle_mb": {name: round(one.own_mb, 1) for name, one in found.idle.items()},
        "idle_proportional_mb": {
            name: round(one.proportional_mb, 1) for name, one in found.idle.items()
        },
        "loaded_mb": {name: round(one.own_mb, 1) for name, one in found.loaded.items()},
        "children_mb": {name: round(one.children_mb, 1) for name, one in found.loaded.items()},
        "after_mb": {name: round(one.own_mb, 1) for name, one in found.after.items()},
        "idle_percent": {name: round(one, 3) for name, one in found.idle_percent.items()},
        "load": os.getloadavg()[0],
    }


def _goals(found: Found) -> list[Goal]:
    services = sum(found.idle_percent[name] for name in SERVICES)
    return [
        *(
            Goal(f"P8 idle_mb_{name}", found.idle[name].own_mb, "<=", most)
            for name, most in IDLE_MB_MAX.items()
        ),
        Goal("P8 idle_percent_of_a_core", services, "<=", IDLE_CORE_PERCENT_MAX),
    ]


if __name__ == "__main__":
    main()

"""What does a promise cost? Accepted uploads beside an endpoint that only hashes and writes.

One process behind ingest's door `serve`, with its own database and broker; what it accepts
stays in the outbox, as sending is the work of another process. Rounds interleave, and a ratio
is taken within a round, so that what else the machine does falls on all alike.
"""

import argparse
import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from deploy.local import ports, processes
from shared.process.doors import new_loop
from tests.bench._shared.cost import Cost, Meter, tree_cpu_s
from tests.bench._shared.quiet_stack import UNLIMITED, quiet_stack
from tests.bench._shared.report import Goal, conclude, say, table
from tests.bench._shared.uploads import CONNECTIONS, contents, upload_all
from tests.eventually import eventually
from tests.system.replicas import Replica, replica_of

NAME = "ingest"
ROWS = {
    "written": "bare endpoint: hash and write",
    "durable": "bare endpoint: durable bytes and name",
    "ours": "ingest: durable bytes, row, key, order, fact",
}
GOAL = 0.5
ROUND_S_MAX = 300.0
# Until every folder that a content may lie in has been made, and code and plans are warm.
WARM_UPS = 4

Uploads = Callable[[Sequence[bytes]], Coroutine[Any, Any, None]]


@dataclass(frozen=True, slots=True)
class Options:
    uploads: int
    size_bytes: int
    rounds: int


@dataclass(slots=True)
class Door:
    """Where uploads go, and the process that takes them."""

    pid: int
    send: Uploads


@dataclass(slots=True)
class UploadCost:
    wall: Cost
    server_s: float

    @property
    def figures(self) -> dict[str, float | None]:
        return {
            "rate": self.wall.rate,
            "server_us": self.wall.us(self.server_s),
            "database_us": self.wall.us(self.wall.database_s),
        }


def main() -> None:
    options = _options()
    with asyncio.Runner(loop_factory=new_loop) as runner:
        rounds = runner.run(_measure(options))
    say(f"\n{options.uploads} uploads of {options.size_bytes:,} bytes over {CONNECTIONS}")
    say(f"connections, the median of {options.rounds} rounds; CPU µs per upload\n")
    table(
        ("", "uploads/s", "server", "database"),
        [(text, *_cells(rounds, key)) for key, text in ROWS.items()],
    )
    say()
    conclude(NAME, {key: _medians(rounds, key) for key in ROWS}, _goals(rounds))


def _options() -> Options:
    parser = argparse.ArgumentParser(prog="./paperline bench ingest")
    parser.add_argument("--uploads", type=int, default=1_000)
    parser.add_argument("--size", type=int, default=100_000, metavar="BYTES")
    # A round takes seconds and what else the machine does comes and goes: the median of many.
    parser.add_argument("--rounds", type=int, default=9)
    given = parser.parse_args()
    return Options(given.uploads, given.size, given.rounds)


async def _measure(options: Options) -> list[dict[str, UploadCost]]:
    async with _ingest() as ingest:
        with tempfile.TemporaryDirectory(dir=ingest.state.root) as kept:
            async with _bare(ingest, Path(kept)) as (port, pid):
                return await _rounds(_doors(ingest, port, pid), Meter(ingest.state), options)


def _doors(ingest: Replica, bare_port: int, bare_pid: int) -> dict[str, Door]:
    process = processes.running(ingest.state, ingest.component)
    assert process is not None
    port, key = ports.remembered(ingest.state)[f"{ingest.component}_api"], ingest.key

    async def ours(bodies: Sequence[bytes]) -> None:
        await upload_all(port, "/v1/documents", bodies, key=key)

    async def written(bodies: Sequence[bytes]) -> None:
        await upload_all(bare_port, "/written", bodies)

    async def durable(bodies: Sequence[bytes]) -> None:
        await upload_all(bare_port, "/durable", bodies)

    return {
        "written": Door(bare_pid, written),
        "durable": Door(bare_pid, durable),
        "ours": Door(process.pid, ours),
    }


async def _rounds(
    doors: dict[str, Door], meter: Meter, options: Options
) -> list[dict[str, UploadCost]]:
    say("warming up")
    for door in doors.values():
        for _ in range(WARM_UPS):
            await door.send(contents(options.uploads, options.size_bytes))
    rounds = []
    for number in range(options.rounds):
        say(f"round {number + 1} of {options.rounds}")
        costs = {}
        for key, door in doors.items():
            bodies = contents(options.uploads, options.size_bytes)
            async with asyncio.timeout(ROUND_S_MAX):
                costs[key] = await _cost_of(door, bodies, meter)
        rounds.append(costs)
    return rounds


async def _cost_of(door: Door, bodies: Sequence[bytes], meter: Meter) -> UploadCost:
    # What was written before is on the disk, so that nobody pays for another's bytes.
    await asyncio.to_thread(os.sync)
    before = tree_cpu_s(door.pid)
    with meter.measure(len(bodies)) as wall:
        await door.send(bodies)
    after = tree_cpu_s(door.pid)
    assert before is not None
    assert after is not None
    return UploadCost(wall, after - before)


@asynccontextmanager
async def _ingest() -> AsyncIterator[Replica]:
    async with (
        quiet_stack("ingest-stack") as stack,
        replica_of(stack, "ingest", 2, door="serve", **UNLIMITED) as ingest,
    ):
        yield ingest


@asynccontextmanager
async def _bare(stack: Replica, kept: Path) -> AsyncIterator[tuple[int, int]]:
    port = ports.ensure(stack.state, ["bare"])["bare"]
    with _process(port, kept) as pid:
        await eventually(lambda: _answers(port), within_s=20)
        yield port, pid


@contextmanager
def _process(port: int, kept: Path) -> Iterator[int]:
    command = [sys.executable, "-m", "tests.bench._shared.bare", str(port), str(kept)]
    # In a session of its own, as ours is: a scheduler that is fair to sessions would count it
    # with the client, and on a busy machine that is most of what is measured.
    process = subprocess.Popen(command, start_new_session=True)
    try:
        yield process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(10)


async def _answers(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True


def _medians(rounds: Sequence[dict[str, UploadCost]], key: str) -> dict[str, Any]:
    columns: dict[str, list[float]] = {}
    for costs in rounds:
        for name, value in costs[key].figures.items():
            columns.setdefault(name, []).extend(() if value is None else (value,))
    return {name: round(median(some), 1) if some else None for name, some in columns.items()}


def _cells(rounds: Sequence[dict[str, UploadCost]], key: str) -> tuple[str, ...]:
    values = _medians(rounds, key).values()
    return tuple("–" if value is None else f"{value:,.0f}" for value in values)


def _goals(rounds: Sequence[dict[str, UploadCost]]) -> list[Goal]:
    durable = median(one["ours"].wall.rate / one["durable"].wall.rate for one in rounds)
    written = median(one["ours"].wall.rate / one["written"].wall.rate for one in rounds)
    say(f"ours_vs_written {written:.2f} (for information: nothing there is durable)")
    return [Goal("ours_vs_bare_durable", durable, ">=", GOAL)]


if __name__ == "__main__":
    main()

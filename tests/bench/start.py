"""How long is it from starting a service until it is ready for work?

Ready is what its own `/readyz` says: database and broker reached, its tables and queues as they
have to be. One service after the other on a stack in which the others run, several times; then
all five at once, as after a power cut. Beside them the interpreter alone, which nobody beats.
"""

import argparse
import asyncio
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median

from deploy.local import processes, services
from deploy.local.endpoints import endpoints
from deploy.local.nodes import side_by_side
from deploy.local.ports import remembered
from deploy.local.starting import last_lines
from deploy.local.state import State
from shared.process.doors import new_loop
from tests.bench._shared.bars import draw
from tests.bench._shared.cost import TICKS_PER_S
from tests.bench._shared.quiet_stack import own_stack
from tests.bench._shared.report import Goal, conclude, say, table
from tests.eventually import eventually
from tests.system.stack import SERVICES, Stack

NAME = "start"
READY_S_MAX = 2.0
BARE = "python, doing nothing"
EVERY_S, WITHIN_S = 0.02, 60.0


@dataclass(frozen=True, slots=True)
class Found:
    alone_s: Mapping[str, Sequence[float]]
    together_s: Mapping[str, float]


def main() -> None:
    parser = argparse.ArgumentParser(prog="./paperline bench start")
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with asyncio.Runner(loop_factory=new_loop) as runner:
        found = runner.run(_measure(rounds))
    say(f"\nseconds from start to ready, {rounds} times each\n")
    table(
        ("", "median", "worst", "all at once"),
        [
            (
                name,
                f"{median(took):.2f}",
                f"{max(took):.2f}",
                f"{found.together_s[name]:.2f}" if name in found.together_s else "–",
            )
            for name, took in found.alone_s.items()
        ],
    )
    shown = {name: {"ms": median(took) * 1000} for name, took in found.alone_s.items()}
    draw(NAME, "From start to ready", "ms", shown)
    figures = {
        "ready_s": {name: round(median(took), 3) for name, took in found.alone_s.items()},
        "worst_s": {name: round(max(took), 3) for name, took in found.alone_s.items()},
        "together_s": {name: round(took, 3) for name, took in found.together_s.items()},
    }
    goals = [
        Goal(f"P8 ready_s_{name}", median(found.alone_s[name]), "<=", READY_S_MAX)
        for name in SERVICES
    ]
    conclude(NAME, figures, goals)


async def _measure(rounds: int) -> Found:
    async with own_stack("start-stack") as stack:
        alone: dict[str, list[float]] = {BARE: [], **{one: [] for one in SERVICES}}
        for number in range(rounds):
            say(f"round {number + 1} of {rounds}")
            alone[BARE].append(_bare())
            for service in SERVICES:
                await stack.stop(service)
                alone[service].append(await _start(stack, service))
        for service in SERVICES:
            await stack.stop(service)
        say("all at once")
        return Found(alone, await _all_at_once(stack))


def _bare() -> float:
    began_at = time.monotonic()
    subprocess.run([sys.executable, "-c", ""], check=True)
    return time.monotonic() - began_at


async def _start(stack: Stack, service: str) -> float:
    await asyncio.to_thread(_launch, stack.state, service)
    took = dict[str, float]()
    await eventually(
        lambda: _is_ready(stack, service, took), within_s=WITHIN_S, every_s=EVERY_S
    )
    return took[service]


async def _all_at_once(stack: Stack) -> Mapping[str, float]:
    launches = [partial(_launch, stack.state, one) for one in SERVICES]
    await asyncio.to_thread(side_by_side, *launches)
    took = dict[str, float]()

    async def all_are_ready() -> bool:
        # Side by side: one that is slow to answer must not make the others look late.
        left = [one for one in SERVICES if one not in took]
        return all(await asyncio.gather(*(_is_ready(stack, one, took) for one in left)))

    await eventually(all_are_ready, within_s=WITHIN_S, every_s=EVERY_S)
    return took


def _launch(state: State, service: str) -> None:
    services.start(state, service, endpoints(state))


async def _is_ready(stack: Stack, service: str, took: dict[str, float]) -> bool:
    """Then it is noted how old its process is."""
    process = processes.running(stack.state, service)
    if process is None:
        # Not an assertion, which those who wait would take for "not yet".
        raise RuntimeError(f"{service} has ended:\n{last_lines(stack.state, service)}")
    port = remembered(stack.state)[f"{service}_ops"]
    ready, _ = await asyncio.to_thread(services.readiness, port)
    if ready:
        booted_s = time.clock_gettime(time.CLOCK_BOOTTIME)
        took[service] = booted_s - process.ticks / TICKS_PER_S
    return ready


if __name__ == "__main__":
    main()

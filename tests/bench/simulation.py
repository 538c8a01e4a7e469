"""Is the simulation of the sizing page fiction? The same burst, for real and simulated.

One extractor of the real stack with a few slots, the provider's double thinking for seconds,
and documents that all wait before it starts: when each has its answer is held against what the
simulation says. Once nothing but slots limits it, once the provider's rate. There the last ones
have been sent back again and again, so that the simulation's dice alone move them by a quarter:
it is asked with several seeds, and reality is to lie among their answers.
"""

import argparse
import asyncio
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass

from deploy.sizing.arrivals import Arrival, Kind
from deploy.sizing.figures import measured
from deploy.sizing.provider import Latency, Provider
from deploy.sizing.scaling import fixed
from deploy.sizing.simulation import House, Simulation
from deploy.sizing.waits import quantile
from shared.process.doors import new_loop
from tests.bench._shared.backlog import before_a_model
from tests.bench._shared.lifted import lifted
from tests.bench._shared.report import Goal, conclude, say, table
from tests.eventually import eventually
from tests.system.records import Records
from tests.system.replicas import replica_of
from tests.system.stack import Stack

NAME = "simulation"
WITHIN_S = 600.0
# By the database's clock: from the first answer on, which in both took one call.
KEPT = """
SELECT extract(epoch FROM kept_at - min(kept_at) OVER ())::float8
  FROM extractor.processed_documents ORDER BY kept_at
"""
SHARES = (0.25, 0.5, 0.75, 0.95, 1.0)
SEEDS = range(1, 12)
AT_LEAST, AT_MOST = 0.85, 1.2


@dataclass(frozen=True, slots=True)
class Scene:
    name: str
    documents: int
    slots: int
    think_s: float
    calls_per_s: float = math.inf

    def simulated(self, cores: int) -> Sequence[Sequence[float]]:
        return [self._simulated(cores, seed) for seed in SEEDS]

    def _simulated(self, cores: int, seed: int) -> Sequence[float]:
        kind = Kind("text", measured().kinds["model"].cpu_s["extractor"], asks=True)
        house = House(
            Provider(Latency(self.think_s, "constant"), self.calls_per_s),
            fixed(1),
            slots=self.slots,
            cores=cores,
        )
        burst = (Arrival(0.0, kind) for _ in range(self.documents))
        ended = sorted(one.ended_s for one in Simulation(house, burst, seed=seed).run().ended)
        return [one - ended[0] for one in ended]


def main() -> None:
    scenes, cores = _options()
    with asyncio.Runner(loop_factory=new_loop) as runner:
        real = [runner.run(_real(scene)) for scene in scenes]
    figures, goals, rows = {}, [], []
    for scene, seconds in zip(scenes, real, strict=True):
        runs = scene.simulated(cores)
        was = [quantile(seconds, share) for share in SHARES]
        said = [sorted(quantile(run, share) for run in runs) for share in SHARES]
        rows.append((f"{scene.name}, real", *(f"{one:.1f}" for one in was)))
        for name, at in (("least", 0), ("median", len(SEEDS) // 2), ("most", -1)):
            rows.append((f"{scene.name}, {name}", *(f"{one[at]:.1f}" for one in said)))
        figures[scene.name] = {"real": was, "simulated": said}
        # Simulated answers come in waves until chance spreads them: at the edge of a
        # wave a share says little, so the goals are the last ones.
        for share, real_s, seeds in list(zip(SHARES, was, said, strict=True))[-2:]:
            name = f"{scene.name}_p{share * 100:.0f}_real_to"
            goals += [
                Goal(f"{name}_least_simulated", real_s / seeds[0], ">=", AT_LEAST),
                Goal(f"{name}_most_simulated", real_s / seeds[-1], "<=", AT_MOST),
            ]
    say("\nseconds from the first answer to so many of them\n")
    table(("", *(f"{one:.0%}" for one in SHARES)), rows)
    say(f"\nload {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors\n")
    conclude(NAME, figures, goals)


def _options() -> tuple[Sequence[Scene], int]:
    parser = argparse.ArgumentParser(prog="./paperline bench simulation")
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--slots", type=int, default=20)
    parser.add_argument("--think", type=float, default=3.0, metavar="S")
    parser.add_argument("--calls-per-s", type=float, default=4.0, help="of the second burst")
    told = parser.parse_args()
    of_slots = Scene("slots", told.documents, told.slots, told.think)
    of_rate = Scene("rate", told.documents, told.slots, told.think, told.calls_per_s)
    return (of_slots, of_rate), os.cpu_count() or 1


async def _real(scene: Scene) -> Sequence[float]:
    backlog = before_a_model(f"simulation-{scene.name}", scene.documents, scene.think_s)
    async with backlog as (stack, _, _):
        return await _read(scene, stack)


async def _read(scene: Scene, stack: Stack) -> Sequence[float]:
    rate = {} if scene.calls_per_s == math.inf else {"requests_per_second": scene.calls_per_s}
    settings = {
        "PAPERLINE_EXTRACT_SLOTS": str(scene.slots),
        "PAPERLINE_EXTRACTION_CONFIG": str(lifted(stack, **rate)),
    }
    records = Records(stack)
    async with replica_of(stack, "extractor", 2, door="work", **settings):

        async def all_are_read() -> bool:
            return len(await records.rows(KEPT)) >= scene.documents

        await eventually(all_are_read, within_s=WITHIN_S, every_s=1)
        return [float(row[0]) for row in await records.rows(KEPT)]


if __name__ == "__main__":
    main()

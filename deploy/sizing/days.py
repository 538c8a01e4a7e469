"""The days that the page simulates: what each asks, and what came of it."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from deploy.sizing import cluster
from deploy.sizing.arrivals import HOUR_S, WORKING_DAY, Burst, Kind, Load
from deploy.sizing.figures import measured
from deploy.sizing.provider import Latency, Provider
from deploy.sizing.scaling import Scaling
from deploy.sizing.simulation import House, Simulation
from deploy.sizing.tables import Row
from deploy.sizing.waits import Day, quantile
from shared.topology.queues import EXTRACT

SEED = 20_260
CALLS_PER_S, CALL_S = 10.0, 4.0
URGENT = 0.02
# Somebody empties a drawer before noon.
DRAWER = Burst(10.5 * HOUR_S, 3_000)
SHARES = (0.5, 0.95, 0.99)
IN_SECONDS, IN_MINUTES = 100.0, 7_200.0


@dataclass(frozen=True, slots=True)
class Scene:
    name: str
    per_hour: float
    scaling: Scaling
    calls_per_s: float = CALLS_PER_S
    bursts: Sequence[Burst] = (DRAWER,)
    slots: int = EXTRACT.slots
    window: int = cluster.window()

    def run(self, hours: Sequence[float] = WORKING_DAY) -> Day:
        load = Load(self.per_hour, kinds(), URGENT, hours, self.bursts)
        house = House(
            Provider(Latency(CALL_S), self.calls_per_s),
            self.scaling,
            slots=self.slots,
            window=self.window,
            store_s=measured().kinds["text"].cpu_s["storage"],
        )
        return Simulation(house, load.arrivals(random.Random(SEED)), seed=SEED).run()  # noqa: S311


def kinds() -> list[tuple[Kind, float]]:
    """A tenth of e-invoices, three tenths of scans with two pages, and the rest has its text;
    a model reads all but the first."""
    told = {name: one.cpu_s["extractor"] for name, one in measured().kinds.items()}
    return [
        (Kind("einvoice", told["einvoice"]), 0.1),
        (Kind("scan", 2 * told["scan"], asks=True), 0.3),
        (Kind("text", told["model"], asks=True), 0.6),
    ]


def scenes() -> list[Scene]:
    shipped = cluster.readers_scaling()
    # Without a word KEDA shares the seconds of the whole queue out among the pods.
    as_it_comes = replace(shipped, measure="AverageValue", target_s=30.0, waiting_only=False)
    wide = replace(shipped, replicas_max=5)
    return [
        Scene("a quiet house", 2_000, shipped),
        Scene("a busy house", 10_000, shipped),
        Scene("a busy house, scaled as KEDA comes", 10_000, as_it_comes),
        Scene("more than the quota", 20_000, shipped),
        # Ten million documents a day are sixteen of it.
        Scene("a sixteenth of ten million", 26_000, wide, 20.0, slots=32, window=4 * 5 * 32),
    ]


def row(scene: Scene, day: Day) -> Row:
    normal, urgent = day.waits(urgent=False), day.waits(urgent=True)
    return (
        scene.name,
        f"{scene.per_hour:,.0f}",
        f"{len(day.ended):,}",
        f"{day.backlog_peak:,}",
        " / ".join(told(quantile(normal, share)) for share in SHARES),
        " / ".join(told(quantile(urgent, share)) for share in SHARES),
        " ".join(str(day.replicas_in(hour)) for hour in range(6, 22, 2)),
        f"{day.replica_hours:,.0f}",
    )


HEAD = (
    *("day", "documents/h", "in all", "longest queue", "normal waits p50 / p95 / p99"),
    *("urgent waits", "replicas at 6, 8, … 20 h", "replica hours"),
)


def told(seconds: float) -> str:
    if seconds < IN_SECONDS:
        return f"{seconds:.1f} s"
    if seconds < IN_MINUTES:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
